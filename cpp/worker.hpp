// The state of one mining thread: the task, its results, and scratch memory for each level of the search.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "bitmaps.hpp"
#include "crew.hpp"
#include "distinct_rows.hpp"
#include "mining.hpp"

namespace discreet {

// An item of a bitmap table and how many rows of the current node contain it.
struct Candidate {
    std::int64_t count;
    std::uint32_t item;
};

// One bit of the rows' weights, for the first `words` words: rows are in descending weight, so high planes are short.
struct Plane {
    std::size_t start;
    std::size_t words;
};

// What a row of a table built from lists holds of the ranks before the one that the table is for: a bit for each that
// is frequent together with it, and where the row is. Where there are more such ranks than bits, the most frequent ones
// have a bit of their own and the others share. Rows that have no bit in common have no such rank in common, which is
// nearly always seen after two or three of them.
struct EarlierRanks {
    std::uint64_t bits;
    std::uint32_t place;
};

// Answers what those bits leave open, from the rows themselves.
class EarlierRows {
public:
    virtual ~EarlierRows() = default;
    // Whether an earlier rank is in all rows at these places.
    virtual bool share(std::span<const std::uint32_t> places) = 0;
    // Whether an earlier rank with one of these bits is in enough of them to be frequent.
    virtual bool share_often(std::span<const std::uint32_t> places, std::uint64_t bits) = 0;
};

// Rows as one bitmap per item.
struct BitmapTable {
    std::size_t rows = 0;
    std::size_t words = 0;
    std::size_t stride = 0;
    Words bits;
    std::vector<std::uint32_t> ranks;  // local item -> rank among the frequent items
    std::vector<Plane> planes;         // empty if every row counts once
    Words plane_bits;
    std::vector<EarlierRanks> earlier;  // by row; empty if earlier ranks have bitmaps, or nobody asks for them
    std::uint64_t own_bits = 0;         // bits of one earlier rank alone

    Word* bitmap(std::size_t item) { return bits.data() + item * stride; }
    const Word* bitmap(std::size_t item) const { return bits.data() + item * stride; }
    const Word* plane(std::size_t p) const { return plane_bits.data() + planes[p].start; }
};

// Maximal itemsets known so far, as bitmaps over ranks; a new one must not be contained in any.
class MaximalStore {
public:
    explicit MaximalStore(std::size_t ranks) : words_(std::max<std::size_t>(1, words_for(ranks))) {}
    std::size_t words() const { return words_; }
    std::size_t size() const { return masks_.size() / words_; }
    const Word* mask(std::size_t i) const { return masks_.data() + i * words_; }
    std::size_t longest() const { return longest_; }
    // `items` is at least how many items it has.
    void add(const Word* mask, std::size_t items) {
        masks_.insert(masks_.end(), mask, mask + words_);
        longest_ = std::max(longest_, items);
    }
    void clear() {
        masks_.clear();
        longest_ = 0;
    }

private:
    std::size_t words_;
    std::vector<Word> masks_;
    std::size_t longest_ = 0;  // none has more items
};

// Scratch of one level of the search; reused by every node of that level.
struct Level {
    Words rows;                         // the rows of the node
    Words masked;                       // the same under one weight plane
    std::vector<Candidate> candidates;  // items that may extend the node, ascending by count
    std::vector<Candidate> priors;      // items branched on before; count is an upper bound
    std::vector<std::uint32_t> which;
    std::vector<std::int64_t> counts;
    BitmapTable table;                 // a smaller table for the nodes below, if it pays off
    std::vector<std::int32_t> local;   // by rank: its number in that table, -1 if it does not extend the node
    std::vector<std::uint32_t> known;  // maximal sets that contain the node
    std::vector<Word> tail;            // maximal: candidates from `tail_from` on, by rank
    std::size_t tail_from = no_tail;
    bool joins = false;  // whether it is worth looking for equal rows in the tables below
    static constexpr std::size_t no_tail = ~std::size_t{0} - 1;
};

struct Shared {
    const MiningTask& task;
    Watch& watch;
    std::vector<std::int32_t> items;  // rank -> item
    std::mutex maximal_mutex;
    MaximalStore maximal;

