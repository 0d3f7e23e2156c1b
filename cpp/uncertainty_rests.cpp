#include "uncertainty_rests.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace discreet {

namespace {

constexpr std::size_t block = 128;  // words of a bitmap that are looked at together

using Block = std::array<Word, block>;

}  // namespace

WholeRests::WholeRests(const FoldedRows& rows, Halt halt)
    : rows_(rows), halt_(halt), together_(rows.count(), 0), bits_(rows.labels) {}

bool WholeRests::is_rarer(std::int32_t one, std::int32_t other) const {
    return std::pair(rows_.list(one).size(), one) < std::pair(rows_.list(other).size(), other);
}

std::size_t WholeRests::place_of(std::uint32_t row, std::int32_t item) const {
    const auto held = rows_.row(row);
    return static_cast<std::size_t>(rows_.offsets[row] + (std::ranges::lower_bound(held, item) - held.begin()));
}

std::pair<std::int32_t, std::int32_t> WholeRests::two_rarest(std::uint32_t row) const {
    const auto held = rows_.row(row);
    std::int32_t first = held[0];
    std::int32_t second = held[1];
    if (is_rarer(second, first)) std::swap(first, second);
    for (const std::int32_t item : held.subspan(2))
        if (is_rarer(item, first)) {
            second = std::exchange(first, item);
        } else if (is_rarer(item, second)) {
            second = item;
        }
    return {first, second};
}

void WholeRests::count(Limits most, const Use& use) {
    list_lookups(most);
    Items order(rows_.labels);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::int32_t one, std::int32_t other) { return is_rarer(one, other); });
    for (const std::int32_t centre : order) {
        const auto mine = std::span(lookups_).subspan(starts_[centre], starts_[centre + 1] - starts_[centre]);
        if (mine.empty()) continue;
        gather(centre);
        for (const Lookup& lookup : mine) {
            halt_.breathe();
            const bool goes_on = lookup.rarest ? look_up_all_but_one(lookup.row, centre, most, use)
                                               : look_up_all_but_rarest(lookup.row, centre, most, use);
            if (!goes_on) return;
        }
    }
}

// By item, the rows of which it is the rarest, if any item is asked about, and those of which it is the second rarest,
// if the rarest is.
void WholeRests::list_lookups(Limits most) {
    starts_.assign(rows_.labels + 1, 0);
    const auto each = [&](auto use) {
        for (std::uint32_t row = 0; row < rows_.count(); ++row) {
            const auto held = rows_.row(row);
            const auto limits = most.subspan(static_cast<std::size_t>(rows_.offsets[row]), held.size());
            if (std::ranges::none_of(limits, [](std::int64_t limit) { return limit >= 0; })) continue;
            const auto [first, second] = two_rarest(row);
            use(first, Lookup{row, true});
            if (most[place_of(row, first)] >= 0) use(second, Lookup{row, false});
        }
    };
    each([&](std::int32_t item, Lookup) { ++starts_[item]; });
    std::size_t end = 0;
    for (std::size_t& start : starts_) start = end += start;
    lookups_.resize(end);
    each([&](std::int32_t item, Lookup lookup) { lookups_[--starts_[item]] = lookup; });
}

// Makes bitmaps of the rows with an item: of those items that are looked up among them.
void WholeRests::gather(std::int32_t centre) {
    bits_.forget();
    for (std::size_t at = starts_[centre]; at < starts_[centre + 1]; ++at)
        for (const std::int32_t item : rows_.row(lookups_[at].row))
            if (is_rarer(centre, item)) bits_.need(item);
    around_ = rows_.list(centre);
    bits_.take(around_, [&](std::uint32_t row) { return rows_.row(row); });
    words_ = bits_.words();
    std::fill_n(heavy_.reserve(words_), words_, 0);
    any_heavy_ = false;
    for (std::size_t at = 0; at < around_.size(); ++at) {
        if (rows_.weights[around_[at]] == 1) continue;
        set_bit(heavy_.data(), at);
        any_heavy_ = true;
    }
}

