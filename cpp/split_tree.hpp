// Groups from rows as bitmasks, or from closed itemsets, down a tree over all targets.
#pragma once

#include "groups.hpp"

namespace discreet {

// The split tree holds itemsets as bits, of at most this many items; refine_rows knows no such limit.
constexpr std::size_t most_split_items = 4096;
constexpr std::size_t most_border_items = 20;  // all subsets stand in a table

struct TooLong : std::runtime_error {
    TooLong() : std::runtime_error("an itemset of more than 4,096 items") {}
};

// Rows, counted as often as `weights` say (once each where that is empty).
Groups split_rows(const Rows& rows, std::span<const std::int64_t> weights, const GroupTask& task);

// Closed itemsets (the empty one left out) with their supports, in a collection of `total` rows. Each target must be
// one whose subsets' closures lie inside it, as those of a maximal itemset do.
Groups split_patterns(const Rows& patterns, std::span<const std::int64_t> supports, std::int64_t total, bool border,
                      const GroupTask& task);

}  // namespace discreet
