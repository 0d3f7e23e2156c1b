#include "interval_channels.hpp"

#include <bit>
#include <vector>

#include "lattice.hpp"

namespace discreet {

namespace {

constexpr std::size_t most_interval_items = 22;

// All subsets of one J: which are listed, which have all supersets in J listed, and the sums that f consists of.
class Interval {
public:
    // `less` is one_item_less of the collection; the subsets are found from J down, one item at a time.
    void build(const Rows& collection, std::span<const std::int32_t> less, std::int32_t full, std::int64_t total,
               std::span<const std::int64_t> lows, std::span<const std::int64_t> highs) {
        items_ = full < 0 ? 0 : collection.row(full).size();
        const std::size_t size = std::size_t{1} << items_;
        places_.assign(size, not_listed);
        complete_.assign(size, false);
        for (auto* sums : {&even_low_, &even_high_, &odd_low_, &odd_high_}) sums->assign(size, 0);
        places_[size - 1] = full;
        for (std::size_t subset = size; subset-- > 0;) {
            find_smaller(collection, less, subset, total);
            bool complete = places_[subset] != not_listed;
            for (std::size_t bit = 1; complete && bit < size; bit <<= 1)
                if (!(subset & bit)) complete = complete_[subset | bit];
            complete_[subset] = complete;
            if (!complete) continue;
            const bool even = std::popcount(subset) % 2 == 0;
            (even ? even_low_ : odd_low_)[subset] = places_[subset] < 0 ? total : lows[places_[subset]];
            (even ? even_high_ : odd_high_)[subset] = places_[subset] < 0 ? total : highs[places_[subset]];
        }
        for (auto* sums : {&even_low_, &even_high_, &odd_low_, &odd_high_})
            for (std::size_t bit = 1; bit < size; bit <<= 1)
                for (std::size_t s = 0; s < size; ++s)
                    if (!(s & bit)) (*sums)[s] += (*sums)[s | bit];
    }

    std::size_t size() const { return complete_.size(); }
    std::size_t items() const { return items_; }
    bool complete(std::size_t base) const { return complete_[base]; }
    // f is the sum over sets of the base's parity minus the sum over the others.
    std::int64_t low(std::size_t base) const {
        return std::popcount(base) % 2 == 0 ? even_low_[base] - odd_high_[base] : odd_low_[base] - even_high_[base];
    }
    std::int64_t high(std::size_t base) const {
        return std::popcount(base) % 2 == 0 ? even_high_[base] - odd_low_[base] : odd_high_[base] - even_low_[base];
    }

private:
    void find_smaller(const Rows& collection, std::span<const std::int32_t> less, std::size_t subset,
                      std::int64_t total) {
        const std::int32_t place = places_[subset];
        if (place < 0) return;
        const std::int64_t start = collection.offsets[place];
        std::size_t position = 0;
        for (std::size_t left = subset; left; left &= left - 1, ++position) {
            const std::int32_t smaller = less[start + position];
            if (smaller == empty_itemset && total < 0) continue;
            if (smaller != not_listed) places_[subset & ~(left & (~left + 1))] = smaller;
        }
    }

    std::size_t items_ = 0;
    std::vector<std::int32_t> places_;
    std::vector<bool> complete_;
    std::vector<std::int64_t> even_low_, even_high_, odd_low_, odd_high_;
};

}  // namespace

IntervalChannels find_interval_channels(const Rows& collection, std::size_t labels, std::span<const std::int64_t> lows,
                                        std::span<const std::int64_t> highs, std::int64_t total, std::int64_t k,
                                        bool exact) {
    const Buffer<std::int32_t> less = one_item_less(collection, labels);
    const std::span<const std::int32_t> less_view(less.data(), less.size());
    std::vector<std::uint64_t> starts(collection.count() + 1, 0);  // the start of each itemset's subsets
    for (std::size_t s = 0; s < collection.count(); ++s) {
        const std::size_t length = collection.row(s).size();
        if (length > most_interval_items) throw LatticeTooLarge();
        starts[s + 1] = starts[s] + (std::uint64_t{1} << length);
    }
    std::vector<bool> implied(exact ? starts.back() : 0);
    bool empty_implied = false;

    IntervalChannels channels;
    channels.bases.offsets.push_back(0);
    Interval interval;
    const auto report = [&](std::int32_t full) {
        const auto items = full < 0 ? std::span<const std::int32_t>{} : collection.row(full);
        for (std::size_t base = 0; base < interval.size(); ++base) {
            if (!interval.complete(base)) continue;
            const std::int64_t low = interval.low(base);
            const std::int64_t high = interval.high(base);
            if (high < 1 || low >= k) continue;
            if (exact && (full < 0 ? empty_implied : implied[starts[full] + base])) continue;
            for (std::size_t left = base; left; left &= left - 1)
                channels.bases.items.push_back(items[std::countr_zero(left)]);
            channels.bases.offsets.push_back(static_cast<std::int64_t>(channels.bases.items.size()));
            channels.fulls.push_back(full);
            channels.lows.push_back(low);
            channels.highs.push_back(high);
        }
    };
    for (std::size_t s = collection.count(); s-- > 0;) {
        const auto full = static_cast<std::int32_t>(s);
        interval.build(collection, less_view, full, total, lows, highs);
        report(full);
        if (!exact) continue;
        // If all sets from I up to J are listed, f of (I, J without x) is the sum of two groups on J.
        const std::int64_t start = collection.offsets[s];
        for (std::size_t x = 0; x < interval.items(); ++x) {
            const std::int32_t smaller = less[start + x];
            if (smaller == not_listed) continue;
            for (std::size_t base = 0; base < interval.size(); ++base) {
                if (base >> x & 1 || !interval.complete(base)) continue;
                if (smaller == empty_itemset)
                    empty_implied = true;
                else
                    implied[starts[smaller] + ((base >> (x + 1)) << x | (base & ((std::size_t{1} << x) - 1)))] = true;
            }
        }
    }
    if (total >= 0) {
        interval.build(collection, less_view, empty_itemset, total, lows, highs);
        report(empty_itemset);
    }
    return channels;
}

}  // namespace discreet
