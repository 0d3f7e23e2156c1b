// Which items leave which rows, so that restrictive patterns are hidden.
//
// Problem   every pattern has its sensitive rows, a number of them that must lose it, and the items (victims) that
//           leave such a row.
// Method    the sensitive rows of a pattern are taken by their degree of conflict (how many patterns they hold), equal
//           ones by position. Rows do not know of each other, so each is dealt with on its own, the patterns in the
//           order given; a pattern that an earlier victim took from the row needs no second change.
// Cost      linear in the sensitive rows of all patterns together.
#pragma once

#include <cstdint>
#include <span>

#include "inverted.hpp"

namespace discreet {

struct Sanitizing {
    Rows found;                            // for each pattern, the rows that hold it
    std::span<const std::int64_t> counts;  // how many of these must lose it
    Rows patterns;                         // for each pattern, its items
    Rows victims;                          // for each pattern, the items that leave
    std::span<const std::int32_t> stays;  // for each pattern, the victim that stays where the row would be empty, or -1
    std::span<const std::int32_t> lengths;  // for each row, how many items it has; empty: no victim stays
    std::size_t rows, labels;
    bool most_conflicts_first;
};

struct Removals {
    Buffer<std::int32_t> rows, items;  // ascending by row, then by item
};

Removals sanitize(const Sanitizing& task, const Tick& tick);

// The rows without what was removed from them.
OwnedRows without(const Rows& rows, std::span<const std::int32_t> from, std::span<const std::int32_t> removed);

}  // namespace discreet