    Shared(const MiningTask& given, Watch& watched, std::vector<std::int32_t> ranked)
        : task(given), watch(watched), items(std::move(ranked)), maximal(items.size()) {}
};

// Bytes per itemset and per item until the result is complete: as found, as sorted, as returned.
constexpr std::uint64_t set_bytes = 12 + 2 * 16 + 16;
constexpr std::uint64_t item_bytes = 4 + 4;

struct Worker {
    Shared& shared;
    const BitmapLoops& loops = bitmap_loops();
    const std::int64_t sigma = shared.task.sigma;
    const std::size_t cap = shared.task.cap;
    Found found;
    std::uint64_t counted = 0;                // itemsets that were found and not kept
    std::uint64_t singly = 0;                 // of these, one by one
    std::vector<std::int32_t> prefix;         // items of the node, as in the vocabulary
    std::vector<std::uint32_t> prefix_ranks;  // maximal: the same by rank
    std::vector<std::int32_t> perfect;        // all: items in every row of the node that are not in the prefix
    MaximalStore maximal;                     // those of `shared` seen so far, and this worker's own
    std::size_t maximal_seen = 0;             // of the shared ones
    std::size_t maximal_shared = 0;           // of this worker's
    std::vector<std::unique_ptr<Level>> levels;
    std::vector<std::uint32_t> rank_counts;   // of a node, all 0 between nodes
    std::vector<Word> seen_ranks;             // as a bitmap: those that are not 0, if they are few
    std::vector<std::uint32_t> seen_words;    // the words of it that are not 0
    std::vector<std::uint64_t> earlier_bits;  // by rank: its bit among earlier ranks; 0 if it has none
    std::vector<std::uint32_t> common_ranks;  // scratch: those in every row so far
    std::vector<std::uint32_t> places;        // scratch: of the rows of a node
    DistinctRows distinct;                    // scratch: of a table
    EarlierRows* earlier_rows = nullptr;      // of the table in use, if it has no bitmaps for earlier ranks

    explicit Worker(Shared& all) : shared(all), maximal(all.items.size()) {}

    std::int32_t item(const BitmapTable& table, std::uint32_t local) const { return shared.items[table.ranks[local]]; }

    Level& level(std::size_t depth) {
        while (levels.size() <= depth) levels.push_back(std::make_unique<Level>());
        return *levels[depth];
    }

    // Ends the search if it was stopped; called once per node.
    void breathe() {
        if (found.size() + counted - reported_sets >= 4096) report();
        if (shared.watch.stop.load(std::memory_order_relaxed)) throw Stopped{};
    }

    void report() {
        const std::uint64_t sets = found.size() + counted;
        const std::uint64_t items = found.item_count();
        const std::uint64_t before = shared.watch.found.fetch_add(sets - reported_sets);
        const std::uint64_t kept = shared.task.keep ? sets - reported_sets : 0;
        const std::uint64_t more = kept * set_bytes + (items - reported_items) * item_bytes;
        const std::uint64_t bytes = shared.watch.bytes.fetch_add(more) + more;
        const bool over = before + sets - reported_sets > shared.task.max_patterns || bytes > shared.task.max_bytes ||
                          singly > shared.task.most_singly;
        reported_sets = sets;
        reported_items = items;
        if (over) {
            shared.watch.stop = true;
            throw TooMany{};
        }
    }

    void emit(std::int64_t support) {
        if (prefix.empty() || prefix.size() > cap) return;
        if (shared.task.keep)
            found.add(prefix, support);
        else
            ++counted, ++singly;
    }

    // all: the prefix with every subset of the perfect items.
    void emit_subsets(std::int64_t support);

private:
    // Stops before writing more subsets than fit into memory.
    void announce(std::size_t items, std::size_t extra);

    std::vector<std::int32_t> sorted_prefix;
    std::vector<std::int32_t> sorted_perfect;
    std::uint64_t reported_sets = 0;
    std::uint64_t reported_items = 0;
};

}  // namespace discreet
