// Which occurrences of sensitive items follow from other items of their row (cao2010, Definition 3.1, row by row).
//
// For an item a, p(X) rows contain X and a, q(X) contain X without a; a row t with a is endangered if p(X) / (p(X) +
// q(X)) reaches the limit of a for some X within the rest of t. For X within R, q(X) >= q(R), and p(X) is at most the
// number of rows with a and any one item of X: items with which a is in too few rows, given q(R), are in no such X.
// They are taken out of R, q is counted again, and so on.
//
// Single items are tried first. Then whole rests (`uncertainty_rests.hpp`): most rows end here.
// Of what remains, each rest is searched on its own: X with an item and without it, with the bound above at every step.
// Where that takes many steps, since rests are long and share most of their parts, the sets that are closed among the
// rows with a are enumerated instead, as far as one of the rows that remain is concerned.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "bitmaps.hpp"
#include "uncertainty_rests.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

class EndangeredSearch {
public:
    // `limits` are by code.
    EndangeredSearch(const FoldedRows& rows, std::span<const Share> limits, Halt halt);

    // By position in the rows' items, whether the item is sensitive and endangered there: all of them, or at least one
    // if there is any. If `staged`, and any follows from no item, from one, or from all others of its row, only such.
    // `steps` is the effort per open rest after which those that are left are searched together; the result does not
    // depend on it.
    std::vector<std::uint8_t> find(bool all, bool staged, std::size_t steps);

private:
    // Rows with an antecedent and the consequent, and without the consequent.
    struct Counts {
        std::int64_t together = 0;
        std::int64_t outside = 0;
    };

    // A row for which the bounds decide nothing: all of it that a rule may use, and q of that.
    struct Open {
        std::uint32_t row;
        std::size_t place;
        std::int64_t outside;
        std::vector<std::int32_t> rest;
    };

    // A row with the consequent, as far as rules may use it.
    struct Holder {
        std::int64_t weight;
        std::int32_t open;  // its number among the open ones, or -1
        std::vector<std::int32_t> items;
    };

    using Items = std::vector<std::int32_t>;

    Share limit_of(std::int32_t item) const { return limits_[rows_.code_of[item]]; }
    std::size_t place_of(std::uint32_t row, std::int32_t item) const;
    const Word* bitmap(std::int32_t item) const;
    bool has(std::uint32_t row, std::int32_t item) const;
    std::int64_t weigh(const Word* words, const Word* mask, std::size_t first, std::size_t size) const;
    bool prefers_bitmaps(std::int32_t rarest, std::size_t size) const;
    Counts count(Items& antecedent, std::int32_t consequent, std::int64_t most) const;
    Counts count_by_bitmaps(const Items& antecedent, std::int32_t consequent, std::int64_t most) const;

    void try_single_items(std::int32_t consequent);
    void decide(const WholeRests::Answer& answer);

    void count_with(std::int32_t consequent);
    void forget_with();
    void search(std::int32_t consequent);
    bool narrow(Open& open);
    bool recount(Open& open);
    void list_holders();
    bool examine(Open& open);
    bool seek(Items fixed, Items tail, std::span<const std::uint32_t> holders, std::int64_t together,
              std::int64_t least);
    std::vector<std::int64_t> count_holders(const Items& fixed, const Items& tail,
                                            std::span<const std::uint32_t> holders) const;
    Counts count_parts(const Items& fixed, const Items& tail, std::int64_t most);
    void mark(std::span<const std::uint32_t> holders, const Items& items);
    void enumerate();
    void descend(std::span<const std::uint32_t> holders);

    const FoldedRows& rows_;
    const std::span<const Share> limits_;
    const Halt halt_;
    const std::size_t words_;              // of a bitmap, whole cache lines
    std::vector<std::int32_t> bitmap_of_;  // by item: its number among the bitmaps, or -1
    Words bitmaps_;                        // of frequent items
    Words all_rows_;
    Words heavy_;  // rows that stand for more than one
    bool any_heavy_ = false;
    std::vector<std::uint8_t> marked_;
    bool found_ = false;                 // whether any is marked
    std::vector<std::int64_t> most_;     // by place: the most rows outside of a rule that passes; -1 if it is decided
    std::vector<std::int64_t> outside_;  // by place: q of the whole rest
    std::int32_t consequent_ = -1;
    Share limit_{1, 1};
    std::vector<std::int64_t> with_;  // by item, the rows that contain it and the consequent
    Items touched_;                   // the items that have any
    std::vector<Open> open_;
    std::vector<std::size_t> starts_;     // by item of an open rest: where its rows begin in `held_by_`
    std::vector<std::size_t> sizes_;      // and how many they are
    std::vector<std::uint32_t> held_by_;  // rows with the item and the consequent
    std::size_t steps_of_row_ = 0;
    std::size_t steps_ = 0;   // that are left for the search rest by rest
    std::set<Items> barren_;  // sets no part of which passes
    Items antecedent_;        // scratch
    std::vector<Holder> holders_;
    std::vector<std::uint8_t> shut_;   // items of earlier branches
    std::vector<std::uint32_t> seen_;  // scratch, by item
};

}  // namespace discreet
