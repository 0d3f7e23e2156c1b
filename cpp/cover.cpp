#include "cover.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "bitmaps.hpp"

namespace discreet {

namespace {

constexpr std::uint64_t between_ticks = 1 << 24;       // words processed: some hundredths of a second
constexpr std::uint64_t most_improving = 500'000'000;  // covered channels examined to improve a cover

// Counts work, and ticks at regular intervals.
class Work {
public:
    explicit Work(const std::function<void()>& tick) : tick_(tick) {}

    void done(std::uint64_t steps) {
        steps_ += steps;
        if (steps_ < between_ticks) return;
        steps_ = 0;
        tick_();
    }

private:
    const std::function<void()>& tick_;
    std::uint64_t steps_ = 0;
};

// Itemsets as bitmaps over the items in any channel's full set, however many other labels there are.
class Bitmaps {
public:
    explicit Bitmaps(const Rows& fulls) : used_(fulls.items.begin(), fulls.items.end()) {
        std::ranges::sort(used_);
        used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
        places_.assign(used_.empty() ? 0 : static_cast<std::size_t>(used_.back()) + 1, used_.size());
        for (std::size_t place = 0; place < used_.size(); ++place) places_[used_[place]] = place;
        words_ = std::max<std::size_t>(1, words_for(used_.size()));
    }

    std::size_t words() const { return words_; }
    std::size_t items() const { return used_.size(); }
    std::int32_t item(std::size_t place) const { return used_[place]; }

    // The bit of an item; items() if no full set contains it.
    std::size_t place(std::int32_t item) const {
        return static_cast<std::size_t>(item) < places_.size() ? places_[item] : items();
    }

    std::vector<Word> of(const Rows& itemsets) const {
        std::vector<Word> bitmaps(itemsets.count() * words_, 0);
        for (std::size_t s = 0; s < itemsets.count(); ++s)
            for (std::int32_t item : itemsets.row(s))
                if (const std::size_t bit = place(item); bit < items()) set_bit(bitmaps.data() + s * words_, bit);
        return bitmaps;
    }

private:
    std::vector<std::int32_t> used_;
    std::vector<std::size_t> places_;  // by item
    std::size_t words_;
};

bool covers(const Word* candidate, const Word* base, const Word* full, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w)
        if ((candidate[w] & full[w]) != base[w]) return false;
    return true;
}

using Channel = std::uint32_t;

// A candidate and the channels it covers, ascending.
struct Choice {
    std::int64_t candidate;
    std::size_t length;
    std::vector<Channel> covered;
    std::size_t hash;
};

// The candidates worth considering: of two that cover the same channels the shorter one, then the earlier one.
std::vector<Choice> find_choices(const CoverTask& task, Work& work) {
    const Bitmaps bitmaps(task.fulls);
    std::vector<Choice> choices(task.candidates.count());
    const std::size_t words = words_for(choices.size());
    std::vector<Word> holders(bitmaps.items() * words, 0);  // for each item, the candidates that hold it
    std::vector<Word> everyone(words, 0);
    for (std::size_t h = 0; h < choices.size(); ++h) {
        set_bit(everyone.data(), h);
        for (std::int32_t item : task.candidates.row(h))
            if (const std::size_t place = bitmaps.place(item); place < bitmaps.items())
                set_bit(holders.data() + place * words, h);
    }
    std::vector<Word> covering;  // the candidates with all of a channel's base and nothing else of its full set
    for (std::size_t c = 0; c < task.bases.count(); ++c) {
        covering = everyone;
        const auto base = task.bases.row(c);
        std::size_t at = 0;
        for (std::int32_t item : task.fulls.row(c)) {
            const Word* holding = holders.data() + bitmaps.place(item) * words;
            if (at < base.size() && base[at] == item) {
                ++at;
                intersect(covering.data(), covering.data(), holding, words);
            } else {
                for (std::size_t w = 0; w < words; ++w) covering[w] &= ~holding[w];
            }
        }
        for (std::size_t w = 0; w < words; ++w)
            for (Word left = covering[w]; left; left &= left - 1)
                choices[w * bits_per_word + static_cast<std::size_t>(std::countr_zero(left))].covered.push_back(
                    static_cast<Channel>(c));
        work.done(task.fulls.row(c).size() * words);
    }
    for (std::size_t h = 0; h < choices.size(); ++h) {
        Choice& choice = choices[h];
        choice.candidate = static_cast<std::int64_t>(h);
        choice.length = task.candidates.row(h).size();
        choice.hash = 0;
        for (Channel c : choice.covered) choice.hash = (choice.hash ^ c) * 0x9e3779b97f4a7c15u;
    }
    std::erase_if(choices, [](const Choice& choice) { return choice.covered.empty(); });
    std::ranges::sort(choices, [](const Choice& a, const Choice& b) {
        if (a.hash != b.hash) return a.hash < b.hash;
        if (a.covered != b.covered) return a.covered < b.covered;
        return a.length != b.length ? a.length < b.length : a.candidate < b.candidate;
    });
    const auto same = [](const Choice& a, const Choice& b) { return a.covered == b.covered; };
    choices.erase(std::unique(choices.begin(), choices.end(), same), choices.end());
    std::ranges::sort(choices, [](const Choice& a, const Choice& b) {
        return a.length != b.length ? a.length < b.length : a.candidate < b.candidate;
    });
    return choices;
}

// A set of choices, and how often they cover each channel.
class Cover {
public:
    Cover(std::span<const Choice> choices, std::size_t channels)
        : choices_(choices),
          chosen_(choices.size()),
          alone_(choices.size()),
          shared_(choices.size()),
          times_(channels),
          by_(channels) {}

