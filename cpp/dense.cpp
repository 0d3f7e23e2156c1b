#include "dense.hpp"

#include <array>
#include <bit>

#include "tables.hpp"

namespace discreet {

namespace {

void sort_by_count(std::vector<Candidate>& candidates) {
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
        return a.count != b.count ? a.count < b.count : a.item < b.item;
    });
}

std::span<const std::uint32_t> places_of(Worker& worker, const BitmapTable& table, const Word* rows) {
    worker.places.clear();
    each_row(rows, table.words, [&](std::size_t r) { worker.places.push_back(table.earlier[r].place); });
    return worker.places;
}

// Whether some rank before the one that the table is for is in all rows.
bool share_earlier(Worker& worker, const BitmapTable& table, const Word* rows) {
    std::uint64_t bits = ~std::uint64_t{0};
    for (std::size_t w = 0; w < table.words; ++w)
        for (Word left = rows[w]; left; left &= left - 1)
            if (!(bits &= table.earlier[w * bits_per_word + static_cast<std::size_t>(std::countr_zero(left))].bits))
                return false;
    return (bits & table.own_bits) || worker.earlier_rows->share(places_of(worker, table, rows));
}

// The bits of earlier ranks that are in at least `least` of `count` rows, each of which counts once. Digit d of how
// many rows have a bit is that bit of digits[d].
std::uint64_t bits_in_most(const BitmapTable& table, const Word* rows, std::size_t count, std::size_t least) {
    std::array<std::uint64_t, 32> digits{};
    const std::size_t used = std::bit_width(count);
    each_row(rows, table.words, [&](std::size_t r) {
        std::uint64_t carry = table.earlier[r].bits;
        for (std::size_t d = 0; d < used; ++d) {
            const std::uint64_t both = digits[d] & carry;
            digits[d] ^= carry;
            carry = both;
        }
    });
    std::uint64_t more = 0;
    std::uint64_t equal = ~std::uint64_t{0};
    for (std::size_t d = used; d-- > 0;) {
        const std::uint64_t digit = least >> d & 1 ? ~std::uint64_t{0} : 0;
        more |= equal & digits[d] & ~digit;
        equal &= ~(digits[d] ^ digit);
    }
    return more | equal;
}

// Whether some rank before the one that the table is for is in so many of the rows that it is frequent.
bool share_often_earlier(Worker& worker, const BitmapTable& table, const Word* rows, std::int64_t count) {
    std::uint64_t bits = ~std::uint64_t{0};
    if (table.planes.empty()) {
        bits = bits_in_most(table, rows, static_cast<std::size_t>(count), static_cast<std::size_t>(worker.sigma));
        if (!bits || (bits & table.own_bits)) return bits;
    }
    return worker.earlier_rows->share_often(places_of(worker, table, rows), bits);
}

// Whether all rows of the new node contain an item that was branched on before. Earlier candidates of the same node
// have at most the branch's count, so only those of equal count can.
bool repeats(Worker& worker, const BitmapTable& table, const Level& here, std::size_t branch, const Word* rows) {
    const std::int64_t count = here.candidates[branch].count;
    for (std::size_t b = branch; b-- > 0 && here.candidates[b].count == count;)
        if (contains(table.bitmap(here.candidates[b].item), rows, table.words)) return true;
    for (const Candidate& prior : here.priors)
        if (prior.count >= count && contains(table.bitmap(prior.item), rows, table.words)) return true;
    return !table.earlier.empty() && share_earlier(worker, table, rows);
}

void hand_down_priors(const Level& here, std::size_t branch, Level& next) {
    next.priors.assign(here.priors.begin(), here.priors.end());
    next.priors.insert(next.priors.end(), here.candidates.begin(), here.candidates.begin() + branch);
}

// Enough rows to look for equal ones among them.
constexpr std::size_t worth_joining = 8192;

