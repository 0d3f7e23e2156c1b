// Collections of itemsets as a part of the subset lattice: who is one item larger than whom, and what lies between.
//
// A collection is in canonical order (by length, then item by item), each itemset once; the empty one is not listed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

constexpr std::int32_t not_listed = -1;
constexpr std::int32_t empty_itemset = -2;

// Of each item one bit of 64: an itemset can only lie in another one if its bits do.
inline std::uint64_t signature(std::span<const std::int32_t> itemset) {
    std::uint64_t bits = 0;
    for (std::int32_t item : itemset) bits |= std::uint64_t{1} << item % 64;
    return bits;
}

// For every item of every itemset: which itemset is left without it (its place, not_listed, or empty_itemset).
Buffer<std::int32_t> one_item_less(const Rows& collection, std::size_t labels);

// An itemset and one of its subsets that cannot both be right: at least `lows` rows hold the first, at most `highs` the
// second, and the first are more. `larger` is not_listed where no two itemsets are like that.
struct Contradiction {
    std::int32_t larger = not_listed, smaller = not_listed;
};
Contradiction find_contradiction(const Rows& collection, std::span<const std::int64_t> lows,
                                 std::span<const std::int64_t> highs, std::size_t labels,
                                 const std::function<void()>& tick);

// 1 for every itemset that no other of the same support contains.
Buffer<std::uint8_t> find_closed(const Rows& collection, std::span<const std::int64_t> supports, std::size_t labels);

// For every closed itemset, how many itemsets have it as their closure: its subsets, less those of smaller closed ones.
// Itemsets that contain one of `patterns` (of one item and more) are not counted. `empty_closed` says whether the empty
// itemset is closed, too. Numbers are split in a high and a low half, as there can be 2^64 and more; itemsets have at
// most 126 items.
struct ClassSizes {
    Buffer<std::uint64_t> high, low;
};
ClassSizes find_class_sizes(const Rows& closed, bool empty_closed, std::size_t labels, const Rows& patterns = {});

// For every itemset, its support in another collection, 0 where that does not list it.
Buffer<std::int64_t> find_supports(const Rows& wanted, const Rows& collection, std::span<const std::int64_t> supports,
                                   std::size_t labels);

// For every itemset, how many of the `larger` sets contain it, each counted as often as its weight says (once each
// where `weights` is empty): the support in those sets, taken as rows.
Buffer<std::int64_t> count_supersets(const Rows& collection, const Rows& larger, std::span<const std::int64_t> weights,
                                     std::size_t labels);

// Whether the collection can be one of closed itemsets: what two of them have in common is listed (or empty), and of
// two of which one contains the other, the larger has fewer rows.
bool closed_under_intersection(const Rows& collection, std::span<const std::int64_t> supports, std::size_t labels);

// The itemsets of two items and more outside the collection all of whose subsets one item smaller are in it, at most
// `most` items long, in canonical order.
//
// Where `item_supports` are given, pairs of items whose supports add up to at most `total` are counted in `passed_over`
// and left out: such a pair may have any number of rows down to none.
OwnedRows find_border(const Rows& collection, std::size_t labels, std::size_t most,
                      std::span<const std::int64_t> item_supports, std::int64_t total, std::int64_t& passed_over);

}  // namespace discreet
