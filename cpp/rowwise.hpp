// Chooses row by row which items to remove, so that restrictive patterns are hidden and few other itemsets are lost.
//
// Problem   an itemset is lost if it can spare fewer rows (its slack) than are taken from it. Choose for every
// sensitive
//           row a set of items that breaks its patterns, so that the itemsets lost are few.
// Method    first one victim per pattern, the same in all rows: the best of those given, each then exchanged for
//           another item of its pattern if that saves itemsets. Then rows are visited one by one: a row gives its
//           items back, and removes the set that costs least, over the minimal sets that break its patterns. An itemset
//           costs more the nearer it is to the border, and nothing if it is lost anyway. How near counts as near
//           (`reach`) shrinks from pass to pass. The best state after any pass is kept.
//           If rows may keep a pattern, those where breaking it would cost most keep it.
// Cost      each visit is linear in the groups at stake in the row and in the row's options; `steps` limits the pairs
//           of a row and a group that are visited.
#pragma once

#include <cstdint>
#include <span>

#include "sanitize.hpp"

namespace discreet {

struct RowChoice {
    std::span<const std::int32_t> rows;     // the sensitive rows, ascending
    Rows groups;                            // for each of them, the groups of itemsets at stake in it
    Rows touched;                           // for each group, the items that it shares with the patterns
    std::span<const std::int64_t> weights;  // for each group, its number of itemsets
    std::span<const std::int64_t> slacks;   // for each group, how many rows it can lose
    Rows found;                             // for each pattern, the rows that contain it
    std::span<const std::int64_t> counts;   // how many of these must lose it
    Rows patterns;                          // for each pattern, its items
    Rows starts;                            // victims to begin with: each has one item per pattern
    std::span<const std::int64_t> spared;   // for each item, how many protected patterns contain it
    std::int64_t sigma, steps;
    std::size_t all_rows, labels;
};

Removals choose_by_row(const RowChoice& task, const Tick& tick);

}  // namespace discreet
