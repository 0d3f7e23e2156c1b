#include "sparse.hpp"

#include "dense.hpp"
#include "tables.hpp"

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

// Counts the ranks that `part` chooses of every row. Where rows are few it notes which ranks have a count: in a bitmap,
// and which of its words, so that the time is in proportion to what is counted, not to all ranks.
template <bool Few, typename Rank, typename Part>
Counted count_ranks(Worker& worker, RowForm<Rank> form, std::span<const Rank> rows, Part part) {
    std::uint32_t* counts = worker.rank_counts.data();
    Word* seen = worker.seen_ranks.data();
    Counted counted;
    form.each(rows, [&](const WaitingRow<Rank>& row) {
        ++counted.rows;
        counted.support += row.weight;
        for (Rank rank : part(row)) {
            counts[rank] += row.weight;
            if constexpr (Few) {
                Word& word = seen[rank / bits_per_word];
                if (!word) worker.seen_words.push_back(static_cast<std::uint32_t>(rank / bits_per_word));
                word |= Word{1} << rank % bits_per_word;
            }
        }
    });
    return counted;
}

// Calls `visit` with every frequent rank that was counted, ascending, and its count; forgets the counts.
template <bool Few, typename Visit>
void visit_counts(Worker& worker, std::span<std::uint32_t> counts, Visit visit) {
    const auto sigma = static_cast<std::uint32_t>(worker.sigma);
    if constexpr (Few) {
        std::ranges::sort(worker.seen_words);
        for (std::size_t w : worker.seen_words)
            for (Word left = std::exchange(worker.seen_ranks[w], 0); left; left &= left - 1) {
                const std::size_t rank = w * bits_per_word + static_cast<std::size_t>(std::countr_zero(left));
                const std::uint32_t count = std::exchange(counts[rank], 0);
                if (count >= sigma) visit(rank, count);
            }
        worker.seen_words.clear();
    } else {
        constexpr std::size_t at_once = 16;  // most ranks are infrequent: a loop without branches looks for others
        for (std::size_t first = 0; first < counts.size(); first += at_once) {
            const auto block = counts.subspan(first, std::min(at_once, counts.size() - first));
            std::uint32_t frequent = 0;
            for (std::uint32_t count : block) frequent |= count >= sigma;
            if (!frequent) continue;
            for (std::size_t i = 0; i < block.size(); ++i)
                if (block[i] >= sigma) visit(first + i, block[i]);
        }
        std::ranges::fill(counts, 0u);
    }
}

// Counts, and calls `visit` with what was counted and every frequent rank.
template <typename Rank, typename Part, typename Visit>
Counted count_frequent(Worker& worker, RowForm<Rank> form, std::span<const Rank> rows, Part part, Visit visit) {
    worker.rank_counts.resize(worker.shared.items.size(), 0);
    worker.seen_ranks.resize(words_for(worker.rank_counts.size()), 0);
    const auto all = [&]<bool Few>() {
        const Counted counted = count_ranks<Few, Rank>(worker, form, rows, part);
        visit_counts<Few>(worker, worker.rank_counts,
                          [&](std::size_t rank, std::int64_t held) { visit(counted, rank, held); });
        return counted;
    };
    return 16 * rows.size() < worker.rank_counts.size() ? all.template operator()<true>()
                                                        : all.template operator()<false>();
}

// Keeps those of the ranks in common that one more row has before the rank it waits for.
template <typename Rank>
void keep_common(std::vector<std::uint32_t>& common, std::span<const Rank> earlier) {
    std::size_t kept = 0;
    auto at = earlier.begin();
    for (std::uint32_t rank : common) {
        while (at != earlier.end() && *at < rank) ++at;
        if (at != earlier.end() && *at == rank) common[kept++] = rank;
    }
    common.resize(kept);
}

template <typename Rank>
class EarlierOfRank : public EarlierRows {
public:
    EarlierOfRank(Worker& worker, RowForm<Rank> form, std::span<const Rank> rows)
        : worker_(worker), bits_(worker.earlier_bits.data()), form_(form), rows_(rows) {}

    bool share(std::span<const std::uint32_t> places) override {
        std::vector<std::uint32_t>& common = worker_.common_ranks;
        const auto first = earlier(places.front());
        common.assign(first.begin(), first.end());
        for (std::uint32_t place : places.subspan(1)) {
            if (common.empty()) return false;
            keep_common(common, earlier(place));
        }
        return !common.empty();
    }

    bool share_often(std::span<const std::uint32_t> places, std::uint64_t bits) override {
        const auto sigma = static_cast<std::uint32_t>(worker_.sigma);
        std::uint32_t* counts = worker_.rank_counts.data();
        bool often = false;
        for (std::uint32_t place : places) {
            const std::uint32_t weight = form_.weight(rows_.data() + place);
            for (Rank rank : earlier(place))
                if (bits & bits_[rank]) often |= (counts[rank] += weight) >= sigma;
        }
        for (std::uint32_t place : places)
            for (Rank rank : earlier(place)) counts[rank] = 0;
        return often;
    }

private:
    std::span<const Rank> earlier(std::size_t place) const {
        return rows_.subspan(place + form_.head(), rows_[place + 1]);
    }

    Worker& worker_;
    const std::uint64_t* bits_;
    RowForm<Rank> form_;
    std::span<const Rank> rows_;
};

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
            if (level.candidates.empty() && level.priors.empty()) worker.emit(support);
            break;
    }
}