    void add(std::size_t i) { change(i, true); }
    void drop(std::size_t i) { change(i, false); }
    bool has(std::size_t i) const { return chosen_[i]; }
    std::size_t size() const { return size_; }
    bool covered(Channel c) const { return times_[c] != 0; }

    // Whether the others cover everything that this one covers.
    bool superfluous(std::size_t i) const { return alone_[i] == 0; }

    // Those that would each become superfluous if one more choice were added.
    std::vector<std::size_t> freed_by(std::size_t more) {
        std::vector<std::size_t> freed;
        for (Channel c : choices_[more].covered)
            if (times_[c] == 1 && ++shared_[by_[c]] == alone_[by_[c]]) freed.push_back(by_[c]);
        for (Channel c : choices_[more].covered)
            if (times_[c] == 1) shared_[by_[c]] = 0;
        return freed;
    }

    std::vector<std::size_t> chosen() const {
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < chosen_.size(); ++i)
            if (chosen_[i]) numbers.push_back(i);
        return numbers;
    }

private:
    void change(std::size_t i, bool more) {
        chosen_[i] = more;
        size_ += more ? 1 : -1;
        for (Channel c : choices_[i].covered) {
            if (times_[c] == 1) --alone_[by_[c]];
            times_[c] += more ? 1 : -1;
            by_[c] ^= i;
            if (times_[c] == 1) ++alone_[by_[c]];
        }
    }

    std::span<const Choice> choices_;
    std::vector<char> chosen_;
    std::vector<std::size_t> alone_;   // for each choice, the channels that it alone covers
    std::vector<std::size_t> shared_;  // for each choice, those of them that one more would cover; 0 between calls
    std::vector<std::uint32_t> times_;
    std::vector<std::size_t> by_;  // for each channel, the XOR of the choices that cover it
    std::size_t size_ = 0;
};

Cover cover_greedily(std::span<const Choice> choices, std::size_t channels, Work& work) {
    // A choice can only cover less than before, so old counts are upper bounds.
    std::vector<std::pair<std::size_t, std::size_t>> heap;  // bound, and the choice counted from the end
    for (std::size_t i = 0; i < choices.size(); ++i) heap.emplace_back(choices[i].covered.size(), choices.size() - i);
    std::ranges::make_heap(heap);
    Cover cover(choices, channels);
    for (std::size_t left = channels; left > 0;) {
        std::ranges::pop_heap(heap);
        const auto [bound, from_end] = heap.back();
        const std::size_t i = choices.size() - from_end;
        const auto now = static_cast<std::size_t>(
            std::ranges::count_if(choices[i].covered, [&](Channel c) { return !cover.covered(c); }));
        work.done(choices[i].covered.size());
        if (now == bound) {
            heap.pop_back();
            cover.add(i);
            left -= now;
        } else {
            heap.back().first = now;
            std::ranges::push_heap(heap);
        }
    }
    return cover;
}

// Adds a choice if it makes two or more superfluous, until that fails or the budget is used up.
void improve(std::span<const Choice> choices, Cover& cover, Work& work) {
    for (std::size_t i : cover.chosen())
        if (cover.superfluous(i)) cover.drop(i);
    std::uint64_t steps = most_improving;
    std::size_t unchanged = 0;
    for (std::size_t i = 0; unchanged < choices.size(); i = (i + 1) % choices.size(), ++unchanged) {
        if (cover.has(i)) continue;
        const std::size_t cost = choices[i].covered.size();
        if (steps < cost) return;
        steps -= cost;
        work.done(cost);
        const std::vector<std::size_t> freed = cover.freed_by(i);
        if (freed.size() < 2) continue;
        cover.add(i);
        std::vector<std::size_t> gone;
        for (std::size_t other : freed)
            if (cover.superfluous(other)) cover.drop(other), gone.push_back(other);
        if (gone.size() > 1) {
            unchanged = 0;
        } else {
            for (std::size_t other : gone) cover.add(other);
            cover.drop(i);
        }
    }
}

using Chosen = std::vector<std::size_t>;  // indices of the choices

// Branch and bound over at most 64 channels: the channel with the fewest choices is covered by each of them in turn.
class ExactCover {
public:
    ExactCover(std::span<const Choice> choices, std::size_t channels, Chosen best, std::uint64_t steps)
        : masks_(choices.size()), by_channel_(channels), best_(std::move(best)), steps_(steps) {
        for (std::size_t i = 0; i < choices.size(); ++i) {
            largest_ = std::max(largest_, choices[i].covered.size());
            for (Channel c : choices[i].covered) {
                masks_[i] |= Word{1} << c;
                by_channel_[c].push_back(i);
            }
        }
    }

