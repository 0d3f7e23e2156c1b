// Rows for the search for sensitive rules: each distinct row once, items numbered from 0 without gaps, and for every
// item the rows that contain it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "crew.hpp"
#include "rows.hpp"

namespace discreet {

// A confidence, or a bound on one: `part` of `whole` rows.
struct Share {
    std::int64_t part;
    std::int64_t whole;
};

// Whether one share is at least, or more than, another; exact for everything that fits 63 bits.
inline bool at_least(Share one, Share other) {
    return static_cast<__int128>(one.part) * other.whole >= static_cast<__int128>(other.part) * one.whole;
}
inline bool more_than(Share one, Share other) {
    return static_cast<__int128>(one.part) * other.whole > static_cast<__int128>(other.part) * one.whole;
}

// For each of the caller's codes, the confidence that no rule with it as its consequent may reach; of other codes than
// the sensitive ones it is not looked at.
using Limits = std::span<const Share>;

// A stop signal from outside a search; checking it costs one load.
struct Halt {
    std::atomic<bool>* stop;
    void breathe() const {
        if (stop->load(std::memory_order_relaxed)) throw Stopped{};
    }
};

struct FoldedRows {
    std::vector<std::int64_t> offsets{0};  // where a row begins; it ends where the next one begins
    std::vector<std::int32_t> items;       // ascending within a row
    std::vector<std::int64_t> weights;     // how many rows each stands for
    std::int64_t total = 0;                // all of them, including empty rows
    std::size_t labels = 0;
    std::vector<std::uint8_t> sensitive;   // by item
    std::vector<std::int32_t> code_of;     // item -> the caller's code; ascending
    std::vector<std::int64_t> supports;    // by item
    std::vector<std::size_t> list_starts;  // the rows that hold an item, ascending
    std::vector<std::uint32_t> lists;

    std::size_t count() const { return weights.size(); }
    std::span<const std::int32_t> row(std::size_t r) const {
        return {items.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
    }
    std::span<const std::uint32_t> list(std::int32_t item) const {
        return {lists.data() + list_starts[item], list_starts[item + 1] - list_starts[item]};
    }
};

// Collects rows, folds equal ones, and drops what a rule cannot use. Reuses its memory.
class RowFolder {
public:
    // `codes` is the number of the caller's codes. Codes marked `sensitive` may be inferred.
    RowFolder(std::size_t codes, std::span<const std::uint8_t> sensitive)
        : sensitive_(sensitive.begin(), sensitive.end()), local_(codes, -1) {}

    // `rows` and `items` are how many to expect at most, if that is known.
    void begin(std::size_t rows = 0, std::size_t items = 0);
    // Codes ascending and distinct. Returns the number of the distinct row.
    std::uint32_t add(std::span<const std::int32_t> row, std::int64_t weight);
    std::size_t count() const { return rows_.count(); }
    std::span<const std::int32_t> row(std::uint32_t number) const { return rows_.row(number); }
    // `total` is the number of all rows: those not added contain nothing that matters.
    FoldedRows finish(std::int64_t total);

private:
    void grow();
    std::uint64_t hash(std::span<const std::int32_t> row) const;

    std::vector<std::uint8_t> sensitive_;
    std::vector<std::int32_t> local_;  // code -> item, or -1
    FoldedRows rows_;
    std::vector<std::uint32_t> table_;  // 1 + row
};

// Folds the whole data set; `which`, if given, receives the distinct row of each row. `dropped` codes are left out.
FoldedRows fold_all(const Rows& rows, std::span<const std::int64_t> weights, std::int64_t total,
                    std::span<const std::uint8_t> sensitive, std::span<const std::uint8_t> dropped,
                    std::vector<std::uint32_t>* which);

}  // namespace discreet
