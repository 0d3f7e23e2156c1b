// The interface between Python and the kernel: arrays in, arrays out, the GIL released in between.
#include "bindings.hpp"

NB_MODULE(_kernel, m) {
    // At exit Python may drop modules in any order; what remains then is not a leak that a user could fix.
    nanobind::set_leak_warnings(false);
    m.doc() = "The compiled kernel: plain arrays in, plain arrays out, no checks inside.";
    discreet::bind_transactions(m);
    discreet::bind_patterns(m);
    discreet::bind_channels(m);
    discreet::bind_attack(m);
    discreet::bind_hiding(m);
    discreet::bind_twoparty(m);
    discreet::bind_uncertainty(m);
}
