// How rows fall into groups when all one may look at are the items of one itemset.
//
// The projection of a row on an itemset M is what it holds of M. Rows of equal projection form a group: they hold the
// items of a base I and none of M \ I, and their number is f_I^M of atzori2008. Three ways to the same groups:
//   split_rows      rows as bitmasks, projected and folded down a tree over all itemsets (dense data)
//   refine_rows     tid-lists refining a partition along a trie of all itemsets (sparse data)
//   split_patterns  no rows: closed itemsets and their supports go down the same tree, each leaf solves for its groups
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

// Sorted by target, then by base (length, then items). A target's groups add up to the number of rows; empty groups are
// not listed.
struct Groups {
    Buffer<std::uint32_t> targets;  // index of the itemset
    OwnedRows bases;
    Buffer<std::int64_t> counts;
    Buffer<std::int64_t> having;  // with `ItemShares`: how many of the rows hold the target's item too
};

// Asks for groups by the share of their rows that hold one more item: at least `above` / `below`.
struct ItemShares {
    std::span<const std::int32_t> items;  // of each target, one item; a group is made of the others
    std::int64_t above;
    std::int64_t below;

    bool reached(std::int64_t having, std::int64_t rows) const {
        return having > 0 && Product(having) * below >= Product(rows) * above;
    }

private:
    __extension__ using Product = __int128;
};

struct GroupTask {
    Rows targets;        // itemsets to project on; distinct
    std::int64_t below;  // only groups of fewer rows are returned
    unsigned threads;    // 0: on the calling thread, for work too small for threads and progress
    unsigned shares() const { return std::max(1u, threads); }
    std::atomic<bool>& stop;
    const std::function<void()>& tick;
    const ItemShares* item_shares = nullptr;  // then `below` does not count; only for `split_patterns`
};

// Thrown if supports contradict each other: no data set can have them. `target` is the itemset on which it was found.
struct Inconsistent : std::runtime_error {
    explicit Inconsistent(std::size_t which) : std::runtime_error("inconsistent supports"), target(which) {}
    std::size_t target;
};

}  // namespace discreet
