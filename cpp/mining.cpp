#include "mining.hpp"

#include <array>
#include <numeric>

#include "crew.hpp"
#include "dense.hpp"
#include "sparse.hpp"

namespace discreet {

void Worker::emit_subsets(std::int64_t support) {
    std::vector<std::int32_t>& items = sorted_prefix;
    items.assign(prefix.begin(), prefix.end());
    std::ranges::sort(items);
    if (perfect.empty()) {
        if (!items.empty() && items.size() <= cap) found.add(items, support);
        return;
    }
    sorted_perfect.assign(perfect.begin(), perfect.end());
    std::ranges::sort(sorted_perfect);
    announce(items.size(), perfect.size());
    found.add_with_subsets(items, sorted_perfect, cap, support);
}

void Worker::announce(std::size_t items, std::size_t extra) {
    constexpr std::uint64_t plenty = std::uint64_t{1} << 60;
    std::uint64_t sets = 0;
    unsigned __int128 choices = 1;  // extra choose size
    for (std::size_t size = 0; size <= extra && items + size <= cap; ++size) {
        if (choices >= plenty || (sets += static_cast<std::uint64_t>(choices)) >= plenty) {
            sets = plenty;
            break;
        }
        choices = choices * (extra - size) / (size + 1);
    }
    if (items == 0) --sets;  // the empty itemset is not reported
    if (sets < 4096) return;
    report();
    const std::uint64_t bytes = sets > plenty / 1024 ? plenty : sets * (set_bytes + item_bytes * (items + extra / 2));
    if (shared.watch.found + sets > shared.task.max_patterns || shared.watch.bytes + bytes > shared.task.max_bytes) {
        shared.watch.found += sets;
        shared.watch.stop = true;
        throw TooMany{};
    }
}

namespace {

// The frequent items, and what is left of the rows.
struct Frequent {
    std::vector<std::int32_t> items;       // rank -> item; ascending support, without those in every row
    std::vector<std::int64_t> supports;    // by rank
    std::vector<std::int32_t> everywhere;  // items in every row
    std::size_t occurrences = 0;           // of ranked items in stored rows
    std::size_t rows = 0;                  // stored rows with any of them
};

Frequent find_frequent(const MiningTask& task, std::vector<std::int32_t>& rank_of) {
    std::vector<std::int64_t> supports(task.labels, 0);
    item_supports(task.rows, task.weights, supports);
    Frequent frequent;
    for (std::size_t item = 0; item < task.labels; ++item) {
        if (supports[item] < task.sigma) continue;
        if (supports[item] == task.total)
            frequent.everywhere.push_back(static_cast<std::int32_t>(item));
        else
            frequent.items.push_back(static_cast<std::int32_t>(item));
    }
    std::ranges::stable_sort(frequent.items, {}, [&](std::int32_t item) { return supports[item]; });
    rank_of.assign(task.labels, -1);
    for (std::size_t rank = 0; rank < frequent.items.size(); ++rank) {
        rank_of[frequent.items[rank]] = static_cast<std::int32_t>(rank);
        frequent.supports.push_back(supports[frequent.items[rank]]);
    }
    for (std::size_t r = 0; r < task.rows.count(); ++r) {
        std::size_t ranked = 0;
        for (std::int32_t item : task.rows.row(r)) ranked += rank_of[item] >= 0;
        frequent.occurrences += ranked;
        frequent.rows += ranked > 0;
    }
    return frequent;
}

// Rows of ascending ranks; two bytes per rank if there are few enough.
template <typename Rank>
struct RankedRows {
    Buffer<std::uint32_t> offsets;  // four billion occurrences of frequent items are more than one machine mines
    Buffer<Rank> ranks;
    Buffer<std::uint32_t> weights;  // empty: every row counts once

