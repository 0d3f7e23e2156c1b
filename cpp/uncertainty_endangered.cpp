#include "uncertainty_endangered.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace discreet {

namespace {

constexpr std::size_t block = 128;                          // words of a bitmap that are looked at together
constexpr std::size_t bitmap_bytes = std::size_t{1} << 27;  // of all bitmaps
constexpr std::size_t rare = 16;                            // a binary search is as good as a bitmap for so few rows

using Block = std::array<Word, block>;

bool reaches(std::int64_t together, std::int64_t outside, Share limit) {
    return at_least({together, together + outside}, limit);
}

// The most rows without the consequent that a rule with `together` rows may have and still pass.
std::int64_t most_outside(std::int64_t together, Share limit) {
    return static_cast<std::int64_t>(static_cast<__int128>(together) * (limit.whole - limit.part) / limit.part);
}

}  // namespace

EndangeredSearch::EndangeredSearch(const FoldedRows& rows, std::span<const Share> limits, Halt halt)
    : rows_(rows),
      limits_(limits),
      halt_(halt),
      words_(padded(words_for(rows.count() + 1))),
      bitmap_of_(rows.labels, -1),
      with_(rows.labels, 0),
      starts_(rows.labels, 0),
      sizes_(rows.labels, 0),
      shut_(rows.labels, 0),
      seen_(rows.labels, 0) {
    Items frequent;
    for (std::size_t item = 0; item < rows_.labels; ++item)
        if (rows_.list(static_cast<std::int32_t>(item)).size() >= rare)
            frequent.push_back(static_cast<std::int32_t>(item));
    std::ranges::stable_sort(frequent, std::greater<>{}, [&](std::int32_t item) { return rows_.list(item).size(); });
    frequent.resize(std::min(frequent.size(), bitmap_bytes / (words_ * sizeof(Word))));
    std::fill_n(bitmaps_.reserve(frequent.size() * words_), frequent.size() * words_, 0);
    for (std::size_t number = 0; number < frequent.size(); ++number) {
        bitmap_of_[frequent[number]] = static_cast<std::int32_t>(number);
        for (const std::uint32_t row : rows_.list(frequent[number])) set_bit(bitmaps_.data() + number * words_, row);
    }
    std::fill_n(all_rows_.reserve(words_), words_, 0);
    std::fill_n(heavy_.reserve(words_), words_, 0);
    for (std::size_t row = 0; row < rows_.count(); ++row) {
        set_bit(all_rows_.data(), row);
        if (rows_.weights[row] == 1) continue;
        set_bit(heavy_.data(), row);
        any_heavy_ = true;
    }
}

std::vector<std::uint8_t> EndangeredSearch::find(bool all, bool staged, std::size_t steps) {
    steps_of_row_ = steps;
    marked_.assign(rows_.items.size(), 0);
    most_.assign(rows_.items.size(), -1);
    outside_.assign(rows_.items.size(), 0);
    const auto each_sensitive = [&](auto use) {
        for (std::size_t item = 0; item < rows_.labels; ++item)
            if (rows_.sensitive[item] && (all || !found_)) (this->*use)(static_cast<std::int32_t>(item));
    };
    each_sensitive(&EndangeredSearch::try_single_items);
    if (all || !found_)
        WholeRests(rows_, halt_).count(most_, [&](const WholeRests::Answer& answer) {
            decide(answer);
            return all || !found_;
        });
    if (!staged || !found_) each_sensitive(&EndangeredSearch::search);
    return std::move(marked_);
}

// ---------------------------------------------------------------------------------------------------- counting

std::size_t EndangeredSearch::place_of(std::uint32_t row, std::int32_t item) const {
    const auto held = rows_.row(row);
    return static_cast<std::size_t>(rows_.offsets[row] + (std::ranges::lower_bound(held, item) - held.begin()));
}

const Word* EndangeredSearch::bitmap(std::int32_t item) const {
    return bitmap_of_[item] < 0 ? nullptr : bitmaps_.data() + static_cast<std::size_t>(bitmap_of_[item]) * words_;
}

bool EndangeredSearch::has(std::uint32_t row, std::int32_t item) const {
    const Word* bits = bitmap(item);
    return bits ? has_bit(bits, row) : std::ranges::binary_search(rows_.list(item), row);
}

