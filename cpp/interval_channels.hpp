// Channels between listed itemsets, for a collection that is incomplete or whose supports are known only within ranges.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

// Channels that can be computed from a collection in which itemsets may be missing: pairs I within J that have every
// set between them listed and whose number of rows f can lie in 1 .. k - 1.
struct IntervalChannels {
    Buffer<std::int32_t> fulls;  // index of J; empty_itemset for the empty one
    OwnedRows bases;
    Buffer<std::int64_t> lows, highs;  // the range of f
};

struct LatticeTooLarge : std::runtime_error {
    LatticeTooLarge() : std::runtime_error("an itemset of more than 22 items in an incomplete collection") {}
};

// Supports lie in lows .. highs (equal if they are exact); `total` is the number of rows, or -1 if it is unknown. With
// `exact`, channels that a finer one of the collection implies are left out if a single added item shows it.
IntervalChannels find_interval_channels(const Rows& collection, std::size_t labels, std::span<const std::int64_t> lows,
                                        std::span<const std::int64_t> highs, std::int64_t total, std::int64_t k,
                                        bool exact);

}  // namespace discreet
