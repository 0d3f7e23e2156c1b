// How many rows have all other items of a row, with a sensitive item of it and without (cao2010, Definition 3.1, for
// the longest antecedent that a row has).
//
// Rows with all items of a row but one have its rarest item, or it is the rarest that they lack; then they have the
// second rarest. So item by item, the rarest first, each row of which it is the rarest or the second rarest is looked
// up among the rows with the item (`rows_around.hpp`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bitmaps.hpp"
#include "rows_around.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

class WholeRests {
public:
    // Of an item in a row: rows with all others and with it, and rows with all others but not it.
    struct Answer {
        std::int32_t item;
        std::size_t place;
        std::int64_t together;
        std::int64_t outside;
    };

    // By place in the rows' items: the most rows outside that matter; -1 if it is not asked about. Only rows of three
    // items or more have places that are.
    using Limits = std::span<const std::int64_t>;
    using Use = std::function<bool(const Answer&)>;

    WholeRests(const FoldedRows& rows, Halt halt);

    // Calls `use` for each place that is asked about, until it returns false. Counting stops where `outside` exceeds
    // the limit. `use` may change the limit of the place that it is called for.
    void count(Limits most, const Use& use);

private:
    // A row to be looked up among those with one of its two rarest items.
    struct Lookup {
        std::uint32_t row;
        bool rarest;  // whether it is the rarest
    };

    // An item of the row that is looked up.
    struct Seat {
        std::int32_t item;
        std::size_t place;
        const Word* bits;      // of the rows around with it
        bool asked;            // whether the rows without it are counted
        std::int64_t outside;  // these
    };

    using Items = std::vector<std::int32_t>;

    bool is_rarer(std::int32_t one, std::int32_t other) const;
    std::size_t place_of(std::uint32_t row, std::int32_t item) const;
    std::pair<std::int32_t, std::int32_t> two_rarest(std::uint32_t row) const;
    void list_lookups(Limits most);
    void gather(std::int32_t centre);
    void take_seats(std::uint32_t row, std::int32_t centre);
    bool look_up_all_but_one(std::uint32_t row, std::int32_t centre, Limits most, const Use& use);
    bool look_up_all_but_rarest(std::uint32_t row, std::int32_t centre, Limits most, const Use& use);
    std::int64_t weigh(const Word* words, std::size_t first, std::size_t size) const;

    const FoldedRows& rows_;
    const Halt halt_;
    std::vector<std::size_t> starts_;  // by item: where its lookups begin
    std::vector<Lookup> lookups_;
    std::vector<std::int64_t> together_;     // by row: how many rows have all its items
    std::span<const std::uint32_t> around_;  // the rows with the present item
    RowsAround bits_;                        // the more frequent items of these
    std::size_t words_ = 0;                  // of a bitmap of these, whole cache lines
    Words heavy_;                            // rows that stand for more than one
    bool any_heavy_ = false;
    std::vector<Seat> seats_;
};

}  // namespace discreet