    // The best cover, or nothing if the steps did not suffice to prove it.
    std::optional<Chosen> run() {
        const std::size_t channels = by_channel_.size();
        visit(channels == bits_per_word ? ~Word{0} : (Word{1} << channels) - 1);
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
        std::size_t fewest = masks_.size() + 1;
        for (Word rest = left; rest; rest &= rest - 1) {
            const auto c = static_cast<std::size_t>(std::countr_zero(rest));
            if (by_channel_[c].size() < fewest) fewest = by_channel_[c].size(), rarest = c;
        }
        for (std::size_t i : by_channel_[rarest]) {
            path_.push_back(i);
            visit(left & ~masks_[i]);
            path_.pop_back();
        }
    }

    std::vector<Word> masks_;
    std::vector<std::vector<std::size_t>> by_channel_;
    Chosen best_;
    Chosen path_;
    std::size_t largest_ = 1;
    std::uint64_t steps_;
};

}  // namespace

OwnedRows merge_in_order(const Rows& bases, const Rows& fulls, const std::function<void()>& tick) {
    const Bitmaps bitmaps(fulls);
    const std::size_t words = bitmaps.words();
    const std::vector<Word> all_bases = bitmaps.of(bases), all_fulls = bitmaps.of(fulls);
    std::vector<Word> merged;  // for each that is left its base, and then its full set
    const auto fits = [&](const Word* one, const Word* other) {  // the larger base shares no more with the full set
        return covers(other, one, one + words, words);
    };
    Work work(tick);
    std::vector<Word> pair(2 * words);
    for (std::size_t c = 0; c < bases.count(); ++c) {
        std::copy_n(all_bases.data() + c * words, words, pair.begin());
        std::copy_n(all_fulls.data() + c * words, words, pair.begin() + words);
        for (std::size_t at = 0; at < merged.size(); at += 2 * words) {
            Word* other = merged.data() + at;
            if (!fits(pair.data(), other) && !fits(other, pair.data())) continue;
            for (std::size_t w = 0; w < 2 * words; ++w) pair[w] |= other[w];
            merged.erase(merged.begin() + at, merged.begin() + at + 2 * words);
            break;
        }
        merged.insert(merged.end(), pair.begin(), pair.end());
        work.done(merged.size());
    }
    OwnedRows result;
    result.offsets.push_back(0);
    for (std::size_t at = 0; at < merged.size(); at += 2 * words) {
        for (std::size_t place = 0; place < bitmaps.items(); ++place)
            if (has_bit(merged.data() + at, place)) result.items.push_back(bitmaps.item(place));
        result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    }
    return result;
}

OwnedRows merge_covered(const Rows& candidates, const Rows& bases, const Rows& fulls,
                        const std::function<void()>& tick) {
    const Bitmaps bitmaps(fulls);
    const std::size_t words = bitmaps.words();
    const std::vector<Word> all_candidates = bitmaps.of(candidates), all_bases = bitmaps.of(bases),
                            all_fulls = bitmaps.of(fulls);
    OwnedRows merged;
    merged.offsets.push_back(0);
    Work work(tick);
    std::vector<Word> together(words);
    std::vector<std::int32_t> items;
    for (std::size_t h = 0; h < candidates.count(); ++h) {
        const Word* candidate = all_candidates.data() + h * words;
        std::ranges::fill(together, 0);
        for (std::size_t c = 0; c < bases.count(); ++c) {
            const Word* full = all_fulls.data() + c * words;
            if (!covers(candidate, all_bases.data() + c * words, full, words)) continue;
            for (std::size_t w = 0; w < words; ++w) together[w] |= full[w];
        }
        items.assign(candidates.row(h).begin(), candidates.row(h).end());
        for (std::size_t place = 0; place < bitmaps.items(); ++place)
            if (has_bit(together.data(), place)) items.push_back(bitmaps.item(place));
        std::ranges::sort(items);
        items.erase(std::unique(items.begin(), items.end()), items.end());
        for (std::int32_t item : items) merged.items.push_back(item);
        merged.offsets.push_back(static_cast<std::int64_t>(merged.items.size()));
        work.done(bases.count() * words);
    }
    return merged;
}

std::vector<std::int64_t> cover_channels(const CoverTask& task, const std::function<void()>& tick) {
    const std::size_t channels = task.bases.count();
    if (channels == 0) return {};
    Work work(tick);
    const std::vector<Choice> choices = find_choices(task, work);
    Cover cover = cover_greedily(choices, channels, work);
    improve(choices, cover, work);
    Chosen chosen = cover.chosen();
    if (channels <= bits_per_word)
        if (const auto best = ExactCover(choices, channels, chosen, task.most_steps).run()) chosen = *best;
    std::vector<std::int64_t> numbers;
    for (std::size_t i : chosen) numbers.push_back(choices[i].candidate);
    std::ranges::sort(numbers);
    return numbers;
}

}  // namespace discreet
