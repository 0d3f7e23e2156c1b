#include "uncertainty_levels.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "uncertainty_check.hpp"

namespace discreet {

namespace {

// Depth first over antecedents, rare items first, all consequents at once. Rows without a sensitive item are counted
// but never followed.
class LevelSearch {
public:
    LevelSearch(const Slice& slice, std::size_t size, Limits limits, Halt halt, RuleTable& found);
    void run();

private:
    // A row of the current antecedent, and where the items that may still be added start in it.
    struct Place {
        std::uint32_t row;
        std::uint32_t next;
    };

    std::span<const std::int32_t> row(std::uint32_t r) const {
        return {ranked_.data() + rows_.offsets[r], rows_.row(r).size()};
    }
    std::span<const std::int32_t> consequents(std::uint32_t r) const {
        return {secrets_.data() + secret_starts_[r], secret_starts_[r + 1] - secret_starts_[r]};
    }
    void extend(std::span<const Place> cover);
    void count(std::span<const Place> cover);

    const FoldedRows& rows_;
    const std::int32_t base_;
    const std::size_t size_;
    const Limits limits_;
    Share lowest_{1, 1};  // of the limits of the sensitive items here
    const Halt halt_;
    RuleTable& found_;
    std::vector<std::int32_t> items_;   // by rank, rare ones first
    std::vector<std::int32_t> ranked_;  // the rows by rank, ascending
    std::vector<std::size_t> secret_starts_;
    std::vector<std::int32_t> secrets_;  // the sensitive items of each row, by rank
    std::vector<std::uint32_t> seen_;    // scratch by rank
    std::vector<std::int64_t> sums_;     // scratch by rank
    std::vector<std::int32_t> prefix_;   // the antecedent, by rank
};

LevelSearch::LevelSearch(const Slice& slice, std::size_t size, Limits limits, Halt halt, RuleTable& found)
    : rows_(slice.rows),
      base_(slice.base),
      size_(size),
      limits_(limits),
      halt_(halt),
      found_(found),
      items_(rows_.labels),
      ranked_(rows_.items.size()),
      seen_(rows_.labels, 0),
      sums_(rows_.labels, 0) {
    std::iota(items_.begin(), items_.end(), 0);
    std::ranges::stable_sort(items_, {}, [&](std::int32_t item) { return rows_.supports[item]; });
    for (std::size_t item = 0; item < rows_.labels; ++item)
        if (const Share limit = limits_[rows_.code_of[item]]; rows_.sensitive[item] && more_than(lowest_, limit))
            lowest_ = limit;
    std::vector<std::int32_t> ranks(rows_.labels);
    for (std::size_t rank = 0; rank < items_.size(); ++rank) ranks[items_[rank]] = static_cast<std::int32_t>(rank);
    secret_starts_.push_back(0);
    for (std::uint32_t r = 0; r < rows_.count(); ++r) {
        std::int32_t* row = ranked_.data() + rows_.offsets[r];
        std::ranges::transform(rows_.row(r), row, [&](std::int32_t item) { return ranks[item]; });
        std::sort(row, row + rows_.row(r).size());
        for (const std::int32_t rank : this->row(r))
            if (rows_.sensitive[items_[rank]]) secrets_.push_back(rank);
        secret_starts_.push_back(secrets_.size());
    }
}

void LevelSearch::run() {
    std::vector<Place> all;  // rows with a consequent first
    all.reserve(rows_.count());
    for (const bool followed : {true, false})
        for (std::uint32_t r = 0; r < rows_.count(); ++r)
            if (consequents(r).empty() != followed) all.push_back({r, 0});
    if (size_ == 0)
        count(all);
    else
        extend(all);
}

void LevelSearch::extend(std::span<const Place> cover) {
    halt_.breathe();
    std::vector<std::int32_t> added;
    std::size_t places = 0;
    for (const auto [r, next] : cover) {
        const bool followed = consequents(r).size() > 0;
        for (const std::int32_t rank : row(r).subspan(next)) {
            if (!seen_[rank]) {
                if (!followed) continue;
                added.push_back(rank);
            }
            ++seen_[rank];
            ++places;
        }
    }
    std::ranges::sort(added);
    std::vector<std::size_t> ends;
    ends.reserve(added.size());
    std::size_t end = 0;
    for (const std::int32_t rank : added) {
        ends.push_back(end);
        end += seen_[rank];
        seen_[rank] = static_cast<std::uint32_t>(ends.size());
    }
    std::vector<Place> buckets(places);
    for (const auto [r, next] : cover) {
        const auto held = row(r);
        for (std::uint32_t i = next; i < held.size(); ++i)
            if (const std::uint32_t bucket = seen_[held[i]]) buckets[ends[bucket - 1]++] = {r, i + 1};
    }
    for (const std::int32_t rank : added) seen_[rank] = 0;
    std::size_t start = 0;
    for (std::size_t b = 0; b < added.size(); ++b) {
        const std::span<const Place> bucket{buckets.data() + start, ends[b] - start};
        start = ends[b];
        prefix_.push_back(added[b]);
        if (prefix_.size() == size_)
            count(bucket);
        else
            extend(bucket);
        prefix_.pop_back();
    }
}

// The confidence of every consequent, with the prefix as antecedent.
void LevelSearch::count(std::span<const Place> cover) {
    std::int64_t holding = size_ ? 0 : rows_.total;
    std::int64_t with_any = 0;
    for (const Place place : cover) {
        if (size_) holding += rows_.weights[place.row];
        if (!consequents(place.row).empty()) with_any += rows_.weights[place.row];
    }
    if (!at_least({with_any, holding}, lowest_)) return;
    std::vector<std::int32_t> touched;
    for (const Place place : cover)
        for (const std::int32_t rank : consequents(place.row)) {
            if (!sums_[rank]) touched.push_back(rank);
            sums_[rank] += rows_.weights[place.row];
        }
    for (const std::int32_t rank : touched) {
        const Share share{sums_[rank], holding};
        sums_[rank] = 0;
        const std::int32_t code = rows_.code_of[items_[rank]];
        if (!at_least(share, limits_[code]) || std::ranges::find(prefix_, rank) != prefix_.end()) continue;
        std::int32_t* place = found_.codes.extend(found_.width);
        if (base_ >= 0) *place++ = base_;
        for (const std::int32_t item : prefix_) *place++ = rows_.code_of[items_[item]];
        *place = code;
    }
}

// Rows without some items, folded again.
FoldedRows without(const FoldedRows& rows, std::span<const std::uint8_t> gone, RowFolder& folder) {
    folder.begin();
    std::vector<std::int32_t> kept;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        kept.clear();
        for (const std::int32_t item : rows.row(r))
            if (!gone[rows.code_of[item]]) kept.push_back(rows.code_of[item]);
        if (!kept.empty()) folder.add(kept, rows.weights[r]);
    }
    return folder.finish(rows.total);
}

}  // namespace

