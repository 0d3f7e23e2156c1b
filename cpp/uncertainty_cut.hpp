// How much can be kept where rows are published at one cut through the hierarchy: which sensitive items, at the price
// of dropping others and nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uncertainty_problem.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

struct KeptAtCut {
    std::int64_t loss;               // by the cut, and by all that is dropped
    std::vector<std::uint8_t> kept;  // by code; what no row holds counts as kept
    std::uint64_t work;              // rows and words of bitmaps looked at
};

// `split` says of each node whether it is split, all above it being split too. At first all nodes of the cut are kept
// and no sensitive item; then each of `order` is, one after the other, if it is worth more than what has to be dropped
// for it: the cheapest part of each rule that it would make too sure. Every rule stays below rho.
// What is left of `order` once `most_work` is done stays dropped.
KeptAtCut keep_at_cut(const Problem& problem, std::span<const std::uint8_t> split, std::span<const std::int32_t> order,
                      std::uint64_t most_work, Halt halt);

}  // namespace discreet