void descend(Worker& worker, const BitmapTable& table, std::int64_t count, std::size_t depth) {
    Level& next = worker.level(depth);
    const Word* rows = next.rows.data();
    const std::size_t kept = table.planes.empty() ? static_cast<std::size_t>(count) : count_bits(rows, table.words);
    next.joins = worker.level(depth - 1).joins && kept >= worth_joining;
    if (table.words > line_words && next.candidates.size() > 2 && (2 * kept <= table.rows || next.joins)) {
        // `rows` selects what is kept until the last bitmap is written, then becomes the full set.
        shrink(worker, table, rows, kept, next, worker.level(depth + 1));
        next.joins = next.joins && join_equal_rows(worker, next);
        search_dense(worker, next.table, rows, depth);
    } else {
        search_dense(worker, table, rows, depth);
    }
}

void branch_all(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth, std::size_t branch) {
    Level& here = worker.level(depth);
    Level& next = worker.level(depth + 1);
    const auto [count, item] = here.candidates[branch];
    worker.prefix.push_back(worker.item(table, item));
    const std::size_t perfect_before = worker.perfect.size();
    next.candidates.clear();
    if (branch + 1 < here.candidates.size() && worker.prefix.size() < worker.cap) {
        intersect(next.rows.reserve(table.stride), rows, table.bitmap(item), table.stride);
        next.which.clear();
        for (std::size_t b = branch + 1; b < here.candidates.size(); ++b) next.which.push_back(here.candidates[b].item);
        count_which(worker, table, next.rows.data(), next);
        for (std::size_t c = 0; c < next.which.size(); ++c) {
            if (next.counts[c] == count)
                worker.perfect.push_back(worker.item(table, next.which[c]));
            else if (next.counts[c] >= worker.sigma)
                next.candidates.push_back({next.counts[c], next.which[c]});
        }
    }
    worker.emit_subsets(count);
    if (!next.candidates.empty()) {
        sort_by_count(next.candidates);
        descend(worker, table, count, depth + 1);
    }
    worker.perfect.resize(perfect_before);
    worker.prefix.pop_back();
}

void branch_closed(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth, std::size_t branch) {
    Level& here = worker.level(depth);
    Level& next = worker.level(depth + 1);
    const auto [count, item] = here.candidates[branch];
    intersect(next.rows.reserve(table.stride), rows, table.bitmap(item), table.stride);
    if (repeats(worker, table, here, branch, next.rows.data())) return;

    const std::size_t prefix_before = worker.prefix.size();
    worker.prefix.push_back(worker.item(table, item));
    next.which.clear();
    for (std::size_t b = branch + 1; b < here.candidates.size(); ++b) next.which.push_back(here.candidates[b].item);
    count_which(worker, table, next.rows.data(), next);
    next.candidates.clear();
    for (std::size_t c = 0; c < next.which.size(); ++c) {
        if (next.counts[c] == count)
            worker.prefix.push_back(worker.item(table, next.which[c]));
        else if (next.counts[c] >= worker.sigma)
            next.candidates.push_back({next.counts[c], next.which[c]});
    }
    worker.emit(count);
    if (!next.candidates.empty() && worker.prefix.size() < worker.cap) {
        sort_by_count(next.candidates);
        hand_down_priors(here, branch, next);
        descend(worker, table, count, depth + 1);
    }
    worker.prefix.resize(prefix_before);
}

// Whether an item branched on before extends the node and keeps it frequent: then the node is not maximal.
bool extended_by_prior(Worker& worker, const BitmapTable& table, const Word* rows, std::int64_t count,
                       const Level& here, std::size_t branch, Level& scratch) {
    constexpr std::size_t at_once = 8;  // one extension is enough, so stop early
    const std::size_t total = here.priors.size() + branch;
    for (std::size_t start = 0; start < total; start += at_once) {
        scratch.which.clear();
        for (std::size_t p = start; p < std::min(total, start + at_once); ++p)
            scratch.which.push_back(p < branch ? here.candidates[branch - 1 - p].item : here.priors[p - branch].item);
        count_which(worker, table, rows, scratch);
        if (std::ranges::any_of(scratch.counts, [&](std::int64_t held) { return held >= worker.sigma; })) return true;
    }
    return !table.earlier.empty() && share_often_earlier(worker, table, rows, count);
}