    std::size_t count() const { return offsets.size() - 1; }
    std::span<const Rank> row(std::size_t r) const { return {ranks.data() + offsets[r], offsets[r + 1] - offsets[r]}; }
    std::uint32_t weight(std::size_t r) const { return weights.size() ? weights[r] : 1; }
};

// Most rows are short: counting how many ranks are smaller takes no branch that could be mispredicted.
template <typename Rank>
void sort_ranks(std::vector<Rank>& ranks) {
    constexpr std::size_t short_row = 16;
    if (ranks.size() > short_row) {
        std::ranges::sort(ranks);
        return;
    }
    std::array<Rank, short_row> given;
    given.fill(std::numeric_limits<Rank>::max());
    std::ranges::copy(ranks, given.begin());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        Rank smaller = 0;
        for (std::size_t j = 0; j < short_row; ++j) smaller += given[j] < given[i];
        ranks[smaller] = given[i];
    }
}

// Calls `visit` with every row from `first` up to `last` that is not empty, as ascending ranks, and its weight.
template <typename Rank, typename Visit>
void each_ranked(const MiningTask& task, std::span<const std::int32_t> rank_of, const Frequent& frequent,
                 std::size_t first, std::size_t last, Visit visit) {
    std::vector<Rank> ranks;
    std::vector<Word> mask(words_for(frequent.items.size()), 0);
    const bool by_mask = mask.size() <= 4;  // few ranks: setting bits sorts faster than comparing
    for (std::size_t r = first; r < last; ++r) {
        ranks.clear();
        if (by_mask) {
            for (std::int32_t item : task.rows.row(r))
                if (rank_of[item] >= 0) set_bit(mask.data(), rank_of[item]);
            for (std::size_t w = 0; w < mask.size(); ++w)
                for (Word left = std::exchange(mask[w], 0); left; left &= left - 1)
                    ranks.push_back(static_cast<Rank>(w * bits_per_word + std::countr_zero(left)));
        } else {
            for (std::int32_t item : task.rows.row(r))
                if (rank_of[item] >= 0) ranks.push_back(static_cast<Rank>(rank_of[item]));
            sort_ranks(ranks);
        }
        if (!ranks.empty())
            visit(std::span<const Rank>(ranks),
                  task.weights.empty() ? 1u : static_cast<std::uint32_t>(task.weights[r]));
    }
}

template <typename Rank>
RankedRows<Rank> rank_rows(const MiningTask& task, std::span<const std::int32_t> rank_of, const Frequent& frequent) {
    RankedRows<Rank> ranked;
    ranked.ranks.resize(frequent.occurrences);
    ranked.offsets.push_back(0);
    Rank* place = ranked.ranks.data();
    const std::size_t count = task.rows.count();
    each_ranked<Rank>(task, rank_of, frequent, 0, count, [&](std::span<const Rank> ranks, std::uint32_t weight) {
        place = std::ranges::copy(ranks, place).out;
        ranked.offsets.push_back(static_cast<std::uint32_t>(place - ranked.ranks.data()));
        if (!task.weights.empty()) ranked.weights.push_back(weight);
    });
    return ranked;
}

// Folds equal rows into one with their weight, heaviest first.
template <typename Rank>
RankedRows<Rank> fold_ranked(RankedRows<Rank> ranked) {
    const std::size_t count = ranked.count();
    std::vector<std::uint32_t> table(std::bit_ceil(count + count / 2 + 2), 0);  // 1 + index among the distinct
    std::vector<std::uint32_t> firsts;
    std::vector<std::uint32_t> weights;
    for (std::size_t r = 0; r < count; ++r) {
        const auto row = ranked.row(r);
        std::uint64_t hash = row.size();
        for (Rank rank : row) hash = (hash ^ rank) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
        std::size_t slot = (hash * 0xbf58476d1ce4e5b9u >> 20) & (table.size() - 1);
        while (table[slot] && !std::ranges::equal(ranked.row(firsts[table[slot] - 1]), row))
            slot = (slot + 1) & (table.size() - 1);
        if (table[slot]) {
            weights[table[slot] - 1] += ranked.weight(r);
        } else {
            firsts.push_back(static_cast<std::uint32_t>(r));
            weights.push_back(ranked.weight(r));
            table[slot] = static_cast<std::uint32_t>(firsts.size());
        }
    }
    if (firsts.size() == count && !ranked.weights.size()) return ranked;

    std::vector<std::uint32_t> order(firsts.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t i) { return weights[i]; });
    RankedRows<Rank> folded;
    std::size_t size = 0;
    for (std::uint32_t i : order) size += ranked.row(firsts[i]).size();
    folded.ranks.resize(size);
    folded.offsets.push_back(0);
    Rank* place = folded.ranks.data();
    for (std::uint32_t i : order) {
        place = std::ranges::copy(ranked.row(firsts[i]), place).out;
        folded.offsets.push_back(static_cast<std::uint32_t>(place - folded.ranks.data()));
        folded.weights.push_back(weights[i]);
    }
    return folded;
}

