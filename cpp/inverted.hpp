// The transpose of rows: for every item the ascending list of rows that contain it.
//
// Lists of rows are in compressed sparse row form like rows of items, so transposing twice gives the rows back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

using List = std::span<const std::int32_t>;  // rows, strictly ascending
using Tick = std::function<void()>;          // called now and then; an exception from it ends the work

// For each of `labels` items, the rows that contain it; none for items that are not wanted (0). Without `wanted`, all
// are.
OwnedRows invert(const Rows& rows, std::size_t labels, const Tick& tick, std::span<const std::uint8_t> wanted = {});

Buffer<std::int32_t> in_both(List one, List other);
Buffer<std::int32_t> in_either(List one, List other);
Buffer<std::int32_t> in_first_alone(List one, List other);

// For each itemset (of at least one item), the rows that contain all of it; the shortest lists are intersected first.
OwnedRows find_holders(const Rows& lists, const Rows& itemsets, const Tick& tick);

// 1 for every itemset that contains one of the patterns (of at least one item).
Buffer<std::uint8_t> contain_any(const Rows& itemsets, const Rows& patterns, std::size_t labels);

}  // namespace discreet
