#include "uncertainty_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "bitmaps.hpp"

namespace discreet {

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

std::size_t place_of(const FoldedRows& rows, std::uint32_t row, std::int32_t item) {
    const auto held = rows.row(row);
    return static_cast<std::size_t>(rows.offsets[row] + (std::ranges::lower_bound(held, item) - held.begin()));
}

}  // namespace

RuleSearch::RuleSearch(const FoldedRows& rows, Halt halt)
    : rows_(rows), halt_(halt), words_(rows.count() / 64 + 1), seen_(rows.labels, 0), shut_(rows.labels, 0) {}

bool RuleSearch::passes(Share share, std::int32_t consequent) const {
    return aim_ == Aim::worst ? more_than(share, threshold_) : at_least(share, bound(consequent));
}

std::int64_t RuleSearch::most_outside(std::int64_t together, std::int32_t consequent) const {
    const Share least = bound(consequent);
    if (least.part == 0) return unlimited;
    const __int128 room = static_cast<__int128>(together) * (least.whole - least.part);
    const auto most = static_cast<std::int64_t>(room / least.part);
    return aim_ == Aim::worst && room % least.part == 0 ? most - 1 : most;
}

bool RuleSearch::ended() const {
    return aim_ == Aim::worst ? done_ : reached_;
}

// Ends the search if it was stopped.
void RuleSearch::breathe() {
    halt_.breathe();
    if (aim_ != Aim::reach || work_ <= most_work_) return;
    reached_ = done_ = true;
    best_ = {{}, consequent_, 0, 0};
}

SensitiveRule RuleSearch::worst() {
    aim_ = Aim::worst;
    search_all();
    if (best_.consequent < 0) return best_;
    shorten();
    for (std::int32_t& item : best_.antecedent) item = rows_.code_of[item];
    best_.consequent = rows_.code_of[best_.consequent];
    return best_;
}

bool RuleSearch::reaches(Limits limits) {
    aim_ = Aim::reach;
    limits_ = limits;
    search_all();
    return reached_;
}

bool RuleSearch::concludes(std::int32_t item, std::span<const std::uint8_t> kept, Limits limits, RowFolder& rests) {
    aim_ = Aim::reach;
    limits_ = limits;
    consequent_ = item;
    settled_.assign(rows_.labels, 0);
    affected_.items.clear();
    reached_ = done_ = false;
    rests.begin();
    if (passes({rows_.supports[item], rows_.total}, item)) found({}, rows_.supports[item], rows_.total);
    if (reached_) return true;
    holders_.clear();
    const std::int64_t most = most_outside(rows_.supports[item], item);
    // Rows that are equal now are counted once; the work of counting is charged for each.
    struct Counted {
        std::int64_t outside;
        std::uint64_t work;
    };
    std::vector<Counted> counted;
    std::vector<std::uint32_t> numbers;  // of the holders among the rests
    std::vector<std::int32_t> rest;
    for (const std::uint32_t row : rows_.list(item)) {
        breathe();
        if (reached_) return true;
        rest.clear();
        for (const std::int32_t other : rows_.row(row))
            if (kept[other] && other != item) rest.push_back(other);
        const std::uint32_t number = rests.add(rest, rows_.weights[row]);
        if (number == counted.size()) {
            const std::uint64_t before = work_;
            const std::int64_t outside = outside_of(rest, item, most);
            counted.push_back({outside, work_ - before});
        } else {
            work_ += counted[number].work;
        }
        const std::int64_t outside = counted[number].outside;
        if (passes({rows_.weights[row], rows_.weights[row] + outside}, item)) {
            found(rest, rows_.weights[row], rows_.weights[row] + outside);
            return true;
        }
        if (outside > most) continue;
        holders_.push_back({outside, rows_.weights[row], row, {}});
        numbers.push_back(number);
    }
    for (std::size_t h = 0; h < holders_.size(); ++h) holders_[h].items = rests.row(numbers[h]);
    search_holders();
    return reached_;
}

Affected RuleSearch::affected(Limits limits) {
    aim_ = Aim::each;
    limits_ = limits;
    affected_.rows.assign(rows_.count(), 0);
    search_all();
    std::ranges::sort(affected_.items);
    return std::move(affected_);
}

