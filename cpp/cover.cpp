#include "cover.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "bitmaps.hpp"

namespace discreet {

namespace {

// A candidate and the channels it covers, as a bitmap.
struct Choice {
    std::int64_t candidate;
    std::size_t length;
    std::vector<Word> covered;
};

std::size_t count(std::span<const Word> bits) {
    std::size_t total = 0;
    for (Word word : bits) total += static_cast<std::size_t>(std::popcount(word));
    return total;
}

std::size_t count_both(std::span<const Word> a, std::span<const Word> b) {
    std::size_t total = 0;
    for (std::size_t w = 0; w < a.size(); ++w) total += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
    return total;
}

bool inside(std::span<const Word> smaller, std::span<const Word> larger) {
    return contains(larger.data(), smaller.data(), smaller.size());
}

// For every item, the channels whose base holds it, and those whose full set holds it outside the base. A candidate
// covers the channels that lack none of their base's items and meet none of the others.
class Coverage {
public:
    explicit Coverage(const CoverTask& task) : words_(std::max<std::size_t>(1, words_for(task.bases.count()))) {
        std::size_t labels = 0;
        for (const Rows* rows : {&task.candidates, &task.fulls})
            for (std::int32_t item : rows->items) labels = std::max(labels, static_cast<std::size_t>(item) + 1);
        everything_.assign(words_, 0);
        for (std::size_t c = 0; c < task.bases.count(); ++c) set_bit(everything_.data(), c);
        in_base_.assign(labels * words_, 0);
        outside_.assign(labels * words_, 0);
        for (std::size_t c = 0; c < task.bases.count(); ++c) {
            for (std::int32_t item : task.fulls.row(c)) set_bit(outside_.data() + item * words_, c);
            for (std::int32_t item : task.bases.row(c)) {
                set_bit(in_base_.data() + item * words_, c);
                outside_[item * words_ + c / bits_per_word] &= ~(Word{1} << c % bits_per_word);
            }
        }
        base_items_.assign(task.bases.items.begin(), task.bases.items.end());
        std::ranges::sort(base_items_);
        base_items_.erase(std::ranges::unique(base_items_).begin(), base_items_.end());
    }

    std::size_t words() const { return words_; }

    // Puts the channels that a candidate covers into `covered`, and says whether there are any.
    bool of(std::span<const std::int32_t> candidate, std::vector<Word>& covered) const {
        covered = everything_;
        for (std::int32_t item : candidate)
            if (!remove(covered, outside_.data() + item * words_)) return false;
        std::size_t at = 0;
        for (std::int32_t item : base_items_) {  // what the candidate lacks, no covered channel's base may hold
            while (at < candidate.size() && candidate[at] < item) ++at;
            if (at < candidate.size() && candidate[at] == item) continue;
            if (!remove(covered, in_base_.data() + item * words_)) return false;
        }
        return true;
    }

private:
    static bool remove(std::vector<Word>& from, const Word* what) {
        Word left = 0;
        for (std::size_t w = 0; w < from.size(); ++w) left |= from[w] &= ~what[w];
        return left != 0;
    }