// The weight of the rows in a block of a bitmap that are in `mask` as well; the block begins at word `first` of it.
std::int64_t EndangeredSearch::weigh(const Word* words, const Word* mask, std::size_t first, std::size_t size) const {
    constexpr std::uint32_t only = 0;
    std::int64_t weight = 0;
    bitmap_loops().count_each(words, mask + first, 0, &only, 1, size, 0, &weight);
    if (any_heavy_)
        for (std::size_t word = 0; word < size; ++word)
            for (Word bits = words[word] & mask[first + word] & heavy_.data()[first + word]; bits; bits &= bits - 1)
                weight += rows_.weights[bits_per_word * (first + word) + std::countr_zero(bits)] - 1;
    return weight;
}

// Whether the rows with a set of `size` items are found faster by bitmaps than by scanning those of its rarest item.
bool EndangeredSearch::prefers_bitmaps(std::int32_t rarest, std::size_t size) const {
    return bitmap_of_[rarest] >= 0 && 8 * rows_.list(rarest).size() > words_ * size;
}

// The antecedent, which is not empty, gets sorted. Counting stops when `outside` exceeds `most`.
EndangeredSearch::Counts EndangeredSearch::count(Items& antecedent, std::int32_t consequent, std::int64_t most) const {
    std::ranges::sort(antecedent, {}, [&](std::int32_t item) { return rows_.list(item).size(); });
    if (prefers_bitmaps(antecedent.front(), antecedent.size()) && bitmap_of_[consequent] >= 0)
        return count_by_bitmaps(antecedent, consequent, most);
    Counts counts;
    const auto others = std::span(antecedent).subspan(1);
    for (const std::uint32_t row : rows_.list(antecedent.front())) {
        if (!std::ranges::all_of(others, [&](std::int32_t item) { return has(row, item); })) continue;
        if (has(row, consequent)) {
            counts.together += rows_.weights[row];
        } else if ((counts.outside += rows_.weights[row]) > most) {
            return counts;
        }
    }
    return counts;
}

EndangeredSearch::Counts EndangeredSearch::count_by_bitmaps(const Items& antecedent, std::int32_t consequent,
                                                            std::int64_t most) const {
    Counts counts;
    alignas(line_words * sizeof(Word)) Block all;
    for (std::size_t first = 0; first < words_ && counts.outside <= most; first += block) {
        const std::size_t size = std::min(block, words_ - first);
        std::copy_n(bitmap(antecedent.front()) + first, size, all.data());
        for (const std::int32_t item : std::span(antecedent).subspan(1)) {
            const Word* bits = bitmap(item) + first;
            for (std::size_t word = 0; word < size; ++word) all[word] &= bits[word];
        }
        const std::int64_t together = weigh(all.data(), bitmap(consequent), first, size);
        counts.together += together;
        counts.outside += weigh(all.data(), all_rows_.data(), first, size) - together;
    }
    return counts;
}

// ---------------------------------------------------------------------------------------------------- single items

// The empty antecedent, and single items; what is left may still follow from two or more.
void EndangeredSearch::try_single_items(std::int32_t consequent) {
    count_with(consequent);
    const bool always = at_least({rows_.supports[consequent], rows_.total}, limit_);
    for (const std::int32_t item : touched_)
        seen_[item] = item != consequent && at_least({with_[item], rows_.supports[item]}, limit_);
    for (const std::uint32_t row : rows_.list(consequent)) {
        const auto held = rows_.row(row);
        bool follows = always;
        std::int64_t best = 0;
        for (const std::int32_t item : held) {
            follows |= seen_[item] != 0;
            if (item != consequent) best = std::max(best, with_[item]);
        }
        const std::size_t place = place_of(row, consequent);
        if (follows) {
            marked_[place] = 1;
            found_ = true;
        } else if (held.size() > 2) {
            most_[place] = most_outside(best, limit_);
        }
    }
    for (const std::int32_t item : touched_) seen_[item] = 0;
    forget_with();
}

void EndangeredSearch::count_with(std::int32_t consequent) {
    halt_.breathe();
    consequent_ = consequent;
    limit_ = limit_of(consequent);
    for (const std::uint32_t row : rows_.list(consequent))
        for (const std::int32_t item : rows_.row(row)) {
            if (!with_[item]) touched_.push_back(item);
            with_[item] += rows_.weights[row];
        }
}