void RuleSearch::search_all() {
    settled_.assign(rows_.labels, 0);
    // All short antecedents are compared even if the first is already certain: the one with the most rows is the best
    // witness.
    for (std::size_t item = 0; item < rows_.labels && !reached_; ++item)
        if (rows_.sensitive[item]) try_short_antecedents(static_cast<std::int32_t>(item));
    if (ended()) return;
    outside_.assign(rows_.items.size(), unlimited);
    sign_rows();
    for (std::uint32_t row = 0; row < rows_.count() && !ended(); ++row) {
        breathe();
        count_outside(row);
        try_whole_row(row);
    }
    for (std::size_t item = 0; item < rows_.labels && !ended(); ++item)
        if (rows_.sensitive[item] && !settled_[item]) search(static_cast<std::int32_t>(item));
}

// The empty antecedent, and every single item.
void RuleSearch::try_short_antecedents(std::int32_t consequent) {
    halt_.breathe();
    consequent_ = consequent;
    const auto list = rows_.list(consequent);
    std::vector<std::int32_t> touched;
    for (const std::uint32_t row : list)
        for (const std::int32_t item : rows_.row(row)) {
            if (!seen_[item]) touched.push_back(item);
            seen_[item] += rows_.weights[row];
        }
    std::ranges::sort(touched);
    const auto consider = [&](std::span<const std::int32_t> antecedent, Share share) {
        const bool tie = aim_ == Aim::worst && share.part > best_.together && at_least(share, threshold_);
        if (!passes(share, consequent) && !(tie && best_.consequent >= 0)) return false;
        found(antecedent, share.part, share.whole);
        return true;
    };
    // A consequent that follows from nothing also follows from the item itself, which stands for the empty antecedent.
    for (const std::int32_t item : touched) {
        const Share share{seen_[item], item == consequent ? rows_.total : rows_.supports[item]};
        seen_[item] = consider(item == consequent ? std::span<const std::int32_t>{} : std::span{&item, 1}, share);
    }
    if (aim_ == Aim::each && settled_[consequent])
        for (const std::uint32_t row : list)
            for (const std::int32_t item : rows_.row(row)) affected_.rows[row] |= seen_[item] != 0;
    for (const std::int32_t item : touched) seen_[item] = 0;
}

// n(t) for all sensitive items of a row: rows that lack just one item of it contain the rarest one, unless that is the
// one they lack. If even the rarest is in many rows, each item is counted separately.
void RuleSearch::count_outside(std::uint32_t row) {
    const auto held = rows_.row(row);
    std::int32_t rarest = -1;
    std::int32_t second = -1;
    bool live = false;
    for (std::size_t i = 0; i < held.size(); ++i) {
        const std::int32_t item = held[i];
        if (rarest < 0 || rows_.list(item).size() < rows_.list(rarest).size()) {
            second = rarest;
            rarest = item;
        } else if (second < 0 || rows_.list(item).size() < rows_.list(second).size()) {
            second = item;
        }
        if (!rows_.sensitive[item] || settled_[item]) continue;
        outside_[rows_.offsets[row] + i] = 0;
        live = true;
    }
    if (!live) return;
    if (held.size() == 1) {
        outside_[rows_.offsets[row]] = rows_.total - rows_.supports[held[0]];
        return;
    }
    const bool together = !prefers_bitmaps(rarest, held.size());
    if (together) scan_for_outside(row, rarest, -1);
    if (together && rows_.sensitive[rarest] && !prefers_bitmaps(second, held.size())) {
        scan_for_outside(row, second, rarest);
        return;
    }
    std::vector<std::int32_t> rest;
    for (std::size_t i = 0; i < held.size(); ++i) {
        std::int64_t& outside = outside_[rows_.offsets[row] + i];
        if (outside == unlimited || (together && held[i] != rarest)) continue;
        rest.assign(held.begin(), held.end());
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        outside = outside_of(rest, held[i], most_outside(rows_.supports[held[i]], held[i]));
    }
}

void RuleSearch::sign_rows() {
    signs_.assign(rows_.count(), 0);
    for (std::uint32_t row = 0; row < rows_.count(); ++row)
        for (const std::int32_t item : rows_.row(row)) signs_[row] |= std::uint64_t{1} << item % 64;
}

