// The door between Python and the kernel: arrays in, arrays out, the GIL released in between.
#include "bindings.hpp"

NB_MODULE(_kernel, m) {
    // At exit Python may drop modules in any order; what is left then is no leak, and no user of ours can mend it.
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