void EndangeredSearch::forget_with() {
    for (const std::int32_t item : touched_) with_[item] = 0;
    touched_.clear();
}

// What the whole rest says about an item of a row.
void EndangeredSearch::decide(const WholeRests::Answer& answer) {
    outside_[answer.place] = answer.outside;
    if (answer.outside > most_[answer.place]) {
        most_[answer.place] = -1;
    } else if (reaches(answer.together, answer.outside, limit_of(answer.item))) {
        most_[answer.place] = -1;
        marked_[answer.place] = 1;
        found_ = true;
    }
}

// ---------------------------------------------------------------------------------------------------- parts of rests

void EndangeredSearch::search(std::int32_t consequent) {
    open_.clear();
    for (const std::uint32_t row : rows_.list(consequent))
        if (const std::size_t place = place_of(row, consequent); most_[place] >= 0)
            open_.push_back({row, place, outside_[place], {}});
    if (open_.empty()) return;
    count_with(consequent);
    for (Open& open : open_) {
        for (const std::int32_t item : rows_.row(open.row))
            if (item != consequent) open.rest.push_back(item);
        std::ranges::sort(open.rest, {}, [&](std::int32_t item) { return std::pair(with_[item], item); });
    }
    std::erase_if(open_, [&](Open& open) { return !narrow(open); });
    list_holders();
    barren_.clear();
    steps_ = steps_of_row_ * open_.size();
    std::erase_if(open_, [&](Open& open) { return marked_[open.place] || !examine(open); });
    std::erase_if(open_, [&](const Open& open) { return marked_[open.place] != 0; });
    if (!open_.empty()) enumerate();
    forget_with();
}

// Takes the items out that no rule can use, until there is none, or the rest passes; whether anything is still open.
bool EndangeredSearch::narrow(Open& open) {
    const auto useless = [&](std::int32_t item) { return most_outside(with_[item], limit_) < open.outside; };
    while (std::erase_if(open.rest, useless) > 0)
        if (open.rest.size() < 2 || !recount(open)) return false;
    return open.rest.size() > 2;  // single items were tried before, and two are the whole rest
}

// Counts the rows of a rest that lost items; false if it passes.
bool EndangeredSearch::recount(Open& open) {
    const std::int64_t best = with_[open.rest.back()];
    const Counts counts = count_parts(open.rest, {}, most_outside(best, limit_));
    open.outside = counts.outside;
    if (!reaches(counts.together, counts.outside, limit_)) return true;
    marked_[open.place] = 1;
    found_ = true;
    return false;
}

// For every item of an open rest, the rows with it and the consequent.
void EndangeredSearch::list_holders() {
    for (const Open& open : open_)
        for (const std::int32_t item : open.rest) seen_[item] = 1;
    const auto each = [&](auto use) {
        for (const std::uint32_t row : rows_.list(consequent_))
            for (const std::int32_t item : rows_.row(row))
                if (seen_[item]) use(row, item);
    };
    for (const std::int32_t item : touched_) sizes_[item] = 0;
    each([&](std::uint32_t, std::int32_t item) { ++sizes_[item]; });
    std::size_t end = 0;
    for (const std::int32_t item : touched_) starts_[item] = end += sizes_[item];
    held_by_.resize(end);
    each([&](std::uint32_t row, std::int32_t item) { held_by_[--starts_[item]] = row; });
    for (const std::int32_t item : touched_) seen_[item] = 0;
}

// Searches the parts of an open rest: with the item that the fewest rows have, then without it, and so on. Returns
// whether it is still open, as there are no steps left.
bool EndangeredSearch::examine(Open& open) {
    std::vector<Items> tried;
    while (narrow(open) && !barren_.contains(open.rest)) {
        if (!steps_) return true;
        tried.push_back(open.rest);
        const std::int32_t item = open.rest.front();
        Items others(open.rest.begin() + 1, open.rest.end());
        if (seek({item}, others, {held_by_.data() + starts_[item], sizes_[item]}, with_[item], open.outside))
            return false;
        if (!steps_) return true;
        open.rest = std::move(others);
        if (!recount(open)) return false;
    }
    if (!marked_[open.place])
        for (Items& each : tried) barren_.insert(std::move(each));
    return false;
}