RuleTable find_rules(std::span<const Slice> slices, std::size_t size, Limits limits, Halt halt) {
    RuleTable found;
    found.width = size + 1;
    for (const Slice& slice : slices) {
        const std::size_t own = size - (slice.base >= 0 ? 1 : 0);
        if (own <= slice.rows.labels) LevelSearch(slice, own, limits, halt, found).run();
    }
    return found;
}

std::vector<Choice> choose_items(const RuleTable& rules, std::span<const std::int64_t> costs, Halt halt) {
    std::vector<std::int64_t> counts(costs.size(), 0);
    for (std::size_t i = 0; i < rules.codes.size(); ++i) ++counts[rules.codes[i]];
    std::vector<std::size_t> starts(costs.size() + 1, 0);
    for (std::size_t code = 0; code < costs.size(); ++code)
        starts[code + 1] = starts[code] + (costs[code] ? static_cast<std::size_t>(counts[code]) : 0);
    std::vector<std::uint32_t> rules_of(starts.back());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t r = 0; r < rules.count(); ++r) {
        if (r % 65536 == 0) halt.breathe();
        for (const std::int32_t code : rules.rule(r))
            if (costs[code]) rules_of[next[code]++] = static_cast<std::uint32_t>(r);
    }

    const auto worse = [&](const Choice& one, const Choice& other) {
        const Share a{one.rules, one.cost};
        const Share b{other.rules, other.cost};
        return more_than(b, a) || (!more_than(a, b) && one.code > other.code);
    };
    std::priority_queue<Choice, std::vector<Choice>, decltype(worse)> queue(worse);
    for (std::size_t code = 0; code < costs.size(); ++code)
        if (counts[code] && costs[code]) queue.push({static_cast<std::int32_t>(code), counts[code], costs[code]});
    std::vector<std::uint8_t> concealed(rules.count(), 0);
    std::size_t left = rules.count();
    std::vector<Choice> chosen;
    while (left) {
        halt.breathe();
        Choice best = queue.top();
        queue.pop();
        if (best.rules != counts[best.code]) {  // counts only fall, so an old one is an upper bound
            best.rules = counts[best.code];
            if (best.rules) queue.push(best);
            continue;
        }
        chosen.push_back(best);
        for (std::size_t i = starts[best.code]; i < starts[best.code + 1]; ++i) {
            const std::uint32_t r = rules_of[i];
            if (concealed[r]) continue;
            concealed[r] = 1;
            --left;
            for (const std::int32_t code : rules.rule(r)) --counts[code];
        }
    }
    return chosen;
}

std::vector<LevelStep> suppress_by_level(std::vector<Slice>& slices, std::size_t first_size, Limits limits,
                                         std::span<const std::int64_t> costs, std::span<const std::uint8_t> sensitive,
                                         std::int64_t most_cost, Halt halt) {
    RowFolder folder(costs.size(), sensitive);
    std::vector<std::uint8_t> gone(costs.size(), 0);
    std::vector<LevelStep> steps;
    std::int64_t cost = 0;
    for (std::size_t size = first_size;; ++size) {
        if (std::ranges::none_of(slices, [&](const Slice& s) { return RuleSearch(s.rows, halt).reaches(limits); }))
            break;
        const RuleTable rules = find_rules(slices, size, limits, halt);
        LevelStep step{size, rules.count(), choose_items(rules, costs, halt)};
        for (const Choice& choice : step.chosen) gone[choice.code] = 1, cost += choice.cost;
        const bool changed = !step.chosen.empty();
        steps.push_back(std::move(step));
        if (cost > most_cost) break;
        if (!changed) continue;
        std::erase_if(slices, [&](const Slice& slice) { return slice.base >= 0 && gone[slice.base]; });
        for (Slice& slice : slices) slice.rows = without(slice.rows, gone, folder);
    }
    return steps;
}

}  // namespace discreet