// The items of a row that are more frequent than the centre.
void WholeRests::take_seats(std::uint32_t row, std::int32_t centre) {
    const auto held = rows_.row(row);
    seats_.clear();
    for (std::size_t i = 0; i < held.size(); ++i)
        if (is_rarer(centre, held[i])) {
            const std::size_t place = static_cast<std::size_t>(rows_.offsets[row]) + i;
            seats_.push_back({held[i], place, bits_.of(held[i]), false, 0});
        }
}

// The weight of the rows in a block of a bitmap; the block begins at word `first` of it.
std::int64_t WholeRests::weigh(const Word* words, std::size_t first, std::size_t size) const {
    constexpr std::uint32_t only = 0;
    std::int64_t weight = 0;
    bitmap_loops().count_each(words, words, 0, &only, 1, size, 0, &weight);
    if (any_heavy_)
        for (std::size_t word = 0; word < size; ++word)
            for (Word bits = words[word] & heavy_.data()[first + word]; bits; bits &= bits - 1)
                weight += rows_.weights[around_[bits_per_word * (first + word) + std::countr_zero(bits)]] - 1;
    return weight;
}

// Among the rows with the rarest item, which is the centre: those with all others, and those that lack just one that is
// asked about. How many have all is counted to the end where the rarest is asked about, too: its turn comes later.
bool WholeRests::look_up_all_but_one(std::uint32_t row, std::int32_t centre, Limits most, const Use& use) {
    take_seats(row, centre);
    const bool to_the_end = most[place_of(row, centre)] >= 0;
    std::size_t asked = 0;
    for (Seat& seat : seats_) {
        seat.asked = most[seat.place] >= 0;
        asked += seat.asked;
    }
    std::int64_t together = 0;
    alignas(line_words * sizeof(Word)) Block all;
    alignas(line_words * sizeof(Word)) Block lacking;
    for (std::size_t first = 0; first < words_ && (asked || to_the_end); first += block) {
        const std::size_t size = std::min(block, words_ - first);
        std::fill_n(all.data(), size, ~Word{0});  // also beyond the last row, which no seat has and all lack
        std::fill_n(lacking.data(), size, 0);
        for (const Seat& seat : seats_) {
            const Word* bits = seat.bits + first;
            const Word may_lack = seat.asked ? ~Word{0} : 0;
            for (std::size_t word = 0; word < size; ++word) {
                lacking[word] = (lacking[word] & bits[word]) | (all[word] & ~bits[word] & may_lack);
                all[word] &= bits[word];
            }
        }
        together += weigh(all.data(), first, size);
        for (Seat& seat : seats_) {
            if (!seat.asked) continue;
            const Word* bits = seat.bits + first;
            for (std::size_t word = 0; word < size; ++word) all[word] = lacking[word] & ~bits[word];
            seat.outside += weigh(all.data(), first, size);
            if (seat.outside <= most[seat.place]) continue;
            seat.asked = false;
            --asked;
        }
    }
    together_[row] = together;
    return std::ranges::all_of(seats_, [&](const Seat& seat) {
        return most[seat.place] < 0 || use({seat.item, seat.place, together, seat.outside});
    });
}

// Among the rows with the second rarest item, which is the centre: those with all others, with the rarest or without.
bool WholeRests::look_up_all_but_rarest(std::uint32_t row, std::int32_t centre, Limits most, const Use& use) {
    take_seats(row, centre);
    const std::int32_t rarest = two_rarest(row).first;
    const std::size_t place = place_of(row, rarest);
    std::int64_t outside = -together_[row];
    alignas(line_words * sizeof(Word)) Block all;
    for (std::size_t first = 0; first < words_ && outside <= most[place]; first += block) {
        const std::size_t size = std::min(block, words_ - first);
        std::copy_n(seats_.front().bits + first, size, all.data());
        for (const Seat& seat : std::span(seats_).subspan(1)) {
            const Word* bits = seat.bits + first;
            for (std::size_t word = 0; word < size; ++word) all[word] &= bits[word];
        }
        outside += weigh(all.data(), first, size);
    }
    return use({rarest, place, together_[row], outside});
}

}  // namespace discreet