// Counts the rows that contain `through` and lack exactly one item of `row`, a sensitive one; if `only` is given, that
// one.
void RuleSearch::scan_for_outside(std::uint32_t row, std::int32_t through, std::int32_t only) {
    const auto held = rows_.row(row);
    std::int64_t* outside = outside_.data() + rows_.offsets[row];
    std::size_t live = 0;  // items whose count can still matter
    for (std::size_t i = 0; i < held.size(); ++i)
        live += outside[i] == 0 && held[i] != through && (only < 0 || held[i] == only);
    if (!live) return;
    work_ += rows_.list(through).size();
    for (const std::uint32_t other : rows_.list(through)) {
        const std::uint64_t lacks = signs_[row] & ~signs_[other];
        if (lacks & (lacks - 1)) continue;  // two bits: at least two items
        const auto them = rows_.row(other);
        if (them.size() + 1 < held.size() || other == row) continue;
        std::size_t missing = held.size();
        std::size_t j = 0;
        bool two = false;
        for (std::size_t i = 0; i < held.size(); ++i) {
            while (j < them.size() && them[j] < held[i]) ++j;
            if (j < them.size() && them[j] == held[i]) continue;
            if (missing < held.size() || outside[i] == unlimited || (only >= 0 && held[i] != only)) {
                two = true;
                break;
            }
            missing = i;
        }
        if (two || missing == held.size()) continue;
        const std::int64_t most = most_outside(rows_.supports[held[missing]], held[missing]);
        if (outside[missing] > most) continue;
        outside[missing] += rows_.weights[other];
        if (outside[missing] > most && --live == 0) return;
    }
}

// All of a row except one item is the antecedent that the fewest other rows contain.
void RuleSearch::try_whole_row(std::uint32_t row) {
    const auto held = rows_.row(row);
    for (std::size_t i = 0; i < held.size() && !ended(); ++i) {
        const std::int32_t item = held[i];
        if (!rows_.sensitive[item] || settled_[item]) continue;
        const std::size_t place = static_cast<std::size_t>(rows_.offsets[row]) + i;
        if (outside_[place] > most_outside(rows_.supports[item], item)) continue;
        if (!passes({rows_.weights[row], rows_.weights[row] + outside_[place]}, item)) continue;
        const std::int64_t together = support(held);
        std::vector<std::int32_t> antecedent(held.begin(), held.end());
        antecedent.erase(antecedent.begin() + static_cast<std::ptrdiff_t>(i));
        consequent_ = item;
        found(antecedent, together, together + outside_[place]);
    }
}

void RuleSearch::search(std::int32_t consequent) {
    consequent_ = consequent;
    done_ = false;
    holders_.clear();
    const std::int64_t most = most_outside(rows_.supports[consequent], consequent);
    for (const std::uint32_t row : rows_.list(consequent)) {
        const std::int64_t outside = outside_[place_of(rows_, row, consequent)];
        if (outside <= most) holders_.push_back({outside, rows_.weights[row], row, rows_.row(row)});
    }
    search_holders();
}

void RuleSearch::search_holders() {
    std::ranges::sort(holders_, [](const Holder& a, const Holder& b) {
        return a.outside != b.outside ? a.outside < b.outside : a.row < b.row;
    });
    std::vector<std::uint32_t> all(holders_.size());
    for (std::uint32_t h = 0; h < all.size(); ++h) all[h] = h;
    descend(all);
}

void RuleSearch::descend(std::span<const std::uint32_t> given) {
    breathe();
    if (done_) return;
    const auto holders = promising(given);
    if (holders.empty()) return;
    Extensions items;
    if (!find_extensions(holders, items)) return;
    try_antecedent(items.common, holders);
    if (!done_ && holders.size() > 1) branch(holders, items.open);
}

// The holders up to the last one at which the best possible rule still passes.
std::span<const std::uint32_t> RuleSearch::promising(std::span<const std::uint32_t> holders) const {
    std::size_t size = 0;
    std::int64_t together = 0;
    for (std::size_t h = 0; h < holders.size(); ++h) {
        const Holder& holder = holders_[holders[h]];
        together += holder.weight;
        if (passes({together, together + holder.outside}, consequent_)) size = h + 1;
    }
    return holders.first(size);
}

