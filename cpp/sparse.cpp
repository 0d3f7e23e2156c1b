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

// The rows of a node and how often they count.
struct Counted {
    std::size_t rows = 0;
    std::int64_t support = 0;
};

// Adds to the counts of ranks, and notes which have one: in a bitmap, and which of its words where these are few, so
// that the time is in proportion to what is counted, not to all ranks.
template <bool Few, typename Rank>
void add_counts(Worker& worker, std::uint32_t* counts, Word* seen, std::span<const Rank> ranks, std::uint32_t weight) {
    for (Rank rank : ranks) {
        counts[rank] += weight;
        Word& word = seen[rank / bits_per_word];
        if (Few && !word) worker.seen_words.push_back(static_cast<std::uint32_t>(rank / bits_per_word));
        word |= Word{1} << rank % bits_per_word;
    }
}

// Counts the ranks that `part` chooses of every row.
template <typename Rank, typename Part>
Counted count_ranks(Worker& worker, RowForm<Rank> form, std::span<const Rank> rows, Part part) {
    std::uint32_t* counts = worker.rank_counts.data();
    Word* seen = worker.seen_ranks.data();
    Counted counted;
    form.each(rows, [&](const WaitingRow<Rank>& row) {
        ++counted.rows;
        counted.support += row.weight;
        if (worker.few_counted)
            add_counts<true, Rank>(worker, counts, seen, part(row), row.weight);
        else
            add_counts<false, Rank>(worker, counts, seen, part(row), row.weight);
    });
    return counted;
}

// Calls `visit` with every rank that was counted, ascending, and its count; forgets the counts.
template <typename Visit>
void visit_counts(Worker& worker, Visit visit) {
    const auto look_at = [&](std::size_t w) {
        for (Word left = std::exchange(worker.seen_ranks[w], 0); left; left &= left - 1) {
            const std::size_t rank = w * bits_per_word + static_cast<std::size_t>(std::countr_zero(left));
            visit(rank, static_cast<std::int64_t>(std::exchange(worker.rank_counts[rank], 0)));
        }
    };
    if (worker.few_counted) {
        std::ranges::sort(worker.seen_words);
        std::ranges::for_each(worker.seen_words, look_at);
        worker.seen_words.clear();
    } else {
        for (std::size_t w = 0; w < worker.seen_ranks.size(); ++w) look_at(w);
    }
}

// Closed and maximal: if an earlier rank is in every row, its branch has already found everything here.
template <typename Rank>
bool is_found_already(Worker& worker, RowForm<Rank> form, std::span<const Rank> rows) {
    if (!form.whole) return false;
    std::vector<std::uint32_t>& common = worker.common_ranks;
    bool first = true;
    const Rank* end = rows.data() + rows.size();
    for (const Rank* at = rows.data(); at != end; at += at[0] + form.extra()) {
        const Rank* earlier = at + form.head();
        const Rank* own = earlier + at[1];
        if (first) {
            common.assign(earlier, own);
            first = false;
        } else {
            std::size_t kept = 0;
            for (std::uint32_t rank : common) {
                while (earlier != own && *earlier < rank) ++earlier;
                if (earlier != own && *earlier == rank) common[kept++] = rank;
            }
            common.resize(kept);
        }
        if (common.empty()) return false;
    }
    return true;
}

// Numbers a rank that extends the node.
void add_extension(Level& level, std::vector<Candidate>& list, std::size_t rank, std::int64_t count) {
    const auto number = static_cast<std::uint32_t>(level.table.ranks.size());
    level.local[rank] = static_cast<std::int32_t>(number);
    list.push_back({count, number});
    level.table.ranks.push_back(static_cast<std::uint32_t>(rank));
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

// Candidates are numbered before priors. Rows without a candidate are in no branch below, and left out.
template <typename Rank>
void build_table(Level& level, RowForm<Rank> form, std::span<const Rank> rows, std::size_t most) {
    BitmapTable& table = level.table;
    const auto items = static_cast<std::uint32_t>(table.ranks.size());
    const auto candidates = static_cast<std::uint32_t>(level.candidates.size());
    table.stride = padded(words_for(most));
    Word* bits = table.bits.reserve((items + 1) * table.stride);
    std::fill(bits, bits + items * table.stride, 0);
    const std::int32_t* local = level.local.data();
    std::vector<std::uint32_t> weights;
    std::size_t r = 0;
    const auto fill = [&](const WaitingRow<Rank>& row) {
        const Word bit = Word{1} << r % bits_per_word;
        Word* word = bits + r / bits_per_word;
        // Ranks that are not in the table go to a bitmap after the last one: no branch.
        const auto set = [&](Rank rank) {
            const std::uint32_t number = std::min(static_cast<std::uint32_t>(local[rank]), items);
            word[number * table.stride] |= bit;
            return number;
        };
        bool needed = false;
        for (Rank rank : row.ranks.subspan(row.position + 1)) needed |= set(rank) < candidates;
        if (!needed) return;
        for (Rank rank : row.ranks.first(row.position)) set(rank);
        if (form.weighted) weights.push_back(row.weight);
        ++r;
    };
    if (form.weighted) {  // weight planes are short if heavy rows come first
        std::vector<WaitingRow<Rank>> ordered;
        form.each(rows, [&](const WaitingRow<Rank>& row) { ordered.push_back(row); });
        std::ranges::stable_sort(ordered, std::greater{}, &WaitingRow<Rank>::weight);
        std::ranges::for_each(ordered, fill);
    } else {
        form.each(rows, fill);
    }
    table.rows = r;
    table.words = words_for(r);
    set_planes(table, weights);
    Word* all = level.rows.reserve(table.stride);
    std::fill(all, all + table.stride, 0);
    std::fill(all, all + r / bits_per_word, ~Word{0});
    if (r % bits_per_word) all[r / bits_per_word] = (Word{1} << r % bits_per_word) - 1;
}

// Frees rows that are no longer needed, unless they are so few that the next node may as well have their memory.
template <typename Rank>
void free_large(Buffer<Rank>& rows) {
    constexpr std::size_t large = std::size_t{1} << 16;
    if (rows.size() >= large) Buffer<Rank>().swap(rows);
}

// Searches below the node on lists, of the ranks that extend it alone.
template <typename Rank>
void search_buckets(Worker& worker, const Level& level, RowForm<Rank> form, std::size_t rank, Buffer<Rank>& rows,
                    std::size_t depth) {
    std::vector<std::uint32_t> next_ranks;
    for (const Candidate& candidate : level.candidates) next_ranks.push_back(level.table.ranks[candidate.item]);
    Buckets<Rank> buckets(form, worker.shared.items.size(), rows.size());
    std::vector<Rank> kept;
    form.each({rows.data(), rows.size()}, [&](const WaitingRow<Rank>& row) {
        kept.clear();
        std::size_t earlier = 0;
        for (Rank other : row.ranks)
            if (level.local[other] >= 0) {
                kept.push_back(other);
                earlier += other < rank;
            }
        if (earlier < kept.size()) buckets.put(kept, earlier, row.weight);
    });
    free_large(rows);
    Buffer<Rank> next_rows;
    for (std::uint32_t next : next_ranks) {
        next_rows.resize(0);
        buckets.take(next, next_rows);
        search_rank<Rank>(worker, form, next, next_rows, depth + 1);
    }
}

}  // namespace

