#include "mining.hpp"

#include <array>
#include <numeric>

#include "crew.hpp"
#include "dense.hpp"
#include "sparse.hpp"
#include "tables.hpp"

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

// How many threads read the rows, if so many rows are worth one.
std::size_t parts_of(const MiningTask& task, std::size_t worth_a_thread) {
    return std::clamp<std::size_t>(task.rows.count() / worth_a_thread, 1, std::max(1u, task.threads));
}

// Cuts the rows into parts, one for a thread, and calls `work` with the number of each, its first row and its end.
template <typename Work>
void each_part(const MiningTask& task, std::size_t parts, Watch& watch, const std::function<void()>& tick, Work work) {
    const std::size_t rows = task.rows.count();
    run_crew(parts > 1 ? static_cast<unsigned>(parts) : 0, watch.stop, tick,
             [&](std::size_t part) { work(part, rows * part / parts, rows * (part + 1) / parts); });
}

Frequent find_frequent(const MiningTask& task, std::vector<std::int32_t>& rank_of, Watch& watch,
                       const std::function<void()>& tick) {
    struct Part {
        std::vector<std::int64_t> supports;
        std::size_t occurrences = 0;
        std::size_t rows = 0;
    };
    std::vector<Part> parts(parts_of(task, std::max(std::size_t{1} << 15, task.labels)));
    each_part(task, parts.size(), watch, tick, [&](std::size_t part, std::size_t first, std::size_t last) {
        parts[part].supports.assign(task.labels, 0);
        item_supports(task.rows, task.weights, first, last, parts[part].supports);
    });
    std::vector<std::int64_t>& supports = parts.front().supports;
    for (const Part& part : std::span(parts).subspan(1))
        std::ranges::transform(supports, part.supports, supports.begin(), std::plus{});

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
    each_part(task, parts.size(), watch, tick, [&](std::size_t part, std::size_t first, std::size_t last) {
        std::size_t occurrences = 0;
        std::size_t rows = 0;
        for (std::size_t r = first; r < last; ++r) {
            std::size_t ranked = 0;
            for (std::int32_t item : task.rows.row(r)) ranked += rank_of[item] >= 0;
            occurrences += ranked;
            rows += ranked > 0;
        }
        parts[part].occurrences = occurrences;
        parts[part].rows = rows;
    });
    for (const Part& part : parts) {
        frequent.occurrences += part.occurrences;
        frequent.rows += part.rows;
    }
    return frequent;
}

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

// Rows that are worth a thread of their own while they are ranked or folded.
constexpr std::size_t worth_a_thread = 4096;

// The distinct rows of frequent items.
DistinctRows fold_rows(const MiningTask& task, std::span<const std::int32_t> rank_of, RowBits form, Watch& watch,
                       const std::function<void()>& tick) {
    std::vector<DistinctRows> folded(parts_of(task, worth_a_thread));
    each_part(task, folded.size(), watch, tick, [&](std::size_t part, std::size_t first, std::size_t last) {
        DistinctRows distinct(form);
        std::vector<Word> row(std::max<std::size_t>(1, form.words()));
        for (std::size_t r = first; r < last; ++r) {
            std::ranges::fill(row, 0);
            bool any = false;
            for (std::int32_t item : task.rows.row(r))
                if (rank_of[item] >= 0) set_bit(row.data(), rank_of[item]), any = true;
            if (any) distinct.add(row.data(), task.weights.empty() ? 1u : static_cast<std::uint32_t>(task.weights[r]));
        }
        folded[part] = std::move(distinct);
    });
    for (DistinctRows& part : std::span(folded).subspan(1)) folded.front().add(std::exchange(part, {}));
    return std::move(folded.front());
}

void mine_dense(std::span<const std::int32_t> rank_of, const Frequent& frequent, Shared& shared,
                std::vector<std::unique_ptr<Worker>>& crew, const std::function<void()>& tick) {
    BitmapTable table;
    table.ranks.resize(frequent.items.size());
    std::iota(table.ranks.begin(), table.ranks.end(), 0u);
    const RowBits form{.telling = frequent.items.size(), .items = frequent.items.size()};
    set_rows(table, fold_rows(shared.task, rank_of, form, shared.watch, tick), form);
    std::atomic<std::size_t> next{0};
    run_crew(crew.size(), shared.watch.stop, tick, [&](unsigned number) {
        Worker& worker = *crew[number];
        Level& root = worker.level(0);
        Word* all = root.rows.reserve(std::max<std::size_t>(1, table.stride));
        set_all_rows(table, all);
        root.joins = shared.task.target != Target::maximal;
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
    const std::size_t parts = parts_of(task, worth_a_thread);
    const std::size_t units = (frequent.occurrences + frequent.rows * form.extra()) / parts;
    std::vector<std::unique_ptr<Shard<Rank>>> shards(parts);
    each_part(task, parts, shared.watch, tick, [&](std::size_t part, std::size_t first, std::size_t last) {
        shards[part] = std::make_unique<Shard<Rank>>(form, frequent.items.size(), units);
        Buckets<Rank>& buckets = shards[part]->buckets;
        each_ranked<Rank>(task, rank_of, frequent, first, last,
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
            mine_dense(rank_of, frequent, shared, crew, tick);
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
    const Frequent frequent = find_frequent(task, rank_of, watch, tick);
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (frequent.occurrences > most || static_cast<std::uint64_t>(task.total) > most) throw TooLarge();
    if (frequent.items.size() <= std::numeric_limits<std::uint16_t>::max())
        return mine_ranked<std::uint16_t>(task, frequent, rank_of, watch, tick);
    return mine_ranked<std::uint32_t>(task, frequent, rank_of, watch, tick);
}

}  // namespace discreet
