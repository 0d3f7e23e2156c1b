#include "sparse.hpp"

#include "dense.hpp"

namespace discreet {

namespace {

// Below the root a table also pays off if it stays in the second-level cache.
bool bitmaps_pay_below(RowLayout layout, std::size_t items, std::size_t rows, std::size_t occurrences) {
    constexpr std::size_t small_table_bytes = std::size_t{1} << 18;
    const std::size_t bytes = items * padded(words_for(rows)) * sizeof(Word);
    return (layout == RowLayout::automatic && bytes <= small_table_bytes) ||
           bitmaps_pay(layout, items, rows, occurrences);
}

// Weight planes are short if heavy rows come first. Rows are in descending weight, so most need no sorting.
template <typename Rank>
void heaviest_first(const RankedRows<Rank>& rows, std::span<std::uint32_t> holders) {
    if (!rows.weights.size()) return;
    const auto light = std::ranges::partition(holders, [&](std::uint32_t row) { return rows.weights[row] > 1; });
    std::sort(holders.begin(), light.begin());
}

// Rows of a bucket are scattered in memory: prefetch those needed soon.
template <typename Rank>
void prefetch(const RankedRows<Rank>& rows, std::span<const std::uint32_t> holders, std::size_t at) {
    if (at + 16 < holders.size()) __builtin_prefetch(&rows.offsets[holders[at + 16]]);
    if (at + 8 < holders.size()) __builtin_prefetch(rows.ranks.data() + rows.offsets[holders[at + 8]]);
}

template <typename Rank>
void build_table(Level& level, const RankedRows<Rank>& rows, std::span<const std::uint32_t> holders,
                 std::span<const std::int32_t> local, std::size_t items) {
    BitmapTable& table = level.table;
    table.rows = holders.size();
    table.words = words_for(table.rows);
    table.stride = padded(table.words);
    Word* bits = table.bits.reserve(items * table.stride);
    std::fill(bits, bits + items * table.stride, 0);
    for (std::size_t r = 0; r < holders.size(); ++r) {
        prefetch(rows, holders, r);
        for (Rank rank : rows.row(holders[r]))
            if (local[rank] >= 0) set_bit(table.bitmap(local[rank]), r);
    }
    std::vector<std::uint32_t> weights;
    if (rows.weights.size())
        for (std::uint32_t row : holders) weights.push_back(rows.weights[row]);
    set_planes(table, weights);
    Word* all = level.rows.reserve(table.stride);
    std::fill(all, all + table.stride, 0);
    for (std::size_t r = 0; r < table.rows; ++r) set_bit(all, r);
}

// Lists the ranks of a node's rows, ascending, unless they are so many that looking at all ranks is faster.
template <typename Rank>
void list_ranks(Worker& worker, const RankedRows<Rank>& rows, std::span<const std::uint32_t> holders) {
    constexpr std::size_t listing_pays = 64;
    std::vector<std::uint32_t>& listed = worker.counted_ranks;
    const std::size_t most = worker.shared.items.size() / listing_pays;
    listed.clear();
    worker.few_counted = holders.size() <= most;
    for (std::size_t h = 0; worker.few_counted && h < holders.size(); ++h) {
        const auto row = rows.row(holders[h]);
        listed.insert(listed.end(), row.begin(), row.end());
        worker.few_counted = listed.size() <= most;
    }
    if (!worker.few_counted) return;
    std::ranges::sort(listed);
    const auto repeated = std::ranges::unique(listed);
    listed.erase(repeated.begin(), repeated.end());
}

// Counts how often each rank occurs in the rows of a node, except its own; returns the support of the node.
template <typename Rank>
std::int64_t count_ranks(Worker& worker, const RankedRows<Rank>& rows, std::size_t rank,
                         std::span<const std::uint32_t> holders) {
    std::vector<std::int64_t>& counts = worker.rank_counts;
    counts.resize(worker.shared.items.size(), 0);
    list_ranks(worker, rows, holders);
    std::int64_t support = 0;
    for (std::size_t h = 0; h < holders.size(); ++h) {
        prefetch(rows, holders, h);
        const std::uint32_t weight = rows.weight(holders[h]);
        support += weight;
        for (Rank other : rows.row(holders[h])) counts[other] += weight;
    }
    for (std::uint32_t taken : worker.prefix_ranks) counts[taken] = 0;
    counts[rank] = 0;
    return support;
}

void forget_counts(Worker& worker) {
    if (worker.few_counted)
        for (std::uint32_t rank : worker.counted_ranks) worker.rank_counts[rank] = 0;
    else
        std::ranges::fill(worker.rank_counts, 0);
}

// Closed and maximal: if an earlier rank is in every row, its branch has already found everything here.
bool is_found_already(const Worker& worker, std::size_t rank, std::int64_t support) {
    if (worker.shared.task.target == Target::all) return false;
    const std::vector<std::int64_t>& counts = worker.rank_counts;
    if (!worker.few_counted) {
        const auto earlier = std::span(counts).first(rank);
        return std::ranges::find(earlier, support) != earlier.end();
    }
    return std::ranges::any_of(worker.counted_ranks,
                               [&](std::uint32_t other) { return other < rank && counts[other] == support; });
}

// Sorts the frequent ranks: those in every row join the prefix, the others become the level's candidates and priors.
// Returns how often these occur.
std::size_t find_extensions(Worker& worker, Level& level, std::size_t rank, std::int64_t support) {
    level.candidates.clear();
    level.priors.clear();
    level.known.clear();
    level.table.ranks.clear();
    const bool all = worker.shared.task.target == Target::all;
    const std::vector<std::int64_t>& counts = worker.rank_counts;
    level.local.resize(counts.size(), -1);
    std::size_t occurrences = 0;
    const auto sort = [&](std::uint32_t other) {
        if (counts[other] < worker.sigma || (all && other < rank)) return;  // all itemsets need no priors
        if (counts[other] == support) {
            (all ? worker.perfect : worker.prefix).push_back(worker.shared.items[other]);
            worker.prefix_ranks.push_back(other);
            return;
        }
        const auto number = static_cast<std::uint32_t>(level.table.ranks.size());
        level.local[other] = static_cast<std::int32_t>(number);
        (other < rank ? level.priors : level.candidates).push_back({counts[other], number});
        level.table.ranks.push_back(other);
        occurrences += static_cast<std::size_t>(counts[other]);
    };
    if (worker.few_counted)
        std::ranges::for_each(worker.counted_ranks, sort);
    else
        for (std::size_t other = all ? rank + 1 : 0; other < counts.size(); ++other)
            sort(static_cast<std::uint32_t>(other));
    return occurrences;
}

void emit_node(Worker& worker, const Level& level, std::int64_t support) {
    switch (worker.shared.task.target) {
        case Target::all:
            worker.emit_subsets(support);
            break;
        case Target::closed:
            worker.emit(support);
            break;
        case Target::maximal:
            if (level.table.ranks.empty()) worker.emit(support);
            break;
    }
}

template <typename Rank>
void search_bitmaps(Worker& worker, Level& level, const RankedRows<Rank>& rows, std::span<std::uint32_t> holders,
                    std::span<const std::int32_t> local, std::size_t depth) {
    heaviest_first(rows, holders);
    build_table(level, rows, std::span<const std::uint32_t>(holders), local, level.table.ranks.size());
    std::ranges::sort(level.candidates, {}, &Candidate::count);
    search_dense(worker, level.table, level.rows.data(), depth);
}

template <typename Rank>
void search_buckets(Worker& worker, const Level& level, const RankedRows<Rank>& rows, std::size_t rank,
                    std::span<const std::uint32_t> holders, std::span<const std::int32_t> local, std::size_t depth) {
    std::vector<std::uint32_t> next_ranks;
    for (const Candidate& candidate : level.candidates) next_ranks.push_back(level.table.ranks[candidate.item]);
    Buckets<Rank> buckets(rows, local);
    for (std::uint32_t row : holders) buckets.put(row, rank + 1);
    Buffer<std::uint32_t> next_holders;
    for (std::uint32_t next : next_ranks) {
        buckets.take(next, next_holders);
        search_rank<Rank>(worker, rows, next, {next_holders.data(), next_holders.size()}, depth + 1);
    }
}

}  // namespace

template <typename Rank>
void Buckets<Rank>::put(std::uint32_t row, std::size_t first) {
    const auto ranks = rows_.row(row);
    for (auto at = std::ranges::lower_bound(ranks, static_cast<Rank>(first)); at != ranks.end(); ++at)
        if (wanted_[*at] >= 0) return buckets_[*at].push_back(row);
}

template <typename Rank>
void Buckets<Rank>::take(std::size_t rank, Buffer<std::uint32_t>& rows) {
    rows = Buffer<std::uint32_t>();
    rows.swap(buckets_[rank]);
    const std::span<const std::uint32_t> holders(rows.data(), rows.size());
    for (std::size_t h = 0; h < holders.size(); ++h) {
        prefetch(rows_, holders, h);
        put(holders[h], rank + 1);
    }
}

template <typename Rank>
void search_rank(Worker& worker, const RankedRows<Rank>& rows, std::size_t rank, std::span<std::uint32_t> holders,
                 std::size_t depth) {
    worker.breathe();
    const std::int64_t support = count_ranks<Rank>(worker, rows, rank, holders);
    if (support < worker.sigma || is_found_already(worker, rank, support)) return forget_counts(worker);

    const std::size_t prefix_before = worker.prefix.size();
    const std::size_t ranks_before = worker.prefix_ranks.size();
    const std::size_t perfect_before = worker.perfect.size();
    worker.prefix.push_back(worker.shared.items[rank]);
    worker.prefix_ranks.push_back(static_cast<std::uint32_t>(rank));
    Level& level = worker.level(depth);
    const std::size_t occurrences = find_extensions(worker, level, rank, support);
    forget_counts(worker);
    const std::vector<std::uint32_t> extending = level.table.ranks;
    emit_node(worker, level, support);
    if (!level.candidates.empty() && worker.prefix.size() < worker.cap) {
        const std::size_t items = level.table.ranks.size();
        if (bitmaps_pay_below(worker.shared.task.layout, items, holders.size(), occurrences))
            search_bitmaps(worker, level, rows, holders, level.local, depth);
        else
            search_buckets<Rank>(worker, level, rows, rank, holders, level.local, depth);
    }
    for (std::uint32_t other : extending) level.local[other] = -1;
    worker.prefix.resize(prefix_before);
    worker.prefix_ranks.resize(ranks_before);
    worker.perfect.resize(perfect_before);
}

template class Buckets<std::uint16_t>;
template class Buckets<std::uint32_t>;
template void search_rank(Worker&, const RankedRows<std::uint16_t>&, std::size_t, std::span<std::uint32_t>,
                          std::size_t);
template void search_rank(Worker&, const RankedRows<std::uint32_t>&, std::size_t, std::span<std::uint32_t>,
                          std::size_t);

}  // namespace discreet
