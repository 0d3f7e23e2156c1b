// Itemsets as bits, projected on the items of another itemset, and equal ones folded into one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bitmaps.hpp"
#include "crew.hpp"
#include "rows.hpp"

namespace discreet {

template <std::size_t W>
using Mask = std::array<Word, W>;

template <std::size_t W>
Mask<W> operator&(const Mask<W>& a, const Mask<W>& b) {
    Mask<W> both;
    for (std::size_t w = 0; w < W; ++w) both[w] = a[w] & b[w];
    return both;
}

// std::array's comparison calls memcmp, which costs more than everything else here for a word or two.
template <std::size_t W>
bool same(const Mask<W>& a, const Mask<W>& b) {
    Word differ = 0;
    for (std::size_t w = 0; w < W; ++w) differ |= a[w] ^ b[w];
    return differ == 0;
}

template <std::size_t W>
bool inside(const Mask<W>& smaller, const Mask<W>& larger) {
    if constexpr (W > 4) return contains(larger.data(), smaller.data(), W);
    Word outside = 0;  // for a word or two, checking all is cheaper than stopping early
    for (std::size_t w = 0; w < W; ++w) outside |= smaller[w] & ~larger[w];
    return outside == 0;
}

template <std::size_t W>
unsigned size_of(const Mask<W>& mask) {
    unsigned size = 0;
    for (Word word : mask) size += static_cast<unsigned>(std::popcount(word));
    return size;
}

// By length, then item by item: of two sets of the same length the one with the first differing item comes first.
template <std::size_t W>
bool canonical_before(const Mask<W>& a, const Mask<W>& b) {
    const unsigned size_a = size_of(a);
    const unsigned size_b = size_of(b);
    if (size_a != size_b) return size_a < size_b;
    for (std::size_t w = 0; w < W; ++w)
        if (const Word differ = a[w] ^ b[w]) return a[w] & (differ & (~differ + 1));
    return false;
}

// A projection and its value: the number of rows that have it, or the support of the itemset it is.
template <std::size_t W>
struct Entry {
    Mask<W> mask;
    std::int64_t value;
};

// Combines two entries with equal projections.
struct Add {
    static std::int64_t join(std::int64_t a, std::int64_t b) { return a + b; }
};
struct Greatest {
    static std::int64_t join(std::int64_t a, std::int64_t b) { return std::max(a, b); }
};
struct GreatestOnBorder : Greatest {};

// Projects entries on the items of `keep` and joins equal ones.
template <std::size_t W, typename Join>
class Folder {
public:
    void fold(std::span<const Entry<W>> entries, const Mask<W>& keep, std::vector<Entry<W>>& folded) {
        folded.clear();
        const std::size_t slots = std::bit_ceil(slots_per_entry * entries.size() + 1);
        if (slots > table_.size()) table_.resize(slots);
        std::fill(table_.begin(), table_.begin() + slots, 0u);
        for (const Entry<W>& entry : entries) {
            const Mask<W> mask = entry.mask & keep;
            std::size_t slot = hash_of(mask) >> 20 & (slots - 1);
            while (table_[slot] && !same(folded[table_[slot] - 1].mask, mask)) slot = (slot + 1) & (slots - 1);
            if (table_[slot]) {
                std::int64_t& value = folded[table_[slot] - 1].value;
                value = Join::join(value, entry.value);
            } else {
                folded.push_back({mask, entry.value});
                table_[slot] = static_cast<std::uint32_t>(folded.size());
            }
        }
    }

private:
    static std::uint64_t hash_of(const Mask<W>& mask) {
        std::uint64_t hash = 0;
        for (Word word : mask) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
        return hash * 0xbf58476d1ce4e5b9u;
    }

    static constexpr std::size_t slots_per_entry = 4;
    std::vector<std::uint32_t> table_;  // 1 + index in `folded`
};

// The items that occur in any target, and the bit of each.
struct Bits {
    std::vector<std::int32_t> items;
    std::vector<std::int32_t> of;  // item -> bit, -1 if no target contains it

    explicit Bits(const Rows& targets) {
        for (std::int32_t item : targets.items) {
            if (static_cast<std::size_t>(item) >= of.size()) of.resize(item + 1, -1);
            of[item] = 0;
        }
        for (std::size_t item = 0; item < of.size(); ++item) {
            if (of[item] < 0) continue;
            of[item] = static_cast<std::int32_t>(items.size());
            items.push_back(static_cast<std::int32_t>(item));
        }
    }

    template <std::size_t W>
    Mask<W> mask(std::span<const std::int32_t> itemset) const {
        Mask<W> mask{};
        for (std::int32_t item : itemset)
            if (static_cast<std::size_t>(item) < of.size() && of[item] >= 0) set_bit(mask.data(), of[item]);
        return mask;
    }
};

template <std::size_t W>
Mask<W> everything() {
    Mask<W> mask;
    mask.fill(~Word{0});
    return mask;
}

// Rows [first, last) as masks, equal ones folded; in slices, so that equal rows are never all in memory.
template <std::size_t W, typename Join, typename Value>
std::vector<Entry<W>> fold_masks(const Bits& bits, const Rows& rows, Value value, std::size_t first, std::size_t last,
                                 const std::atomic<bool>& stop) {
    constexpr std::size_t slice = 1 << 16;
    Folder<W, Join> folder;
    std::vector<Entry<W>> entries;
    std::vector<Entry<W>> folded;
    entries.reserve(std::min(slice, last - first));
    for (std::size_t r = first; r < last;) {
        if (stop.load(std::memory_order_relaxed)) throw Stopped{};
        entries = folded;
        for (const std::size_t end = std::min(last, r + std::max(slice, folded.size())); r < end; ++r)
            entries.push_back({bits.mask<W>(rows.row(r)), value(r)});
        folder.fold(entries, everything<W>(), folded);
    }
    return folded;
}

}  // namespace discreet