void found_maximal(Worker& worker, const BitmapTable& table, std::span<const Candidate> tail, std::int64_t count,
                   std::span<const std::uint32_t> ranks_of_prefix) {
    std::vector<Word> mask(worker.maximal.words(), 0);
    for (std::uint32_t rank : ranks_of_prefix) set_bit(mask.data(), rank);
    const std::size_t before = worker.prefix.size();
    for (const Candidate& candidate : tail) {
        set_bit(mask.data(), table.ranks[candidate.item]);
        worker.prefix.push_back(worker.item(table, candidate.item));
    }
    worker.emit(count);
    worker.maximal.add(mask.data(), worker.prefix.size());
    worker.prefix.resize(before);
}

// The tail (candidates from `branch` on) is within a maximal set that also contains the node.
bool tail_known(Worker& worker, const BitmapTable& table, Level& here, std::size_t branch) {
    if (here.known.empty() || here.candidates.size() - branch > worker.maximal.longest()) {
        here.tail_from = Level::no_tail;
        return false;
    }
    const std::size_t words = worker.maximal.words();
    if (branch > 0 && here.tail_from == branch - 1) {
        clear_bit(here.tail.data(), table.ranks[here.candidates[branch - 1].item]);
    } else {
        here.tail.assign(words, 0);
        for (std::size_t b = branch; b < here.candidates.size(); ++b)
            set_bit(here.tail.data(), table.ranks[here.candidates[b].item]);
    }
    here.tail_from = branch;
    for (std::uint32_t known : here.known)
        if (contains(worker.maximal.mask(known), here.tail.data(), words)) return true;
    return false;
}

// Returns false if neither this branch nor any later one can contain a new maximal set.
bool branch_maximal(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth, std::size_t branch) {
    Level& here = worker.level(depth);
    Level& next = worker.level(depth + 1);
    if (tail_known(worker, table, here, branch)) return false;
    const auto [count, item] = here.candidates[branch];
    intersect(next.rows.reserve(table.stride), rows, table.bitmap(item), table.stride);
    if (repeats(worker, table, here, branch, next.rows.data())) return true;

    const std::size_t prefix_before = worker.prefix.size();
    const std::size_t ranks_before = worker.prefix_ranks.size();
    const auto take = [&](std::uint32_t local) {
        worker.prefix.push_back(worker.item(table, local));
        worker.prefix_ranks.push_back(table.ranks[local]);
    };
    take(item);
    next.which.clear();
    for (std::size_t b = branch + 1; b < here.candidates.size(); ++b) next.which.push_back(here.candidates[b].item);
    count_which(worker, table, next.rows.data(), next);
    next.candidates.clear();
    for (std::size_t c = 0; c < next.which.size(); ++c) {
        if (next.counts[c] == count)
            take(next.which[c]);
        else if (next.counts[c] >= worker.sigma)
            next.candidates.push_back({next.counts[c], next.which[c]});
    }
    next.known.clear();
    for (std::uint32_t known : here.known)
        if (has_bit(worker.maximal.mask(known), table.ranks[item])) next.known.push_back(known);
    const std::size_t first_new = worker.maximal.size();
    if (worker.prefix.size() <= worker.cap) {
        if (next.candidates.empty()) {
            if (next.known.empty() &&
                !extended_by_prior(worker, table, next.rows.data(), count, here, branch, worker.level(depth + 2)))
                found_maximal(worker, table, {}, count, worker.prefix_ranks);
        } else {
            sort_by_count(next.candidates);
            hand_down_priors(here, branch, next);
            descend(worker, table, count, depth + 1);
        }
    }
    for (std::size_t known = first_new; known < worker.maximal.size(); ++known)
        here.known.push_back(static_cast<std::uint32_t>(known));
    worker.prefix.resize(prefix_before);
    worker.prefix_ranks.resize(ranks_before);
    return true;
}

// All candidates together are frequent: their union is the only maximal set below, if it is one.
bool whole_tail(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth) {
    Level& here = worker.level(depth);
    Level& next = worker.level(depth + 1);
    Word* common = next.rows.reserve(table.stride);
    intersect(common, rows, table.bitmap(here.candidates[0].item), table.stride);
    for (std::size_t b = 1; b + 1 < here.candidates.size(); ++b)
        intersect(common, common, table.bitmap(here.candidates[b].item), table.stride);
    next.which.assign(1, here.candidates.back().item);
    count_which(worker, table, common, next);
    const std::int64_t count = next.counts[0];
    if (count < worker.sigma) return false;
    intersect(common, common, table.bitmap(here.candidates.back().item), table.stride);
    if (!tail_known(worker, table, here, 0) && !extended_by_prior(worker, table, common, count, here, 0, next))
        found_maximal(worker, table, here.candidates, count, worker.prefix_ranks);
    return true;
}

