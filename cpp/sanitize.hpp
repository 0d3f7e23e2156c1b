// Chooses which items to remove from which rows, so that restrictive patterns are hidden.
//
// Problem   every pattern has its sensitive rows, a number of them that must lose it, and the items (victims) to
//           remove from such a row.
// Method    the sensitive rows of a pattern are ordered by their degree of conflict (how many patterns they
//           contain), then by position. Rows are independent of each other; in each, the patterns are processed in the
//           order given, and a pattern that an earlier victim removed needs no second change.
// Cost      linear in the sensitive rows of all patterns together.
#pragma once

#include <cstdint>
#include <span>

#include "inverted.hpp"

namespace discreet {

struct Sanitizing {
    Rows found;                             // for each pattern, the rows that contain it
    std::span<const std::int64_t> counts;   // how many of these must lose it
    Rows patterns;                          // for each pattern, its items
    Rows victims;                           // for each pattern, the items to remove
    std::span<const std::int32_t> stays;    // for each pattern, the victim kept if the row would be empty, or -1
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
