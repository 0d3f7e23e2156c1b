// Groups from rows as bitmasks, or from closed itemsets, down a tree over all targets.
#pragma once

#include "groups.hpp"

namespace discreet {

// The split tree stores itemsets as bits, of at most this many items; refine_rows has no such limit.
constexpr std::size_t most_split_items = 4096;
constexpr std::size_t most_border_items = 20;  // all subsets are in a table

struct TooLong : std::runtime_error {
    TooLong() : std::runtime_error("an itemset of more than 4,096 items") {}
};

// Rows with `weights` (1 each if empty).
Groups split_rows(const Rows& rows, std::span<const std::int64_t> weights, const GroupTask& task);

// Closed itemsets (without the empty one) with their supports, in a collection of `total` rows. Each target must
// contain the closures of its subsets, as a maximal itemset does.
Groups split_patterns(const Rows& patterns, std::span<const std::int64_t> supports, std::int64_t total, bool border,
                      const GroupTask& task);

}  // namespace discreet