// Counts the closed sets below a node at once, if all candidates together are frequent and every union of the node and
// some of them is closed: for each candidate some row lacks it alone, and no prior is in all rows with all candidates.
bool count_unions(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth) {
    Level& here = worker.level(depth);
    Level& next = worker.level(depth + 1);
    Level& spare = worker.level(depth + 2);
    const std::size_t candidates = here.candidates.size();
    constexpr std::size_t most = 32;
    if (candidates > most) return false;
    Word* whole = next.rows.reserve(table.stride);   // lacks no candidate
    Word* twice = spare.rows.reserve(table.stride);  // lacks two or more
    std::copy(rows, rows + table.stride, whole);
    std::fill(twice, twice + table.stride, 0);
    for (const Candidate& candidate : here.candidates) {
        const Word* held = table.bitmap(candidate.item);
        for (std::size_t w = 0; w < table.words; ++w) {
            const Word lack = rows[w] & ~held[w];
            twice[w] |= lack & ~whole[w];
            whole[w] &= ~lack;
        }
    }
    next.which.assign(1, here.candidates.back().item);
    count_which(worker, table, whole, next);
    if (next.counts[0] < worker.sigma) return false;
    for (const Candidate& prior : here.priors)
        if (contains(table.bitmap(prior.item), whole, table.words)) return false;
    if (!table.earlier.empty() && share_earlier(worker, table, whole)) return false;
    for (const Candidate& candidate : here.candidates) {
        const Word* held = table.bitmap(candidate.item);
        bool alone = false;
        for (std::size_t w = 0; w < table.words && !alone; ++w) alone = rows[w] & ~whole[w] & ~twice[w] & ~held[w];
        if (!alone) return false;
    }
    worker.counted += (std::uint64_t{1} << candidates) - 1;  // the node itself was counted before
    return true;
}

}  // namespace

void search_branch(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth, std::size_t branch) {
    switch (worker.shared.task.target) {
        case Target::all:
            branch_all(worker, table, rows, depth, branch);
            break;
        case Target::closed:
            branch_closed(worker, table, rows, depth, branch);
            break;
        case Target::maximal:
            branch_maximal(worker, table, rows, depth, branch);
            break;
    }
}

void search_dense(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth) {
    worker.breathe();
    const std::size_t branches = worker.level(depth).candidates.size();
    switch (worker.shared.task.target) {
        case Target::all:
            for (std::size_t branch = 0; branch < branches; ++branch) branch_all(worker, table, rows, depth, branch);
            break;
        case Target::closed:
            if (!worker.shared.task.keep && branches > 1 && count_unions(worker, table, rows, depth)) return;
            for (std::size_t branch = 0; branch < branches; ++branch) branch_closed(worker, table, rows, depth, branch);
            break;
        case Target::maximal:
            if (branches > 1 && whole_tail(worker, table, rows, depth)) return;
            for (std::size_t branch = 0; branch < branches; ++branch)
                if (!branch_maximal(worker, table, rows, depth, branch)) return;
            break;
    }
}

void learn_maximal(Worker& worker) {
    const std::lock_guard lock(worker.shared.maximal_mutex);
    // Shares what this worker found since the last call, and receives what the others found.
    for (std::size_t own = worker.maximal_shared; own < worker.maximal.size(); ++own)
        worker.shared.maximal.add(worker.maximal.mask(own), worker.maximal.longest());
    const std::size_t published = worker.maximal.size() - worker.maximal_shared;
    const std::size_t others = worker.shared.maximal.size() - published;
    for (std::size_t i = worker.maximal_seen; i < others; ++i)
        worker.maximal.add(worker.shared.maximal.mask(i), worker.shared.maximal.longest());
    worker.maximal_seen = worker.shared.maximal.size();
    worker.maximal_shared = worker.maximal.size();
}

}  // namespace discreet
