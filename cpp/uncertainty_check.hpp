// Which sensitive item follows from part of a row, and how surely: the rule of highest confidence, over antecedents of
// every length (cao2010, Definition 3.1).
//
// For an item a, p(X) rows hold X and a, q(X) hold X without a; the confidence of X -> a is p / (p + q). Adding to X
// what all its p rows share leaves p as it is and never raises q, so only sets closed among the rows with a matter.
// For every row t with a, n(t) rows hold the rest of t without a; q(X) is at least n(t) for every t that holds X.
// Rows sorted by n, the best that a subset of them can do is j / (j + n_j) for some j: rows beyond the last j that
// passes hold no rule that does, and where none passes the search turns back.
#pragma once

#include <compare>
#include <limits>
#include <span>
#include <vector>

#include "uncertainty_rows.hpp"

namespace discreet {

struct SensitiveRule {
    std::vector<std::int32_t> antecedent;  // codes, ascending
    std::int32_t consequent = -1;          // -1: there is no rule
    std::int64_t together = 0;             // rows that hold both
    std::int64_t holding = 0;              // rows that hold the antecedent
};

struct Affected {
    std::vector<std::int32_t> items;  // codes of what can be concluded, ascending
    std::vector<std::uint8_t> rows;   // distinct rows of which one item, or none, is enough to conclude another
};

class RuleSearch {
public:
    RuleSearch(const FoldedRows& rows, Halt halt);

    // The rule of highest confidence; of those, one whose antecedent loses nothing of it by losing an item.
    SensitiveRule worst();
    // Whether any rule has at least this confidence.
    bool reaches(Share rho);
    // Whether any rule with this item (of the rows, not a code) as its consequent has. May be asked again and again,
    // also after rows have gained or lost items that they had room for.
    bool concludes(std::int32_t item, Share rho);
    // The rule by which reaches() or concludes() came to say yes; items, not codes.
    const SensitiveRule& witness() const { return best_; }
    // How much was looked at: rows, and words of bitmaps. Once this is more than `most`, reaches() and concludes() give
    // up and say yes: that there is no such rule has not been shown. The witness then has no antecedent.
    std::uint64_t work() const { return work_; }
    void give_up_after(std::uint64_t most) { most_work_ = most; }
    // All consequents of rules of at least this confidence.
    Affected affected(Share rho);

private:
    enum class Aim { worst, reach, each };

    // A row that holds the consequent in question.
    struct Holder {
        std::int64_t outside;  // n(t)
        std::int64_t weight;
        std::uint32_t row;
    };

    // An item that some holders of the current antecedent have, and how many.
    struct Extension {
        std::uint32_t holders;
        std::int32_t item;
        auto operator<=>(const Extension&) const = default;
    };

    struct Extensions {
        std::vector<std::int32_t> common;  // items that all holders have
        std::vector<Extension> open;       // items that some have and no earlier branch has tried
    };

    bool passes(std::int64_t part, std::int64_t whole) const;
    // The most rows without the consequent that a rule with `together` rows may have and still pass.
    std::int64_t most_outside(std::int64_t together) const;

    bool ended() const;
    void breathe();
    void try_short_antecedents(std::int32_t consequent);
    void count_outside(std::uint32_t row);
    void scan_for_outside(std::uint32_t row, std::int32_t through, std::int32_t only);
    void try_whole_row(std::uint32_t row);
    void search_all();
    void search(std::int32_t consequent);
    void search_holders();
    void descend(std::span<const std::uint32_t> given);
    std::span<const std::uint32_t> promising(std::span<const std::uint32_t> holders) const;
    bool find_extensions(std::span<const std::uint32_t> holders, Extensions& items);
    void try_antecedent(std::span<const std::int32_t> antecedent, std::span<const std::uint32_t> holders);
    void branch(std::span<const std::uint32_t> holders, std::vector<Extension>& open);
    std::int32_t rarest_of(std::span<const std::int32_t> itemset) const;
    bool prefers_bitmaps(std::int32_t rarest, std::size_t size) const;
    const std::uint64_t* bitmap(std::int32_t item);
    std::int64_t support(std::span<const std::int32_t> itemset, std::int64_t most);
    std::int64_t outside_of(std::span<const std::int32_t> antecedent, std::int32_t consequent, std::int64_t most);
    void found(std::span<const std::int32_t> antecedent, std::int64_t together, std::int64_t holding);
    void shorten();

    const FoldedRows& rows_;
    const Halt halt_;
    const std::size_t words_;                          // of a bitmap over the rows
    std::vector<std::vector<std::uint64_t>> bitmaps_;  // by item, those that were asked for
    Aim aim_ = Aim::worst;
    Share threshold_{0, 1};
    bool done_ = false;     // with the consequent in question
    bool reached_ = false;  // with all of them
    SensitiveRule best_;
    Affected affected_;
    std::vector<std::uint8_t> settled_;  // items whose worth as a consequent is known
    std::vector<std::int64_t> outside_;  // n, by position in rows_.items; more than can pass where that was clear
    std::int32_t consequent_ = -1;       // of the search under way
    std::vector<Holder> holders_;        // of the consequent, ascending by n
    std::vector<std::int64_t> seen_;     // scratch, by item
    std::uint64_t work_ = 0;
    std::uint64_t most_work_ = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint8_t> shut_;  // items of earlier branches
};

}  // namespace discreet