template <typename Rank>
BitmapTable make_table(const RankedRows<Rank>& rows, std::size_t ranks) {
    BitmapTable table;
    table.rows = rows.count();
    table.words = words_for(table.rows);
    table.stride = padded(table.words);
    table.ranks.resize(ranks);
    std::iota(table.ranks.begin(), table.ranks.end(), 0u);
    Word* bits = table.bits.reserve(std::max<std::size_t>(1, ranks) * table.stride);
    std::fill(bits, bits + ranks * table.stride, 0);
    for (std::size_t r = 0; r < rows.count(); ++r)
        for (Rank rank : rows.row(r)) set_bit(table.bitmap(rank), r);
    set_planes(table, {rows.weights.data(), rows.weights.size()});
    return table;
}

std::vector<std::unique_ptr<Worker>> make_crew(Shared& shared, std::span<const std::int32_t> everywhere) {
    std::vector<std::unique_ptr<Worker>> crew;
    for (unsigned t = 0; t < std::max(1u, shared.task.threads); ++t) {
        crew.push_back(std::make_unique<Worker>(shared));
        Worker& worker = *crew.back();
        (shared.task.target == Target::all ? worker.perfect : worker.prefix)
            .assign(everywhere.begin(), everywhere.end());
    }
    return crew;
}

template <typename Rank>
void mine_dense(const RankedRows<Rank>& rows, const Frequent& frequent, Shared& shared,
                std::vector<std::unique_ptr<Worker>>& crew, const std::function<void()>& tick) {
    const BitmapTable table = make_table(rows, frequent.items.size());
    std::atomic<std::size_t> next{0};
    run_crew(crew.size(), shared.watch.stop, tick, [&](unsigned number) {
        Worker& worker = *crew[number];
        Level& root = worker.level(0);
        Word* all = root.rows.reserve(std::max<std::size_t>(1, table.stride));
        std::fill(all, all + table.stride, 0);
        for (std::size_t r = 0; r < table.rows; ++r) set_bit(all, r);
        for (std::size_t rank = 0; rank < frequent.items.size(); ++rank)
            root.candidates.push_back({frequent.supports[rank], static_cast<std::uint32_t>(rank)});
        for (std::size_t branch; (branch = next++) < root.candidates.size();) {
            worker.breathe();
            if (shared.task.target == Target::maximal) {
                learn_maximal(worker);
                root.known.resize(worker.maximal.size());
                std::iota(root.known.begin(), root.known.end(), 0u);
            }
            search_branch(worker, table, all, 0, branch);
            ++shared.watch.done;
        }
        worker.report();
    });
}

// A part of the rows, and who is taking from it.
template <typename Rank>
struct Shard {
    Buckets<Rank> buckets;
    std::mutex mutex;

    Shard(RowForm<Rank> form, std::size_t ranks, std::size_t units) : buckets(form, ranks, units) {}
};

