// How many rows contain each of many itemsets.
//
// Two ways, and the one that looks at fewer words is taken. Itemsets of a lattice share their first items: the rows are
// bitmaps by item, and intersections are kept for the next itemset. Itemsets that are rows themselves share little:
// each is looked up among the rows with its rarest item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

// For every itemset, the total weight of the `larger` sets that contain it (1 each if `weights` is empty): its support
// in those sets, used as rows.
Buffer<std::int64_t> count_supersets(const Rows& collection, const Rows& larger, std::span<const std::int64_t> weights,
                                     std::size_t labels);

// The two ways.
Buffer<std::int64_t> count_by_prefixes(const Rows& collection, const Rows& larger,
                                       std::span<const std::int64_t> weights, std::size_t labels);
Buffer<std::int64_t> count_around_rarest(const Rows& collection, const Rows& larger,
                                         std::span<const std::int64_t> weights, std::size_t labels);

}  // namespace discreet
