// What hiding puts at stake: the frequent itemsets that sanitized rows may push below the minimum support.
//
// Problem   given the rows of every restrictive pattern and the frequent itemsets that contain none of them, list for
//           each sensitive row the itemsets that lose support if the row loses an item of its patterns.
// Method    the sensitive rows of an itemset are an intersection of bitmaps; itemsets with a common beginning share it.
//           An itemset that keeps the minimum support whatever is removed is left out. Itemsets that are in the same
//           rows, share the same restrictive items and can lose as many rows are one group: no choice of victims tells
//           them apart.
// Cost      the itemsets times the sensitive rows / 64, then the listed pairs; both are limited by `most`: if there are
//           more, every second itemset is considered, every third, and so on.
#pragma once

#include <cstdint>
#include <span>

#include "inverted.hpp"

namespace discreet {

struct Staked {
    Rows rows;                               // all rows
    Rows found;                              // for each pattern, the rows that contain it
    Rows patterns;                           // for each pattern, its items
    Rows others;                             // the frequent itemsets without a pattern, in canonical order
    std::span<const std::int64_t> supports;  // of the others
    std::int64_t sigma;                      // the minimum support
    std::size_t labels;
    std::int64_t most;  // the most pairs of a row and an itemset that are listed
};

struct Stakes {
    Buffer<std::int32_t> rows;     // the sensitive rows, ascending
    OwnedRows groups;              // for each of them, the groups at stake in it
    OwnedRows touched;             // for each group, the items that it shares with the patterns
    Buffer<std::int64_t> firsts;   // for each group, the number of its first itemset among the others
    Buffer<std::int64_t> weights;  // for each group, how many itemsets it stands for
    Buffer<std::int64_t> slacks;   // for each group, how many rows it can lose
    bool complete;                 // whether every itemset at stake is listed
};

Stakes find_stakes(const Staked& task, const Tick& tick);

}  // namespace discreet
