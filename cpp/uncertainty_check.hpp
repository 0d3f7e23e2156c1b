// Which sensitive item follows from part of a row, and with what confidence: the rule of highest confidence, over
// antecedents of every length (cao2010, Definition 3.1).
//
// For an item a, p(X) rows contain X and a, q(X) contain X without a; the confidence of X -> a is p / (p + q). Adding
// to X what all its p rows share leaves p unchanged and never raises q, so only sets closed among the rows with a
// matter. For every row t with a, n(t) rows contain the rest of t without a; q(X) is at least n(t) for every t that
// contains X. With rows sorted by n, the best confidence of a subset of them is j / (j + n_j) for some j. Rows beyond
// the last j that passes are in no rule that passes, and if none passes the search backtracks.
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
    std::int64_t together = 0;             // rows that contain both
    std::int64_t holding = 0;              // rows that contain the antecedent
};

struct Affected {
    std::vector<std::int32_t> items;  // codes of what can be inferred, ascending
    std::vector<std::uint8_t> rows;   // distinct rows in which one item, or none, is enough to infer another
};

class RuleSearch {
public:
    RuleSearch(const FoldedRows& rows, Halt halt);

    // The rule of highest confidence; among those, one whose antecedent has no redundant item.
    SensitiveRule worst();
    // Whether any rule reaches the limit of its consequent.
    bool reaches(Limits limits);
    // Whether any rule with this item (of the rows, not a code) as its consequent has, as if rows had only the items
    // that are `kept`; the caller knows that none has whose antecedent is a single item. May be called repeatedly.
    // `rests` receives the rows with the item, without it; all of them if the answer is no.
    bool concludes(std::int32_t item, std::span<const std::uint8_t> kept, Limits limits, RowFolder& rests);
    // The rule that made reaches() or concludes() true; items, not codes.
    const SensitiveRule& witness() const { return best_; }
    // The work done: rows, and words of bitmaps. Once it exceeds `most`, reaches() and concludes() give up and return
    // true, because the absence of such a rule was not shown. The witness then has no antecedent.
    std::uint64_t work() const { return work_; }
    void give_up_after(std::uint64_t most) { most_work_ = most; }
    // All consequents of rules that reach their limit.
    Affected affected(Limits limits);

private:
    enum class Aim { worst, reach, each };

    // A row that contains the current consequent.
    struct Holder {
        std::int64_t outside;  // n(t)
        std::int64_t weight;
        std::uint32_t row;
        std::span<const std::int32_t> items;  // what a rule may use of it, perhaps with the consequent
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

    // What a rule with this consequent has to reach or, in a search for the worst one, to exceed.
    Share bound(std::int32_t consequent) const {
        return aim_ == Aim::worst ? threshold_ : limits_[rows_.code_of[consequent]];
    }
    bool passes(Share share, std::int32_t consequent) const;
    // The most rows without the consequent that a rule with `together` rows may have and still pass.
    std::int64_t most_outside(std::int64_t together, std::int32_t consequent) const;

    bool ended() const;
    void breathe();
    void try_short_antecedents(std::int32_t consequent);
    void count_outside(std::uint32_t row);
    void sign_rows();
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
    void charge(std::int32_t rarest, std::size_t size);
    template <typename Use>
    void for_rows_with(std::span<const std::int32_t> itemset, Use use);
    std::int32_t rarest_of(std::span<const std::int32_t> itemset) const;
    bool prefers_bitmaps(std::int32_t rarest, std::size_t size) const;
    const std::uint64_t* bitmap(std::int32_t item);
    std::int64_t support(std::span<const std::int32_t> itemset);
    std::int64_t outside_of(std::span<const std::int32_t> antecedent, std::int32_t consequent, std::int64_t most);
    void found(std::span<const std::int32_t> antecedent, std::int64_t together, std::int64_t holding);
    void shorten();

    const FoldedRows& rows_;
    const Halt halt_;
    const std::size_t words_;                          // of a bitmap over the rows
    std::vector<std::vector<std::uint64_t>> bitmaps_;  // by item, those that were requested
    Aim aim_ = Aim::worst;
    Share threshold_{0, 1};  // of the worst rule so far
    Limits limits_;          // otherwise
    bool done_ = false;      // with the current consequent
    bool reached_ = false;   // with all consequents
    SensitiveRule best_;
    Affected affected_;
    std::vector<std::uint8_t> settled_;  // items already examined as a consequent
    std::vector<std::int64_t> outside_;  // n, by position in rows_.items; too large a value if that was clear
    std::vector<std::uint64_t> signs_;   // by row: a bit for each of its items, some of which share one
    std::int32_t consequent_ = -1;       // of the current search
    std::vector<Holder> holders_;        // of the consequent, ascending by n
    std::vector<std::int64_t> seen_;     // scratch, by item
    std::uint64_t work_ = 0;
    std::uint64_t most_work_ = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint8_t> shut_;          // items of earlier branches
    std::vector<const std::uint64_t*> maps_;  // scratch
};

}  // namespace discreet
