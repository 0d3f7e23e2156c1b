// Frequent itemsets, exactly: all, closed, or maximal.
//
// Problem     given weighted rows and sigma, find every itemset that occurs in at least sigma rows (all), those that no
//             larger itemset of the same support contains (closed), or that no larger frequent itemset contains
//             (maximal).
// Method      depth first over items in ascending support, as in LCM (Uno, Kiyomi, Arimura 2004). Where rows are dense
//             or few they stand as bitmaps (dense.hpp), where they are many and sparse as lists (sparse.hpp), which
//             turn into bitmaps one item down. Dense rows that are equal in all that a branch looks at become one row
//             with a weight, so time grows with the distinct rows. A closed set is reached once: a branch whose rows
//             all hold an item that was branched on before ("prior") repeats sets found there and is left.
// Promises    the same itemsets and supports as the definition; canonical order whatever the number of threads.
// Cost        time linear in the number of closed sets times items times rows/64; memory: the frequent part of the rows
//             at two bytes an item, one bitmap table per level and thread, and sixteen to thirty-two bytes an
//             itemset while they are ordered.
// Departures  candidates are ordered by conditional support at every level, not once; this needs the prior items to be
//             handed down, which the fixed order of the paper gives for free.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>

#include "found.hpp"
#include "rows.hpp"

namespace discreet {

enum class Target { all, closed, maximal };

// The representation of rows during the search. All three give the same answer; `automatic` is the fast one.
enum class RowLayout { automatic, bitmaps, lists };

struct MiningTask {
    Rows rows;
    std::span<const std::int64_t> weights;  // empty: every row counts once
    std::int64_t total;                     // the total weight of the rows
    std::int64_t sigma;                     // at least 1
    std::size_t labels;                     // items are 0 .. labels - 1
    Target target;
    std::size_t cap;  // longest itemset to report; applied after closed and maximal are decided
    std::uint64_t max_patterns;
    std::uint64_t max_bytes;
    unsigned threads;
    RowLayout layout;
    bool keep = true;                // closed: otherwise itemsets are only counted
    std::uint64_t most_singly = ~0;  // so many may be counted one by one: TooMany beyond, as if there were too many
};

// The progress of mining; read by the calling thread while workers write.
struct Watch {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> found{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint32_t> done{0};  // root items finished
    std::atomic<std::uint32_t> total{1};
};

struct TooMany : std::runtime_error {
    TooMany() : std::runtime_error("too many patterns") {}
    std::uint64_t found = 0;  // there are at least this many
};

struct TooLarge : std::runtime_error {
    TooLarge() : std::runtime_error("more than 4,294,967,295 rows or frequent items in them") {}
};

// Runs `tick` on the calling thread a few times a second while workers mine; an exception from it stops them. Throws
// TooLarge for data beyond 32 bits, TooMany if a limit is exceeded. The number of itemsets is in `watch.found`, also if
// they are not kept.
Mined mine(const MiningTask& task, Watch& watch, const std::function<void()>& tick);

}  // namespace discreet
