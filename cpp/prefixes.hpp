// The rows of many itemsets, as bitmaps: consecutive itemsets with the same first items share the intersections of
// these.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bitmaps.hpp"
#include "rows.hpp"

namespace discreet {

class Prefixes {
public:
    // Item i's rows are the `stride` words from bitmaps + i * stride on; `itemsets` are those that will be asked for.
    Prefixes(const Word* bitmaps, std::size_t stride, const Rows& itemsets) : bitmaps_(bitmaps), stride_(stride) {
        std::size_t longest = 1;
        for (std::size_t s = 0; s < itemsets.count(); ++s) longest = std::max(longest, itemsets.row(s).size());
        levels_.reserve(longest * stride);
    }

    // The rows of an itemset of at least one item, valid until the next call.
    const Word* rows_of(std::span<const std::int32_t> itemset) {
        if (itemset.size() == 1) return bitmaps_ + itemset[0] * stride_;
        std::size_t same = 0;
        while (same < items_.size() && same < itemset.size() && items_[same] == itemset[same]) ++same;
        items_.assign(itemset.begin(), itemset.end());
        for (std::size_t level = std::max<std::size_t>(1, same); level < itemset.size(); ++level) {
            const Word* before = level == 1 ? bitmaps_ + itemset[0] * stride_ : this->level(level - 1);
            intersect(this->level(level), before, bitmaps_ + itemset[level] * stride_, stride_);
        }
        return level(itemset.size() - 1);
    }

private:
    Word* level(std::size_t number) { return levels_.data() + number * stride_; }

    const Word* bitmaps_;
    std::size_t stride_;
    std::vector<std::int32_t> items_;  // the itemset whose rows the levels are
    Words levels_;
};

}  // namespace discreet
