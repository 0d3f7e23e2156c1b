// The rows that contain one item, as bitmaps of other items that they contain.
//
// Whoever looks for the rows with a set of items finds them among those with its rarest item. Only items at least as
// frequent are looked for there, and there are the fewer of these the more rows have them: so the bitmaps of one item
// have no more bits than there are items in all rows, except for the end of each bitmap's last cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bitmaps.hpp"

namespace discreet {

class RowsAround {
public:
    explicit RowsAround(std::size_t labels) : number_of_(labels, -1) {}

    void forget() {
        for (const std::int32_t item : needed_) number_of_[item] = -1;
        needed_.clear();
    }

    // Before `take`: an item of which a bitmap is needed.
    void need(std::int32_t item) {
        if (number_of_[item] >= 0) return;
        number_of_[item] = static_cast<std::int32_t>(needed_.size());
        needed_.push_back(item);
    }

    // The rows, by number; `row_of` gives the items of each.
    template <class Numbers, class RowOf>
    void take(const Numbers& rows, const RowOf& row_of) {
        words_ = padded(words_for(rows.size()));
        std::fill_n(bits_.reserve(needed_.size() * words_), needed_.size() * words_, 0);
        for (std::size_t at = 0; at < rows.size(); ++at)
            for (const std::int32_t item : row_of(rows[at]))
                if (const std::int32_t number = number_of_[item]; number >= 0)
                    set_bit(bits_.data() + static_cast<std::size_t>(number) * words_, at);
    }

    // Of the rows, in their order, those with an item that is needed.
    const Word* of(std::int32_t item) const {
        return bits_.data() + static_cast<std::size_t>(number_of_[item]) * words_;
    }
    std::size_t words() const { return words_; }  // of a bitmap, whole cache lines

private:
    std::vector<std::int32_t> number_of_;  // by item: its number among those needed, or -1
    std::vector<std::int32_t> needed_;
    std::size_t words_ = 0;
    Words bits_;
};

}  // namespace discreet