// Gives a bit to each earlier rank that is frequent together with the node; returns them by rank.
const std::uint64_t* give_bits(Worker& worker, Level& level) {
    constexpr std::size_t all = 64, own = 32;
    level.table.own_bits = ~std::uint64_t{0};
    if (level.priors.size() > all) {
        level.table.own_bits = (std::uint64_t{1} << own) - 1;
        std::ranges::nth_element(level.priors, level.priors.begin() + own, std::greater{}, &Candidate::count);
    }
    worker.earlier_bits.resize(worker.shared.items.size(), 0);
    for (std::size_t p = 0; p < level.priors.size(); ++p)
        worker.earlier_bits[level.priors[p].item] = std::uint64_t{1} << (p < all ? p : own + p % (all - own));
    return worker.earlier_bits.data();
}

// Rows without a candidate are in no branch below, and left out.
template <typename Rank>
void build_table(Worker& worker, Level& level, RowForm<Rank> form, std::span<const Rank> rows, std::size_t most) {
    BitmapTable& table = level.table;
    const auto items = static_cast<std::uint32_t>(table.ranks.size());
    table.stride = padded(words_for(most));
    table.earlier.clear();
    const bool keep_earlier = !level.priors.empty();
    const std::uint64_t* earlier_bits = give_bits(worker, level);
    if (keep_earlier) table.earlier.reserve(most);
    const std::size_t stride = table.stride;
    Word* bits = table.bits.reserve(items * stride);
    std::fill(bits, bits + items * table.stride, 0);
    const std::int32_t* local = level.local.data();
    std::vector<std::uint32_t> weights;
    std::vector<std::uint32_t> numbers;
    std::size_t r = 0;
    const auto fill = [&](const WaitingRow<Rank>& row) __attribute__((always_inline)) {
        numbers.resize(std::max(numbers.size(), row.ranks.size()));
        std::size_t held = 0;
        for (Rank rank : row.ranks.subspan(row.position + 1)) {  // what is not in the table is written over: no branch
            numbers[held] = static_cast<std::uint32_t>(local[rank]);
            held += local[rank] >= 0;
        }
        if (!held) return;
        if (keep_earlier) {
            EarlierRanks earlier{0, static_cast<std::uint32_t>(row.ranks.data() - form.head() - rows.data())};
            for (Rank rank : row.ranks.first(row.position)) earlier.bits |= earlier_bits[rank];
            table.earlier.push_back(earlier);
        }
        const Word bit = Word{1} << r % bits_per_word;
        Word* word = bits + r / bits_per_word;
        for (std::size_t n = 0; n < held; ++n) word[numbers[n] * stride] |= bit;
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
    set_all_rows(table, level.rows.reserve(table.stride));
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
    const std::size_t prefix_before = worker.prefix.size();
    const std::size_t ranks_before = worker.prefix_ranks.size();
    const std::size_t perfect_before = worker.perfect.size();
    worker.prefix.push_back(worker.shared.items[rank]);
    worker.prefix_ranks.push_back(static_cast<std::uint32_t>(rank));
    Level& level = worker.level(depth);
    level.candidates.clear();
    level.priors.clear();
    level.known.clear();
    level.joins = false;
    level.table.ranks.clear();
    level.local.resize(worker.shared.items.size(), -1);
    std::size_t occurrences = 0;
    bool found_already = false;  // closed and maximal: an earlier rank is in every row, so its branch found all of this
    const Counted counted = count_frequent<Rank>(
        worker, form, rows, [&](const WaitingRow<Rank>& row) { return form.whole ? row.ranks : row.ranks.subspan(1); },
        [&](const Counted& node, std::size_t other, std::int64_t held) {
            if (other == rank) return;
            if (other < rank) {
                found_already |= held == node.support;
                level.priors.push_back({held, static_cast<std::uint32_t>(other)});  // not numbered
            } else if (held == node.support) {
                (form.whole ? worker.prefix : worker.perfect).push_back(worker.shared.items[other]);
                worker.prefix_ranks.push_back(static_cast<std::uint32_t>(other));
            } else {
                add_extension(level, level.candidates, other, held);
                occurrences += static_cast<std::size_t>(held);
            }
        });
    if (!found_already) emit_node(worker, level, counted.support);
    if (!found_already && !level.candidates.empty() && worker.prefix.size() < worker.cap) {
        const bool in_reach = rows.size() <= std::numeric_limits<std::uint32_t>::max();  // of a place
        if (in_reach &&
            bitmaps_pay_below(worker.shared.task.layout, level.table.ranks.size(), counted.rows, occurrences)) {
            build_table<Rank>(worker, level, form, rows, counted.rows);
            EarlierOfRank<Rank> earlier(worker, form, rows);
            worker.earlier_rows = &earlier;
            if (!form.whole) free_large(given);
            std::ranges::sort(level.candidates, {}, &Candidate::count);
            const std::vector<Candidate> priors = std::exchange(level.priors, {});
            search_dense(worker, level.table, level.rows.data(), depth);
            for (const Candidate& prior : priors) worker.earlier_bits[prior.item] = 0;
        } else {
            for (const Candidate& prior : std::exchange(level.priors, {}))
                add_extension(level, level.priors, prior.item, prior.count);
            search_buckets<Rank>(worker, level, form, rank, given, depth);
        }
    }
    for (std::uint32_t other : level.table.ranks) level.local[other] = -1;
    worker.prefix.resize(prefix_before);
    worker.prefix_ranks.resize(ranks_before);
    worker.perfect.resize(perfect_before);
}

template void search_rank(Worker&, RowForm<std::uint16_t>, std::size_t, Buffer<std::uint16_t>&, std::size_t);
template void search_rank(Worker&, RowForm<std::uint32_t>, std::size_t, Buffer<std::uint32_t>&, std::size_t);

}  // namespace discreet
