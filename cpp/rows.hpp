// Rows of items in compressed sparse row form: row r is items[offsets[r] .. offsets[r + 1]).
#pragma once

#include <cstdint>
#include <span>

#include "buffer.hpp"

namespace discreet {

struct Rows {
    std::span<const std::int64_t> offsets;  // one more than there are rows
    std::span<const std::int32_t> items;

    std::size_t count() const { return offsets.size() - 1; }
    std::span<const std::int32_t> row(std::size_t r) const {
        return items.subspan(offsets[r], offsets[r + 1] - offsets[r]);
    }
};

struct OwnedRows {
    Buffer<std::int64_t> offsets;
    Buffer<std::int32_t> items;
};

// Returns what is wrong with the arrays, or null: offsets must ascend from 0 to the number of items, and every row must
// be strictly ascending within [0, labels).
const char* find_fault(const Rows& rows, std::int64_t labels);

// Renumbers (if `renumber` is not empty), sorts every row and drops repeated items, in place. Codes must be in range.
void make_canonical(OwnedRows& rows, std::span<const std::int32_t> renumber);

// Adds the weights of rows first .. last - 1 (1 each if `weights` is empty) to the supports of their items.
void item_supports(const Rows& rows, std::span<const std::int64_t> weights, std::size_t first, std::size_t last,
                   std::span<std::int64_t> supports);

struct Folded {
    Buffer<std::int64_t> firsts;   // the position of each distinct row's first occurrence, ascending
    Buffer<std::int64_t> weights;  // how often it occurs
};
Folded fold(const Rows& rows, std::span<const std::int64_t> weights);

OwnedRows select(const Rows& rows, std::span<const std::int64_t> chosen);

}  // namespace discreet