// Sorts the items of the holders' rows by whether all have them; false if an earlier branch covered this.
bool RuleSearch::find_extensions(std::span<const std::uint32_t> holders, Extensions& items) {
    work_ += holders.size();
    std::vector<std::int32_t> touched;
    for (const std::uint32_t h : holders)
        for (const std::int32_t item : holders_[h].items)
            if (++seen_[item] == 1) touched.push_back(item);
    std::ranges::sort(touched);
    bool known = false;
    for (const std::int32_t item : touched) {
        const auto count = static_cast<std::size_t>(seen_[item]);
        seen_[item] = 0;
        if (item == consequent_) continue;
        if (count == holders.size()) {
            items.common.push_back(item);
            known |= shut_[item];
        } else if (!shut_[item]) {
            items.open.push_back({static_cast<std::uint32_t>(count), item});
        }
    }
    return !known;
}

void RuleSearch::try_antecedent(std::span<const std::int32_t> antecedent, std::span<const std::uint32_t> holders) {
    std::int64_t together = 0;
    for (const std::uint32_t h : holders) together += holders_[h].weight;
    if (!passes({together, together + holders_[holders.back()].outside}, consequent_)) return;
    const std::int64_t outside = outside_of(antecedent, consequent_, most_outside(together, consequent_));
    if (passes({together, together + outside}, consequent_)) found(antecedent, together, together + outside);
}

// Descends once with every open item, fewest holders first, and never again below one that was tried.
void RuleSearch::branch(std::span<const std::uint32_t> holders, std::vector<Extension>& open) {
    std::ranges::sort(open);
    std::vector<std::size_t> starts(open.size() + 1, 0);
    for (std::size_t i = 0; i < open.size(); ++i) {
        starts[i + 1] = starts[i] + open[i].holders;
        seen_[open[i].item] = static_cast<std::int64_t>(i) + 1;
    }
    std::vector<std::uint32_t> buckets(starts.back());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (const std::uint32_t h : holders)
        for (const std::int32_t item : holders_[h].items)
            if (const std::int64_t slot = seen_[item]) buckets[next[slot - 1]++] = h;
    for (const Extension& extension : open) seen_[extension.item] = 0;
    for (std::size_t i = 0; i < open.size() && !done_; ++i) {
        descend({buckets.data() + starts[i], open[i].holders});
        shut_[open[i].item] = 1;
    }
    for (const Extension& extension : open) shut_[extension.item] = 0;
}

std::int32_t RuleSearch::rarest_of(std::span<const std::int32_t> itemset) const {
    return *std::ranges::min_element(itemset, {}, [&](std::int32_t item) { return rows_.list(item).size(); });
}

// Whether the rows of a set of `size` items, the rarest of which is given, are found faster by bitmaps than by scanning
// the rows of that item.
bool RuleSearch::prefers_bitmaps(std::int32_t rarest, std::size_t size) const {
    return 4 * rows_.list(rarest).size() > words_ * size;
}

const std::uint64_t* RuleSearch::bitmap(std::int32_t item) {
    if (bitmaps_.empty()) bitmaps_.resize(rows_.labels);
    auto& bits = bitmaps_[item];
    if (bits.empty()) {
        bits.assign(words_, 0);
        for (const std::uint32_t row : rows_.list(item)) bits[row / 64] |= std::uint64_t{1} << row % 64;
    }
    return bits.data();
}

// Adds the work of counting the rows with a set of `size` items, the rarest of which is given. It is charged in full
// wherever such a count is needed, even if less has to be done for it, so that budgets end searches at the same step.
void RuleSearch::charge(std::int32_t rarest, std::size_t size) {
    work_ += prefers_bitmaps(rarest, size) ? words_ * size / 8 : rows_.list(rarest).size();
}