// Every thread ranks a part of the rows. Then each takes the next rank's rows from one part after another, while the
// thread behind it takes from the parts it has left: a part's lock is held until the next one's is, so ranks stay in
// order everywhere.
template <typename Rank>
void mine_sparse(const Frequent& frequent, std::span<const std::int32_t> rank_of, Shared& shared,
                 std::vector<std::unique_ptr<Worker>>& crew, const std::function<void()>& tick) {
    const MiningTask& task = shared.task;
    const RowForm<Rank> form{.whole = task.target != Target::all, .weighted = !task.weights.empty()};
    constexpr std::size_t worth_a_shard = 4096;
    const std::size_t rows = task.rows.count();
    const std::size_t parts = std::clamp<std::size_t>(rows / worth_a_shard, 1, crew.size());
    const std::size_t units = (frequent.occurrences + frequent.rows * form.extra()) / parts;
    std::vector<std::unique_ptr<Shard<Rank>>> shards(parts);
    run_crew(static_cast<unsigned>(parts), shared.watch.stop, tick, [&](unsigned part) {
        shards[part] = std::make_unique<Shard<Rank>>(form, frequent.items.size(), units);
        Buckets<Rank>& buckets = shards[part]->buckets;
        each_ranked<Rank>(task, rank_of, frequent, rows * part / parts, rows * (part + 1) / parts,
                          [&](std::span<const Rank> ranks, std::uint32_t weight) { buckets.put(ranks, 0, weight); });
    });
    std::size_t next = 0;  // under the first shard's lock
    run_crew(crew.size(), shared.watch.stop, tick, [&](unsigned number) {
        Worker& worker = *crew[number];
        Buffer<Rank> taken;
        while (true) {
            taken.resize(0);
            std::unique_lock lock(shards.front()->mutex);
            if (next == frequent.items.size()) break;
            const std::size_t rank = next++;
            for (std::size_t part = 0; part < parts; ++part) {
                shards[part]->buckets.take(rank, taken);
                lock = part + 1 < parts ? std::unique_lock(shards[part + 1]->mutex) : std::unique_lock<std::mutex>();
            }
            worker.maximal.clear();
            search_rank<Rank>(worker, form, rank, taken, 0);
            ++shared.watch.done;
        }
        worker.report();
    });
}

template <typename Rank>
Mined mine_ranked(const MiningTask& task, const Frequent& frequent, std::span<const std::int32_t> rank_of, Watch& watch,
                  const std::function<void()>& tick) {
    const bool dense = bitmaps_pay(task.layout, frequent.items.size(), frequent.rows, frequent.occurrences);
    watch.total = static_cast<std::uint32_t>(frequent.items.size());
    Shared shared(task, watch, frequent.items);
    auto crew = make_crew(shared, frequent.everywhere);

    try {
        // The empty itemset is not reported; its closure may be larger.
        Worker& first = *crew.front();
        if (task.target == Target::all)
            first.emit_subsets(task.total);
        else if (task.target == Target::closed || frequent.items.empty())
            first.emit(task.total);

        if (dense)
            mine_dense(fold_ranked(rank_rows<Rank>(task, rank_of, frequent)), frequent, shared, crew, tick);
        else  // sparse rows are seldom equal, and folding needs memory for two copies
            mine_sparse<Rank>(frequent, rank_of, shared, crew, tick);
    } catch (TooMany& limit) {
        limit.found = watch.found;  // by all workers
        throw;
    }
    std::vector<Found> found;
    for (auto& worker : crew) found.push_back(std::move(worker->found));
    crew.clear();
    return canonical(found, task.labels, task.threads);
}

}  // namespace

Mined mine(const MiningTask& task, Watch& watch, const std::function<void()>& tick) {
    if (task.total < task.sigma) {
        std::vector<Found> none;
        return canonical(none, task.labels, 1);
    }
    std::vector<std::int32_t> rank_of;
    const Frequent frequent = find_frequent(task, rank_of);
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (frequent.occurrences > most || static_cast<std::uint64_t>(task.total) > most) throw TooLarge();
    if (frequent.items.size() <= std::numeric_limits<std::uint16_t>::max())
        return mine_ranked<std::uint16_t>(task, frequent, rank_of, watch, tick);
    return mine_ranked<std::uint32_t>(task, frequent, rank_of, watch, tick);
}

}  // namespace discreet
