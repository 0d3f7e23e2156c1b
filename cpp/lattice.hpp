// Collections of itemsets as a part of the subset lattice: which are one item apart, and what lies between.
//
// A collection is in canonical order (by length, then item by item), without duplicates and without the empty itemset.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

constexpr std::int32_t not_listed = -1;
constexpr std::int32_t empty_itemset = -2;

// Each item sets one of 64 bits: an itemset can be a subset of another one only if its bits are.
inline std::uint64_t signature(std::span<const std::int32_t> itemset) {
    std::uint64_t bits = 0;
    for (std::int32_t item : itemset) bits |= std::uint64_t{1} << item % 64;
    return bits;
}

// For every item of every itemset: the itemset that is left without it (its index, not_listed, or empty_itemset).
Buffer<std::int32_t> one_item_less(const Rows& collection, std::size_t labels);

// An itemset and one of its subsets with contradictory supports: at least `lows` rows contain the first, at most
// `highs` the second, and the first number is greater. `larger` is not_listed if there is no such pair.
struct Contradiction {
    std::int32_t larger = not_listed, smaller = not_listed;
};
Contradiction find_contradiction(const Rows& collection, std::span<const std::int64_t> lows,
                                 std::span<const std::int64_t> highs, std::size_t labels,
                                 const std::function<void()>& tick);

// 1 for every itemset without a superset of the same support.
Buffer<std::uint8_t> find_closed(const Rows& collection, std::span<const std::int64_t> supports, std::size_t labels);

// For every closed itemset, the number of itemsets with this closure: its subsets, minus those of smaller closed ones.
// Itemsets that contain one of `patterns` (of at least one item) are not counted. `empty_closed` is whether the empty
// itemset is closed as well. Numbers are split into a high and a low half, because they can exceed 2^64; itemsets have
// at most 126 items.
struct ClassSizes {
    Buffer<std::uint64_t> high, low;
};
ClassSizes find_class_sizes(const Rows& closed, bool empty_closed, std::size_t labels, const Rows& patterns = {});

// For every itemset, its support in another collection, 0 if it is not listed there.
Buffer<std::int64_t> find_supports(const Rows& wanted, const Rows& collection, std::span<const std::int64_t> supports,
                                   std::size_t labels);

// Whether the collection can be one of closed itemsets: the intersection of two of them is listed (or empty), and a
// proper superset has fewer rows.
bool closed_under_intersection(const Rows& collection, std::span<const std::int64_t> supports, std::size_t labels);

// The itemsets of at least two items outside the collection all of whose subsets one item smaller are in it, with at
// most `most` items, in canonical order.
//
// If `item_supports` are given, pairs of items whose supports add up to at most `total` are counted in `passed_over`
// and left out: such a pair may have any support down to 0.
OwnedRows find_border(const Rows& collection, std::size_t labels, std::size_t most,
                      std::span<const std::int64_t> item_supports, std::int64_t total, std::int64_t& passed_over);

}  // namespace discreet