template <typename Rank>
void search_rank(Worker& worker, RowForm<Rank> form, std::size_t rank, Buffer<Rank>& given, std::size_t depth) {
    const std::span<const Rank> rows(given.data(), given.size());
    worker.breathe();
    if (is_found_already(worker, form, rows)) return;
    const std::size_t ranks = worker.shared.items.size();
    worker.rank_counts.resize(ranks, 0);
    worker.seen_ranks.resize(words_for(ranks), 0);
    worker.few_counted = rows.size() < worker.seen_ranks.size();
    const Counted counted = count_ranks<Rank>(
        worker, form, rows, [](const WaitingRow<Rank>& row) { return row.ranks.subspan(row.position + 1); });
    const std::int64_t support = counted.support;

    const std::size_t prefix_before = worker.prefix.size();
    const std::size_t ranks_before = worker.prefix_ranks.size();
    const std::size_t perfect_before = worker.perfect.size();
    worker.prefix.push_back(worker.shared.items[rank]);
    worker.prefix_ranks.push_back(static_cast<std::uint32_t>(rank));
    Level& level = worker.level(depth);
    level.candidates.clear();
    level.priors.clear();
    level.known.clear();
    level.table.ranks.clear();
    level.local.resize(ranks, -1);
    std::size_t occurrences = 0;
    visit_counts(worker, [&](std::size_t other, std::int64_t held) {
        if (held == support) {
            (form.whole ? worker.prefix : worker.perfect).push_back(worker.shared.items[other]);
            worker.prefix_ranks.push_back(static_cast<std::uint32_t>(other));
        } else if (held >= worker.sigma) {
            add_extension(level, level.candidates, other, held);
            occurrences += static_cast<std::size_t>(held);
        }
    });
    // All itemsets need no priors; closed ones need them only below this node.
    if (support >= worker.sigma && form.whole &&
        (!level.candidates.empty() || worker.shared.task.target == Target::maximal)) {
        count_ranks<Rank>(worker, form, rows,
                          [](const WaitingRow<Rank>& row) { return row.ranks.first(row.position); });
        visit_counts(worker, [&](std::size_t other, std::int64_t held) {
            if (held < worker.sigma) return;
            add_extension(level, level.priors, other, held);
            occurrences += static_cast<std::size_t>(held);
        });
    }
    const std::vector<std::uint32_t> extending = level.table.ranks;
    if (support >= worker.sigma) {
        emit_node(worker, level, support);
        if (!level.candidates.empty() && worker.prefix.size() < worker.cap) {
            if (bitmaps_pay_below(worker.shared.task.layout, extending.size(), counted.rows, occurrences)) {
                build_table<Rank>(level, form, rows, counted.rows);
                free_large(given);
                std::ranges::sort(level.candidates, {}, &Candidate::count);
                search_dense(worker, level.table, level.rows.data(), depth);
            } else {
                search_buckets<Rank>(worker, level, form, rank, given, depth);
            }
        }
    }
    for (std::uint32_t other : extending) level.local[other] = -1;
    worker.prefix.resize(prefix_before);
    worker.prefix_ranks.resize(ranks_before);
    worker.perfect.resize(perfect_before);
}

template void search_rank(Worker&, RowForm<std::uint16_t>, std::size_t, Buffer<std::uint16_t>&, std::size_t);
template void search_rank(Worker&, RowForm<std::uint32_t>, std::size_t, Buffer<std::uint32_t>&, std::size_t);

}  // namespace discreet
