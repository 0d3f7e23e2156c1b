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

struct Groups {
    Buffer<std::uint32_t> targets;  // which itemset
    OwnedRows bases;
    Buffer<std::int64_t> counts;
};

struct GroupTask {
    Rows targets;        // itemsets to project on; distinct
    std::int64_t below;  // groups of fewer rows than this are wanted
    unsigned threads;    // 0: on the calling thread, for work that is too small to share and to watch
    unsigned shares() const { return std::max(1u, threads); }
    std::atomic<bool>& stop;
    const std::function<void()>& tick;
};

// Rows, counted as often as `weights` say (once each where that is empty). Groups come by target, then by base (length,
// then items). A target's groups add up to the number of rows; empty groups are not listed.
Groups split_rows(const Rows& rows, std::span<const std::int64_t> weights, const GroupTask& task);
Groups refine_rows(const Rows& rows, std::span<const std::int64_t> weights, std::int64_t total, std::size_t labels,
                   const GroupTask& task);

// Groups by name: the rows that hold all of a base and nothing else of the full set it lies in.
struct NamedGroups {
    Rows fulls;
    std::span<const std::int64_t> which;  // each group's full set
    Rows bases;                           // and its base
};

// 1 for every row that is in any of the groups.
Buffer<std::uint8_t> find_exposed(const Rows& rows, const NamedGroups& groups, std::size_t labels, unsigned threads,
                                  std::atomic<bool>& stop, const std::function<void()>& tick);

// Thrown where supports contradict each other: no data set can have them. `target` says on which itemset it shows.
struct Inconsistent : std::runtime_error {
    explicit Inconsistent(std::size_t which) : std::runtime_error("inconsistent supports"), target(which) {}
    std::size_t target;
};

// Closed itemsets (the empty one left out) with their supports, in a collection of `total` rows. Each target must be
// one whose subsets' closures lie inside it, as those of a maximal itemset do.
Groups split_patterns(const Rows& patterns, std::span<const std::int64_t> supports, std::int64_t total, bool border,
                      const GroupTask& task);

// The split tree holds itemsets as bits, of at most this many items; refine_rows knows no such limit.
constexpr std::size_t most_split_items = 4096;
constexpr std::size_t most_border_items = 20;  // all subsets stand in a table

struct TooLong : std::runtime_error {
    explicit TooLong(std::size_t which) : std::runtime_error("an itemset of more than 4,096 items"), target(which) {}
    std::size_t target;
};

}  // namespace discreet
