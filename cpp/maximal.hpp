// Maximal itemsets of a collection, at one threshold or at many at once.
#pragma once

#include <cstdint>
#include <span>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

// 1 for every itemset that no other of the collection contains.
Buffer<std::uint8_t> find_maximal(const Rows& collection, std::size_t labels);

// Thresholds are numbered from the lowest up; `levels` is the highest that each itemset reaches. Returns for every
// itemset the lowest threshold at which no other itemset that reaches it contains it, or its level + 1 if there is
// none: it is maximal from there up to its own level.
Buffer<std::int32_t> find_lowest_maximal(const Rows& collection, std::span<const std::int32_t> levels,
                                         std::size_t labels);

}  // namespace discreet