    std::size_t words_;
    std::vector<Word> everything_;
    std::vector<Word> in_base_;
    std::vector<Word> outside_;
    std::vector<std::int32_t> base_items_;
};

// The candidates worth having: of two that cover the same channels the shorter one, then the earlier one.
std::vector<Choice> find_choices(const CoverTask& task, const Coverage& coverage) {
    std::vector<Choice> choices;
    std::vector<Word> covered;
    for (std::size_t h = 0; h < task.candidates.count(); ++h) {
        if (coverage.of(task.candidates.row(h), covered))
            choices.push_back({static_cast<std::int64_t>(h), task.candidates.row(h).size(), covered});
    }
    std::ranges::stable_sort(choices, [](const Choice& a, const Choice& b) {
        return a.covered != b.covered ? a.covered > b.covered : a.length < b.length;
    });
    const auto same = std::ranges::unique(choices, {}, &Choice::covered);
    choices.erase(same.begin(), same.end());
    std::ranges::sort(choices, [](const Choice& a, const Choice& b) {
        return a.length != b.length ? a.length < b.length : a.candidate < b.candidate;
    });
    return choices;
}

using Chosen = std::vector<std::size_t>;  // places among the choices

Chosen cover_greedily(std::span<const Choice> choices, std::size_t channels, std::size_t words) {
    std::vector<Word> left(words, 0);
    for (std::size_t c = 0; c < channels; ++c) set_bit(left.data(), c);
    // What a choice would cover now is at most what it would have covered before, so old figures serve as bounds.
    std::vector<std::pair<std::size_t, std::size_t>> heap;  // bound, and the choice counted from the end: ties go to it
    for (std::size_t i = 0; i < choices.size(); ++i) heap.emplace_back(count(choices[i].covered), choices.size() - i);
    std::ranges::make_heap(heap);
    Chosen chosen;
    while (count(left)) {
        std::ranges::pop_heap(heap);
        auto [bound, from_end] = heap.back();
        const std::size_t i = choices.size() - from_end;
        const std::size_t now = count_both(choices[i].covered, left);
        if (now == bound) {
            heap.pop_back();
            chosen.push_back(i);
            for (std::size_t w = 0; w < words; ++w) left[w] &= ~choices[i].covered[w];
        } else {
            heap.back().first = now;
            std::ranges::push_heap(heap);
        }
    }
    return chosen;
}

// Drops what the others cover already; the last ones go first, as they cover the least.
void drop_superfluous(std::span<const Choice> choices, std::size_t words, Chosen& chosen) {
    for (std::size_t i = chosen.size(); i-- > 0;) {
        std::vector<Word> others(words, 0);
        for (std::size_t j = 0; j < chosen.size(); ++j)
            if (j != i)
                for (std::size_t w = 0; w < words; ++w) others[w] |= choices[chosen[j]].covered[w];
        if (inside(choices[chosen[i]].covered, others)) chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// Replaces two by one where one covers what only those two do.
bool two_for_one(std::span<const Choice> choices, std::span<const std::vector<std::size_t>> by_channel,
                 std::size_t words, Chosen& chosen, std::uint64_t& steps) {
    std::vector<Word> once(words, 0), twice(words, 0), thrice(words, 0);  // covered so often, or more
    for (std::size_t i : chosen)
        for (std::size_t w = 0; w < words; ++w) {
            const Word covered = choices[i].covered[w];
            thrice[w] |= twice[w] & covered;
            twice[w] |= once[w] & covered;
            once[w] |= covered;
        }
    std::vector<Word> needed(words);
    for (std::size_t a = 0; a < chosen.size(); ++a)
        for (std::size_t b = a + 1; b < chosen.size(); ++b) {
            for (std::size_t w = 0; w < words; ++w) {
                const Word one = choices[chosen[a]].covered[w];
                const Word other = choices[chosen[b]].covered[w];
                needed[w] = ((one | other) & ~twice[w]) | (one & other & ~thrice[w]);
            }
            std::size_t first = 0;
            while (first < words && !needed[first]) ++first;
            if (first == words) continue;
            const std::size_t channel =
                first * bits_per_word + static_cast<std::size_t>(std::countr_zero(needed[first]));
            for (std::size_t i : by_channel[channel]) {
                if (steps == 0) return false;
                --steps;
                if (!inside(needed, choices[i].covered)) continue;
                chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(b));
                chosen[a] = i;
                return true;
            }
        }
    return false;
}

std::vector<std::vector<std::size_t>> choices_by_channel(std::span<const Choice> choices, std::size_t channels) {
    std::vector<std::vector<std::size_t>> by_channel(channels);
    for (std::size_t i = 0; i < choices.size(); ++i)
        for (std::size_t w = 0; w < choices[i].covered.size(); ++w)
            for (Word left = choices[i].covered[w]; left; left &= left - 1)
                by_channel[w * bits_per_word + static_cast<std::size_t>(std::countr_zero(left))].push_back(i);
    return by_channel;
}

// Branch and bound: the channel that fewest choices cover is covered by each of them in turn.
class ExactCover {
public:
    ExactCover(std::span<const Choice> choices, std::span<const std::vector<std::size_t>> by_channel, Chosen best,
               std::uint64_t steps)
        : choices_(choices), by_channel_(by_channel), best_(std::move(best)), steps_(steps) {
        largest_ = 1;
        for (const Choice& choice : choices) largest_ = std::max(largest_, count(choice.covered));
        const std::size_t channels = by_channel.size();
        everything_ = channels == bits_per_word ? ~Word{0} : (Word{1} << channels) - 1;
    }

    // The best cover, or nothing where the steps did not suffice to prove it.
    std::optional<Chosen> run() {
        visit(everything_);
        if (steps_ == 0) return std::nullopt;
        return best_;
    }

private:
    void visit(Word left) {
        if (steps_ == 0) return;
        --steps_;
        if (!left) {
            best_ = path_;
            return;
        }
        const std::size_t still = (static_cast<std::size_t>(std::popcount(left)) + largest_ - 1) / largest_;
        if (path_.size() + still >= best_.size()) return;
        std::size_t rarest = 0;
        std::size_t fewest = choices_.size() + 1;
        for (Word rest = left; rest; rest &= rest - 1) {
            const auto c = static_cast<std::size_t>(std::countr_zero(rest));
            if (by_channel_[c].size() < fewest) fewest = by_channel_[c].size(), rarest = c;
        }
        for (std::size_t i : by_channel_[rarest]) {
            path_.push_back(i);
            visit(left & ~choices_[i].covered[0]);
            path_.pop_back();
        }
    }

    std::span<const Choice> choices_;
    std::span<const std::vector<std::size_t>> by_channel_;
    Chosen best_;
    Chosen path_;
    std::size_t largest_;
    Word everything_;
    std::uint64_t steps_;
};

}  // namespace

OwnedRows merge_in_order(const Rows& bases, const Rows& fulls) {
    std::size_t labels = 0;
    for (std::int32_t item : fulls.items) labels = std::max(labels, static_cast<std::size_t>(item) + 1);
    const std::size_t words = std::max<std::size_t>(1, words_for(labels));
    struct Pair {
        std::vector<Word> base, absent;
    };
    const auto meet = [&](const std::vector<Word>& a, const std::vector<Word>& b) {
        for (std::size_t w = 0; w < words; ++w)
            if (a[w] & b[w]) return true;
        return false;
    };
    const auto fits = [&](const Pair& smaller, const Pair& larger) {
        return inside(smaller.base, larger.base) && !meet(larger.base, smaller.absent);
    };
    std::vector<Pair> merged;
    for (std::size_t c = 0; c < bases.count(); ++c) {
        Pair pair{std::vector<Word>(words, 0), std::vector<Word>(words, 0)};
        for (std::int32_t item : fulls.row(c)) set_bit(pair.absent.data(), item);
        for (std::int32_t item : bases.row(c)) {
            set_bit(pair.base.data(), item);
            pair.absent[item / bits_per_word] &= ~(Word{1} << item % bits_per_word);
        }
        const auto other = std::ranges::find_if(merged, [&](const Pair& m) { return fits(pair, m) || fits(m, pair); });
        if (other != merged.end()) {
            for (std::size_t w = 0; w < words; ++w) {
                const Word full = pair.base[w] | pair.absent[w] | other->base[w] | other->absent[w];
                pair.base[w] |= other->base[w];
                pair.absent[w] = full & ~pair.base[w];
            }
            merged.erase(other);
        }
        merged.push_back(std::move(pair));
    }
    OwnedRows result;
    result.offsets.push_back(0);
    for (const Pair& pair : merged) {
        for (std::size_t item = 0; item < labels; ++item)
            if (has_bit(pair.base.data(), item)) result.items.push_back(static_cast<std::int32_t>(item));
        result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    }
    return result;
}

OwnedRows merge_covered(const Rows& candidates, const Rows& bases, const Rows& fulls, std::size_t labels) {
    OwnedRows merged;
    merged.offsets.push_back(0);
    std::vector<char> held(labels), wanted(labels);
    for (std::size_t h = 0; h < candidates.count(); ++h) {
        for (std::int32_t item : candidates.row(h)) held[item] = wanted[item] = 1;
        const auto is_held = [&](std::int32_t item) { return held[item] != 0; };
        for (std::size_t c = 0; c < bases.count(); ++c) {
            const auto base = bases.row(c);
            if (!std::ranges::all_of(base, is_held)) continue;
            const auto full = fulls.row(c);
            if (std::ranges::count_if(full, is_held) > static_cast<std::ptrdiff_t>(base.size())) continue;
            for (std::int32_t item : full) wanted[item] = 1;
        }
        for (std::size_t item = 0; item < labels; ++item)
            if (std::exchange(wanted[item], 0)) merged.items.push_back(static_cast<std::int32_t>(item));
        merged.offsets.push_back(static_cast<std::int64_t>(merged.items.size()));
        for (std::int32_t item : candidates.row(h)) held[item] = 0;
    }
    return merged;
}

std::vector<std::int64_t> cover_channels(const CoverTask& task) {
    const std::size_t channels = task.bases.count();
    if (channels == 0) return {};
    const Coverage coverage(task);
    const std::vector<Choice> choices = find_choices(task, coverage);
    Chosen chosen = cover_greedily(choices, channels, coverage.words());
    std::uint64_t steps = task.most_steps;
    const auto by_channel = choices_by_channel(choices, channels);
    do drop_superfluous(choices, coverage.words(), chosen);
    while (two_for_one(choices, by_channel, coverage.words(), chosen, steps));
    if (channels <= bits_per_word)
        if (const auto best = ExactCover(choices, by_channel, chosen, task.most_steps).run()) chosen = *best;
    std::vector<std::int64_t> numbers;
    for (std::size_t i : chosen) numbers.push_back(choices[i].candidate);
    std::ranges::sort(numbers);
    return numbers;
}

}  // namespace discreet
