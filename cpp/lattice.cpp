#include "lattice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <numeric>
#include <vector>

#include "bitmaps.hpp"

namespace discreet {

namespace {

std::uint64_t mixed(std::uint64_t x) {
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// Finds an itemset's index. An itemset's hash is the sum of its items' hashes, so removing one is a subtraction.
class Places {
public:
    Places(const Rows& collection, std::size_t labels) : collection_(collection), item_hash_(labels) {
        for (std::size_t item = 0; item < labels; ++item) item_hash_[item] = mixed(item);
        slots_.assign(std::bit_ceil(2 * collection.count() + 1), not_listed);
        for (std::size_t s = 0; s < collection.count(); ++s) {
            std::size_t slot = slot_of(hash_of(collection.row(s)));
            while (slots_[slot] != not_listed) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::int32_t>(s);
        }
    }

    std::uint64_t hash_of(std::span<const std::int32_t> itemset) const {
        std::uint64_t hash = 0;
        for (std::int32_t item : itemset) hash += item_hash_[item];
        return hash;
    }

    // The index of `itemset` without the item at position `without`; `hash` is that of the whole.
    std::int32_t find_without(std::span<const std::int32_t> itemset, std::uint64_t hash, std::size_t without) const {
        std::size_t slot = slot_of(hash - item_hash_[itemset[without]]);
        for (; slots_[slot] != not_listed; slot = (slot + 1) & (slots_.size() - 1)) {
            const auto found = collection_.row(slots_[slot]);
            if (found.size() + 1 == itemset.size() &&
                std::equal(found.begin(), found.begin() + without, itemset.begin()) &&
                std::equal(found.begin() + without, found.end(), itemset.begin() + without + 1))
                return slots_[slot];
        }
        return not_listed;
    }

    std::int32_t find(std::span<const std::int32_t> itemset) const {
        std::size_t slot = slot_of(hash_of(itemset));
        for (; slots_[slot] != not_listed; slot = (slot + 1) & (slots_.size() - 1))
            if (std::ranges::equal(collection_.row(slots_[slot]), itemset)) return slots_[slot];
        return not_listed;
    }

private:
    std::size_t slot_of(std::uint64_t hash) const { return (hash ^ hash >> 32) & (slots_.size() - 1); }

    const Rows& collection_;
    std::vector<std::uint64_t> item_hash_;
    std::vector<std::int32_t> slots_;
};

using Number = unsigned __int128;

// Counts the subsets of an itemset that contain none of some patterns.
class FreeSubsets {
public:
    FreeSubsets(const Rows& patterns, std::size_t labels) : patterns_(patterns), by_last_item_(labels) {
        for (std::size_t p = 0; p + 1 < patterns.offsets.size(); ++p)
            by_last_item_[patterns.row(p).back()].push_back(p);
    }

    Number count(std::span<const std::int32_t> itemset) const {
        std::vector<Number> inside;  // the patterns within, each as a set of positions in the itemset
        for (const std::int32_t item : itemset)
            for (const std::size_t p : by_last_item_[item]) {
                const auto pattern = patterns_.row(p);
                if (!std::ranges::includes(itemset, pattern)) continue;
                Number places = 0;
                for (const std::int32_t each : pattern)
                    places |= Number{1} << (std::ranges::lower_bound(itemset, each) - itemset.begin());
                inside.push_back(places);
            }
        return avoiding(itemset.size(), inside);
    }

private:
    // Of the sets of `items` items, counts those that contain none of the patterns: without the item in the most
    // patterns, and with it.
    static Number avoiding(std::size_t items, const std::vector<Number>& patterns) {
        if (patterns.empty()) return Number{1} << items;
        std::array<std::size_t, 128> holding{};
        for (Number pattern : patterns)
            for (std::size_t place = 0; pattern; ++place, pattern >>= 1) holding[place] += pattern & 1;
        const Number chosen = Number{1} << (std::ranges::max_element(holding) - holding.begin());
        std::vector<Number> without, with;
        bool with_is_none = false;
        for (const Number pattern : patterns) {
            if (!(pattern & chosen)) without.push_back(pattern);
            with.push_back(pattern & ~chosen);
            with_is_none |= !with.back();
        }
        return avoiding(items - 1, without) + (with_is_none ? 0 : avoiding(items - 1, with));
    }

    Rows patterns_;
    std::vector<std::vector<std::size_t>> by_last_item_;
};

}  // namespace

Buffer<std::int32_t> one_item_less(const Rows& collection, std::size_t labels) {
    const Places places(collection, labels);
    Buffer<std::int32_t> less(collection.items.size());
    std::int32_t* place = less.data();
    for (std::size_t s = 0; s < collection.count(); ++s) {
        const auto itemset = collection.row(s);
        const std::uint64_t hash = places.hash_of(itemset);
        for (std::size_t i = 0; i < itemset.size(); ++i)
            *place++ = itemset.size() == 1 ? empty_itemset : places.find_without(itemset, hash, i);
    }
    return less;
}

// If a pair is contradictory and some set between the two is listed, that set and one of the two are contradictory as
// well. So it suffices to check sets one item apart, and pairs farther apart with no listed set between them: the
// larger of those lacks two or more of its subsets one item smaller.
Contradiction find_contradiction(const Rows& collection, std::span<const std::int64_t> lows,
                                 std::span<const std::int64_t> highs, std::size_t labels,
                                 const std::function<void()>& tick) {
    const Places places(collection, labels);
    std::vector<std::int32_t> with_gaps;
    for (std::size_t s = 0; s < collection.count(); ++s) {
        const auto itemset = collection.row(s);
        const std::uint64_t hash = places.hash_of(itemset);
        std::size_t missing = 0;
        for (std::size_t i = 0; itemset.size() > 1 && i < itemset.size(); ++i) {
            const std::int32_t smaller = places.find_without(itemset, hash, i);
            if (smaller == not_listed)
                ++missing;
            else if (lows[s] > highs[smaller])
                return {static_cast<std::int32_t>(s), smaller};
        }
        if (missing > 1) with_gaps.push_back(static_cast<std::int32_t>(s));
    }
    if (with_gaps.empty()) return {};

    // Each set is stored under its rarest item, the one in the fewest rows.
    struct Waiting {
        std::int64_t high;
        std::uint64_t bits;
        std::int32_t place;
    };
    std::vector<std::size_t> frequency(labels, 0);
    for (std::int32_t item : collection.items) ++frequency[item];
    std::vector<std::vector<Waiting>> waiting(labels);
    for (std::size_t s = 0; s < collection.count(); ++s) {
        const auto itemset = collection.row(s);
        const std::int32_t rarest =
            *std::ranges::min_element(itemset, {}, [&](std::int32_t item) { return frequency[item]; });
        waiting[rarest].push_back({highs[s], signature(itemset), static_cast<std::int32_t>(s)});
    }
    for (auto& sets : waiting) std::ranges::stable_sort(sets, {}, &Waiting::high);
    for (std::size_t i = 0; i < with_gaps.size(); ++i) {
        if (i % 1024 == 0) tick();
        const std::int32_t larger = with_gaps[i];
        const auto itemset = collection.row(larger);
        const std::uint64_t bits = signature(itemset);
        for (std::int32_t item : itemset)
            for (const Waiting& smaller : waiting[item]) {
                if (smaller.high >= lows[larger]) break;
                if (!(smaller.bits & ~bits) && std::ranges::includes(itemset, collection.row(smaller.place)) &&
                    smaller.place != larger)
                    return {larger, smaller.place};
            }
    }
    return {};
}

Buffer<std::uint8_t> find_closed(const Rows& collection, std::span<const std::int64_t> supports, std::size_t labels) {
    Buffer<std::uint8_t> closed(collection.count());
    std::vector<std::size_t> order(collection.count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t s) { return supports[s]; });
    // Within one support longest first; a superset is among the closed ones that contain any given item of it.
    std::vector<std::vector<std::uint32_t>> kept(labels);
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last < order.size() && supports[order[last]] == supports[order[first]]) ++last;
        for (std::size_t i = last; i-- > first;) {
            const auto itemset = collection.row(order[i]);
            const std::int32_t chosen =
                *std::ranges::min_element(itemset, {}, [&](std::int32_t item) { return kept[item].size(); });
            closed[order[i]] = std::ranges::none_of(kept[chosen], [&](std::uint32_t larger) {
                return std::ranges::includes(collection.row(larger), itemset);
            });
            if (closed[order[i]])
                for (std::int32_t item : itemset) kept[item].push_back(static_cast<std::uint32_t>(order[i]));
        }
        for (; first < last; ++first)
            for (std::int32_t item : collection.row(order[first])) kept[item].clear();
    }
    return closed;
}

