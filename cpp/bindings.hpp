// One binding file for each Python package that has loops in the kernel.
#pragma once

#include <nanobind/nanobind.h>

namespace discreet {

void bind_transactions(nanobind::module_& m);
void bind_patterns(nanobind::module_& m);
void bind_channels(nanobind::module_& m);
void bind_attack(nanobind::module_& m);
void bind_hiding(nanobind::module_& m);
void bind_twoparty(nanobind::module_& m);
void bind_uncertainty(nanobind::module_& m);

}  // namespace discreet