// Whether a set of all `fixed` items and some of `tail` passes; the rows with it are marked. `holders` are the rows
// with the fixed items and the consequent, `together` their weight; `least` rows have all of the items and not the
// consequent, which is too many for the rule with all of them. If no steps are left, false says nothing.
bool EndangeredSearch::seek(Items fixed, Items tail, std::span<const std::uint32_t> holders, std::int64_t together,
                            std::int64_t least) {
    halt_.breathe();
    const std::int64_t most = most_outside(together, limit_);
    if (most < least || !steps_) return false;
    --steps_;
    std::vector<std::int64_t> with = count_holders(fixed, tail, holders);
    const auto drop = [&](std::size_t i) {
        tail.erase(tail.begin() + static_cast<std::ptrdiff_t>(i));
        with.erase(with.begin() + static_cast<std::ptrdiff_t>(i));
    };
    bool untried = fixed.size() > 1;  // whether the fixed items alone may pass; single ones were tried before
    bool counted = true;              // whether `least` is that of the present items
    while (true) {
        for (std::size_t i = tail.size(); i-- > 0;)
            if (most_outside(with[i], limit_) < least) {
                drop(i);
                counted = false;
            }
        if (tail.empty() && !untried) return false;
        if (!counted) {
            const std::int64_t limit = untried ? most : most_outside(std::ranges::max(with), limit_);
            const Counts counts = count_parts(fixed, tail, limit);
            if (counts.outside > limit) return false;
            if (reaches(counts.together, counts.outside, limit_)) {
                mark(holders, tail);
                return true;
            }
            least = counts.outside;
            counted = true;
            continue;
        }
        if (untried) {
            untried = false;
            for (std::size_t i = tail.size(); i-- > 0;)
                if (with[i] == together) {  // no set is better without it
                    fixed.push_back(tail[i]);
                    drop(i);
                }
            if (tail.empty()) return false;
            if (count_parts(fixed, {}, most).outside <= most) {
                mark(holders, {});
                return true;
            }
        }
        if (tail.size() == 1) return false;  // with it was counted, without it was tried
        const auto at = static_cast<std::size_t>(std::ranges::min_element(with) - with.begin());
        const std::int32_t item = tail[at];
        const std::int64_t weight = with[at];
        drop(at);
        std::vector<std::uint32_t> some;
        for (const std::uint32_t row : holders)
            if (has(row, item)) some.push_back(row);
        fixed.push_back(item);
        if (seek(fixed, tail, some, weight, least)) return true;
        fixed.pop_back();
        counted = false;
    }
}

// By item of `tail`, the weight of the holders with it.
std::vector<std::int64_t> EndangeredSearch::count_holders(const Items& fixed, const Items& tail,
                                                          std::span<const std::uint32_t> holders) const {
    std::vector<std::int64_t> with(tail.size(), 0);
    const auto add = [&](std::uint32_t row, std::int64_t weight) {
        for (std::size_t i = 0; i < tail.size(); ++i)
            if (has(row, tail[i])) with[i] += weight;
    };
    const auto has_bitmap = [&](std::int32_t item) { return bitmap_of_[item] >= 0; };
    if (2 * holders.size() < words_ || !has_bitmap(consequent_) || !std::ranges::all_of(fixed, has_bitmap) ||
        !std::ranges::all_of(tail, has_bitmap)) {
        for (const std::uint32_t row : holders) add(row, rows_.weights[row]);
        return with;
    }
    std::vector<std::uint32_t> which;
    for (const std::int32_t item : tail) which.push_back(static_cast<std::uint32_t>(bitmap_of_[item]));
    alignas(line_words * sizeof(Word)) Block all;
    for (std::size_t first = 0; first < words_; first += block) {
        const std::size_t size = std::min(block, words_ - first);
        std::copy_n(bitmap(consequent_) + first, size, all.data());
        for (const std::int32_t item : fixed) {
            const Word* bits = bitmap(item) + first;
            for (std::size_t word = 0; word < size; ++word) all[word] &= bits[word];
        }
        bitmap_loops().count_each(all.data(), bitmaps_.data() + first, words_, which.data(), which.size(), size, 0,
                                  with.data());
        if (!any_heavy_) continue;
        for (std::size_t word = 0; word < size; ++word)
            for (Word bits = all[word] & heavy_.data()[first + word]; bits; bits &= bits - 1) {
                const auto row = static_cast<std::uint32_t>(bits_per_word * (first + word) + std::countr_zero(bits));
                add(row, rows_.weights[row] - 1);
            }
    }
    return with;
}