ClassSizes find_class_sizes(const Rows& closed, bool empty_closed, std::size_t labels, const Rows& patterns) {
    const FreeSubsets free_subsets(patterns, labels);
    const Places places(closed, labels);
    const std::size_t words = std::max<std::size_t>(1, words_for(labels));
    std::vector<Word> masks(closed.count() * words, 0);
    for (std::size_t s = 0; s < closed.count(); ++s)
        for (std::int32_t item : closed.row(s)) set_bit(masks.data() + s * words, item);

    std::vector<Number> sizes(closed.count());
    std::vector<std::int32_t> subset;
    for (std::size_t s = 0; s < closed.count(); ++s) {  // shorter ones come first
        const auto itemset = closed.row(s);
        Number size = free_subsets.count(itemset) - (empty_closed ? 1 : 0);
        if (itemset.size() < 20 && std::size_t{4} << itemset.size() < s) {  // few subsets: look up each of them
            for (std::size_t chosen = 1; chosen + 1 < std::size_t{1} << itemset.size(); ++chosen) {
                subset.clear();
                for (std::size_t left = chosen; left; left &= left - 1)
                    subset.push_back(itemset[std::countr_zero(left)]);
                if (const std::int32_t place = places.find(subset); place != not_listed) size -= sizes[place];
            }
        } else {
            const Word* mask = masks.data() + s * words;
            for (std::size_t smaller = 0; smaller < s; ++smaller)
                if (contains(mask, masks.data() + smaller * words, words)) size -= sizes[smaller];
        }
        sizes[s] = size;
    }
    ClassSizes result{Buffer<std::uint64_t>(closed.count()), Buffer<std::uint64_t>(closed.count())};
    for (std::size_t s = 0; s < closed.count(); ++s) {
        result.high[s] = static_cast<std::uint64_t>(sizes[s] >> 64);
        result.low[s] = static_cast<std::uint64_t>(sizes[s]);
    }
    return result;
}

