// How much can be kept if rows are published at one cut through the hierarchy: which sensitive items, at the price of
// dropping others and nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uncertainty_problem.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

struct KeptAtCut {
    std::int64_t loss;               // of the cut and of everything that is dropped
    std::vector<std::uint8_t> kept;  // by code; what occurs in no row counts as kept
    std::uint64_t work;              // rows and words of bitmaps processed
};

// `split` is whether each node is split; all nodes above a split node are split. At first all nodes of the cut are kept
// and no sensitive item. Then each item of `order` is kept, one after another, if it is worth more than what has to be
// dropped for it: the cheapest part of each rule that it would make too certain. Every rule stays below its limit.
// Items of `order` not reached within `most_work` stay dropped. With `others_stay` only sensitive items are dropped.
KeptAtCut keep_at_cut(const Problem& problem, std::span<const std::uint8_t> split, std::span<const std::int32_t> order,
                      std::uint64_t most_work, bool others_stay, Halt halt);

}  // namespace discreet
