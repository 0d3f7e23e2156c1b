// Rows as the search for sensitive rules wants them: each distinct row once, items numbered from 0 without gaps, and
// for every item the rows that hold it.
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

// Whether one share is at least, or more than, another; exact for all that fit 63 bits.
inline bool at_least(Share one, Share other) {
    return static_cast<__int128>(one.part) * other.whole >= static_cast<__int128>(other.part) * one.whole;
}
inline bool more_than(Share one, Share other) {
    return static_cast<__int128>(one.part) * other.whole > static_cast<__int128>(other.part) * one.whole;
}

// Says stop from outside a search; looked at often, it costs a load.
struct Halt {
    std::atomic<bool>* stop;
    void breathe() const {
        if (stop->load(std::memory_order_relaxed)) throw Stopped{};
    }
};

struct FoldedRows {
    std::vector<std::int64_t> offsets{0};  // where a row's room begins, and how far it goes: that of the next one
    std::vector<std::int64_t> ends;        // where its items end; a row need not fill its room
    std::vector<std::int32_t> items;       // ascending within a row
    std::vector<std::int64_t> weights;     // how many rows each stands for
    std::int64_t total = 0;                // all of them, rows that hold nothing included
    std::size_t labels = 0;
    std::vector<std::uint8_t> sensitive;   // by item
    std::vector<std::int32_t> code_of;     // item -> what the caller calls it; ascending
    std::vector<std::int64_t> supports;    // by item
    std::vector<std::size_t> list_starts;  // the rows that hold an item, ascending
    std::vector<std::uint32_t> lists;

    std::size_t count() const { return weights.size(); }
    std::span<const std::int32_t> row(std::size_t r) const {
        return {items.data() + offsets[r], static_cast<std::size_t>(ends[r] - offsets[r])};
    }
    std::span<const std::uint32_t> list(std::int32_t item) const {
        return {lists.data() + list_starts[item], list_starts[item + 1] - list_starts[item]};
    }
};

// Gathers rows, folds equal ones, and drops what a rule cannot use. Keeps its memory from one use to the next.
class RowFolder {
public:
    // `codes`: how many codes the caller uses. A code that `sensitive` marks may be concluded.
    RowFolder(std::size_t codes, std::span<const std::uint8_t> sensitive)
        : sensitive_(sensitive.begin(), sensitive.end()), local_(codes, -1) {}

    void begin();
    // Codes ascending and distinct. Returns the number of the distinct row.
    std::uint32_t add(std::span<const std::int32_t> row, std::int64_t weight);
    std::size_t count() const { return rows_.count(); }
    std::span<const std::int32_t> row(std::uint32_t number) const { return rows_.row(number); }
    // `total` rows in all: those that were not added hold nothing that matters.
    FoldedRows finish(std::int64_t total);

private:
    void grow();
    std::uint64_t hash(std::span<const std::int32_t> row) const;

    std::vector<std::uint8_t> sensitive_;
    std::vector<std::int32_t> local_;  // code -> item, or -1
    FoldedRows rows_;
    std::vector<std::uint32_t> table_;  // 1 + row
};

// The whole data set; `which`, where given, receives the distinct row of each row. Codes with `dropped` are left out.
FoldedRows fold_all(const Rows& rows, std::span<const std::int64_t> weights, std::int64_t total,
                    std::span<const std::uint8_t> sensitive, std::span<const std::uint8_t> dropped,
                    std::vector<std::uint32_t>* which);

}  // namespace discreet