EndangeredSearch::Counts EndangeredSearch::count_parts(const Items& fixed, const Items& tail, std::int64_t most) {
    antecedent_ = fixed;
    antecedent_.insert(antecedent_.end(), tail.begin(), tail.end());
    return count(antecedent_, consequent_, most);
}

void EndangeredSearch::mark(std::span<const std::uint32_t> holders, const Items& items) {
    found_ = true;
    for (const std::uint32_t row : holders)
        if (std::ranges::all_of(items, [&](std::int32_t item) { return has(row, item); }))
            marked_[place_of(row, consequent_)] = 1;
}

// The sets that are closed among the rows with the consequent and of use to an open row, each once.
void EndangeredSearch::enumerate() {
    for (const Open& open : open_)
        for (const std::int32_t item : open.rest) seen_[item] = 1;
    holders_.clear();
    std::size_t next = 0;  // both lists ascend by row
    for (const std::uint32_t row : rows_.list(consequent_)) {
        Holder holder{rows_.weights[row], -1, {}};
        if (next < open_.size() && open_[next].row == row) holder.open = static_cast<std::int32_t>(next++);
        for (const std::int32_t item : rows_.row(row))
            if (seen_[item]) holder.items.push_back(item);
        if (!holder.items.empty()) holders_.push_back(std::move(holder));
    }
    for (const Open& open : open_)
        for (const std::int32_t item : open.rest) seen_[item] = 0;
    std::vector<std::uint32_t> all(holders_.size());
    for (std::uint32_t h = 0; h < all.size(); ++h) all[h] = h;
    descend(all);
}

void EndangeredSearch::descend(std::span<const std::uint32_t> holders) {
    halt_.breathe();
    std::int64_t together = 0;
    for (const std::uint32_t h : holders) together += holders_[h].weight;
    const std::int64_t most = most_outside(together, limit_);
    std::vector<std::uint32_t> concerned;  // holders that are open, and that a rule from here may still endanger
    for (const std::uint32_t h : holders)
        if (const std::int32_t at = holders_[h].open; at >= 0 && !marked_[open_[at].place] && open_[at].outside <= most)
            concerned.push_back(h);
    if (concerned.empty()) return;
    std::vector<std::int32_t> touched;
    for (const std::uint32_t h : concerned)
        for (const std::int32_t item : holders_[h].items)
            if (!seen_[item]) {
                seen_[item] = 1;
                touched.push_back(item);
            }
    for (const std::uint32_t h : holders)
        for (const std::int32_t item : holders_[h].items)
            if (seen_[item]) ++seen_[item];
    Items common;
    std::vector<std::pair<std::uint32_t, std::int32_t>> open;
    bool known = false;  // an earlier branch covered this
    for (const std::int32_t item : touched) {
        const std::uint32_t size = seen_[item] - 1;
        seen_[item] = 0;
        if (size == holders.size()) {
            common.push_back(item);
            known |= shut_[item] != 0;
        } else if (!shut_[item]) {
            open.emplace_back(size, item);
        }
    }
    if (known) return;
    if (!common.empty()) {
        const Counts counts = count(common, consequent_, most);
        if (reaches(counts.together, counts.outside, limit_))
            for (const std::uint32_t h : holders)
                if (holders_[h].open >= 0) marked_[open_[holders_[h].open].place] = found_ = true;
    }
    std::ranges::sort(open);
    std::vector<std::size_t> ends;  // of each item's holders; then where they begin
    for (const auto& [size, item] : open) {
        seen_[item] = static_cast<std::uint32_t>(ends.size()) + 1;
        ends.push_back((ends.empty() ? 0 : ends.back()) + size);
    }
    std::vector<std::uint32_t> with(ends.empty() ? 0 : ends.back());
    for (auto h = holders.rbegin(); h != holders.rend(); ++h)
        for (const std::int32_t item : holders_[*h].items)
            if (const std::uint32_t slot = seen_[item]) with[--ends[slot - 1]] = *h;
    for (const auto& [size, item] : open) seen_[item] = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        descend({with.data() + ends[i], open[i].first});
        shut_[open[i].second] = 1;
    }
    for (const auto& [size, item] : open) shut_[item] = 0;
}

}  // namespace discreet