Buffer<std::int64_t> find_supports(const Rows& wanted, const Rows& collection, std::span<const std::int64_t> supports,
                                   std::size_t labels) {
    const Places places(collection, labels);
    Buffer<std::int64_t> found(wanted.count());
    for (std::size_t s = 0; s < wanted.count(); ++s) {
        const std::int32_t place = places.find(wanted.row(s));
        found[s] = place < 0 ? 0 : supports[place];
    }
    return found;
}

bool closed_under_intersection(const Rows& collection, std::span<const std::int64_t> supports, std::size_t labels) {
    const Places places(collection, labels);
    std::vector<std::int32_t> common;
    for (std::size_t larger = 0; larger < collection.count(); ++larger)
        for (std::size_t smaller = 0; smaller < larger; ++smaller) {
            common.clear();
            std::ranges::set_intersection(collection.row(smaller), collection.row(larger), std::back_inserter(common));
            if (common.empty()) continue;
            if (common.size() == collection.row(smaller).size() ? supports[smaller] <= supports[larger]
                                                                : places.find(common) == not_listed)
                return false;
        }
    return true;
}

OwnedRows find_border(const Rows& collection, std::size_t labels, std::size_t most,
                      std::span<const std::int64_t> item_supports, std::int64_t total, std::int64_t& passed_over) {
    const Places places(collection, labels);
    OwnedRows border;
    border.offsets.push_back(0);
    std::vector<std::int32_t> joined;
    for (std::size_t first = 0; first < collection.count(); ++first) {
        const auto one = collection.row(first);
        if (one.size() + 1 > most) break;
        // Itemsets that differ only in their last item are adjacent.
        for (std::size_t second = first + 1; second < collection.count(); ++second) {
            const auto other = collection.row(second);
            if (other.size() != one.size() || !std::equal(one.begin(), one.end() - 1, other.begin())) break;
            joined.assign(one.begin(), one.end());
            joined.push_back(other.back());
            const std::uint64_t hash = places.hash_of(joined);
            bool inside = true;
            for (std::size_t i = 0; inside && i + 2 < joined.size(); ++i)
                inside = places.find_without(joined, hash, i) != not_listed;
            if (!inside || places.find(joined) != not_listed) continue;
            if (!item_supports.empty() && joined.size() == 2 &&
                item_supports[joined[0]] + item_supports[joined[1]] <= total) {
                ++passed_over;
                continue;
            }
            std::ranges::copy(joined, border.items.extend(joined.size()));
            border.offsets.push_back(static_cast<std::int64_t>(border.items.size()));
        }
    }
    return border;
}

}  // namespace discreet