// Calls `use` with every row that contains the itemset, which is not empty, until it returns false.
template <typename Use>
void RuleSearch::for_rows_with(std::span<const std::int32_t> itemset, Use use) {
    const std::int32_t rarest = rarest_of(itemset);
    maps_.clear();
    if (prefers_bitmaps(rarest, itemset.size())) {
        for (const std::int32_t item : itemset) maps_.push_back(bitmap(item));
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t bits = ~std::uint64_t{0};
            for (const std::uint64_t* map : maps_) bits &= map[word];
            for (; bits; bits &= bits - 1)
                if (!use(static_cast<std::uint32_t>(64 * word) + std::countr_zero(bits))) return;
        }
        return;
    }
    // Most rows lack one of the frequent items, which a bit tells. Bitmaps of the others would take more memory than
    // the rows.
    for (const std::int32_t item : itemset)
        if (item != rarest && rows_.list(item).size() >= words_) maps_.push_back(bitmap(item));
    const bool decided = maps_.size() + 1 == itemset.size();
    for (const std::uint32_t row : rows_.list(rarest)) {
        if (!std::ranges::all_of(maps_, [&](const std::uint64_t* map) { return has_bit(map, row); })) continue;
        if (!decided && !std::ranges::includes(rows_.row(row), itemset)) continue;
        if (!use(row)) return;
    }
}

// The weight of the rows that contain an itemset.
std::int64_t RuleSearch::support(std::span<const std::int32_t> itemset) {
    if (itemset.empty()) return rows_.total;
    charge(rarest_of(itemset), itemset.size());
    if (itemset.size() == 1) return rows_.supports[itemset[0]];
    std::int64_t sum = 0;
    for_rows_with(itemset, [&](std::uint32_t row) {
        sum += rows_.weights[row];
        return true;
    });
    return sum;
}

// How many rows contain the antecedent without the consequent; counting may stop at `most` + 1.
std::int64_t RuleSearch::outside_of(std::span<const std::int32_t> antecedent, std::int32_t consequent,
                                    std::int64_t most) {
    if (antecedent.empty()) {
        charge(consequent, 1);
        return rows_.total - rows_.supports[consequent];
    }
    const auto holders = rows_.list(consequent);
    const std::int32_t rarest = rarest_of(antecedent);
    charge(holders.size() < rows_.list(rarest).size() ? consequent : rarest, antecedent.size() + 1);
    charge(rarest, antecedent.size());
    std::int64_t sum = 0;
    if (antecedent.size() == 1) {
        const std::array both{std::min(rarest, consequent), std::max(rarest, consequent)};
        for_rows_with(both, [&](std::uint32_t row) {
            sum += rows_.weights[row];
            return true;
        });
        return rows_.supports[rarest] - sum;
    }
    if (holders.size() < words_ && holders.size() < rows_.list(rarest).size()) {
        for (const std::uint32_t row : holders)
            if (std::ranges::includes(rows_.row(row), antecedent)) sum -= rows_.weights[row];
        for_rows_with(antecedent, [&](std::uint32_t row) { return (sum += rows_.weights[row]) <= most; });
        return sum;
    }
    const std::uint64_t* known = holders.size() >= words_ ? bitmap(consequent) : nullptr;
    for_rows_with(antecedent, [&](std::uint32_t row) {
        if (!(known ? has_bit(known, row) : std::ranges::binary_search(holders, row))) sum += rows_.weights[row];
        return sum <= most;
    });
    return sum;
}

void RuleSearch::found(std::span<const std::int32_t> antecedent, std::int64_t together, std::int64_t holding) {
    best_ = {{antecedent.begin(), antecedent.end()}, consequent_, together, holding};
    if (aim_ == Aim::worst) {
        threshold_ = {together, holding};
        done_ = together == holding;  // no rule is more certain
        return;
    }
    if (!settled_[consequent_]) affected_.items.push_back(rows_.code_of[consequent_]);
    settled_[consequent_] = done_ = 1;
    reached_ = aim_ == Aim::reach;
}

// Removes every item, frequent ones first, without which the rule is as certain.
void RuleSearch::shorten() {
    std::vector<std::int32_t> order = best_.antecedent;
    std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
        return rows_.supports[a] != rows_.supports[b] ? rows_.supports[a] > rows_.supports[b] : a < b;
    });
    for (const std::int32_t item : order) {
        std::vector<std::int32_t> fewer = best_.antecedent;
        std::erase(fewer, item);
        const std::int64_t holding = support(fewer);
        fewer.insert(std::ranges::lower_bound(fewer, best_.consequent), best_.consequent);
        const std::int64_t together = support(fewer);
        if (!at_least({together, holding}, threshold_)) continue;
        std::erase(fewer, best_.consequent);
        best_ = {std::move(fewer), best_.consequent, together, holding};
    }
}

}  // namespace discreet
