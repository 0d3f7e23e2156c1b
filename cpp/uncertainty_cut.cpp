#include "uncertainty_cut.hpp"

#include <algorithm>

#include "uncertainty_check.hpp"

namespace discreet {

namespace {

FoldedRows rows_at(const Problem& problem, std::span<const std::uint8_t> split, std::int64_t& generalized) {
    std::vector<std::int32_t> published(problem.items());
    for (std::size_t item = 0; item < problem.items(); ++item) published[item] = static_cast<std::int32_t>(item);
    for (std::int32_t node = 0; node <= problem.root(); ++node) {
        const std::int32_t above = problem.parent(node);
        if (split[node] || (above >= 0 && !split[above])) continue;
        generalized += problem.generalizing(node);
        problem.for_items_below(node, [&](std::int32_t item) { published[item] = problem.code_of(node); });
    }
    const FoldedRows& rows = problem.rows();
    RowFolder folder(problem.codes(), problem.sensitive());
    folder.begin();
    std::vector<std::int32_t> row;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        row.clear();
        for (const std::int32_t item : rows.row(r)) row.push_back(published[rows.code_of[item]]);
        std::ranges::sort(row);
        row.erase(std::unique(row.begin(), row.end()), row.end());
        folder.add(row, rows.weights[r]);
    }
    return folder.finish(rows.total);
}

// The rows at the cut, and what is currently kept in them.
class CutRows {
public:
    CutRows(const Problem& problem, std::span<const std::uint8_t> split, std::uint64_t most_work, bool others_stay,
            Halt halt);

    // Returns whether anything else was dropped for it.
    bool keep_if_it_pays(std::int32_t code);
    KeptAtCut result() const;
    std::uint64_t work() const { return work_ + search_.work(); }

private:
    void insert(std::int32_t item);
    void erase(std::int32_t item);
    // What this item makes too certain, or is made too certain by, without any other.
    std::vector<std::int32_t> given_away_alone(std::int32_t item);
    // Whether anything becomes too certain by this item, as a consequent or in an antecedent; `rule_` is then the rule.
    bool disturbs(std::int32_t item);

    const std::uint64_t most_work_;
    const Halt halt_;
    std::int64_t loss_ = 0;
    FoldedRows rows_;                    // with capacity for all sensitive items
    std::vector<std::int32_t> item_of_;  // code -> item of rows_, -1: in no row
    const Limits limits_by_code_;
    std::vector<Share> limits_;         // by item
    std::vector<std::int64_t> worth_;   // by item
    std::vector<std::uint8_t> kept_;    // by item
    std::vector<std::uint8_t> secret_;  // by item: kept, and sensitive
    RuleSearch search_;
    std::vector<std::int32_t> rule_;      // both sides of a rule, items
    std::vector<std::int64_t> together_;  // scratch, by item
    std::uint64_t work_;
};

CutRows::CutRows(const Problem& problem, std::span<const std::uint8_t> split, std::uint64_t most_work, bool others_stay,
                 Halt halt)
    : most_work_(most_work),
      halt_(halt),
      rows_(rows_at(problem, split, loss_)),
      item_of_(problem.codes(), -1),
      limits_by_code_(problem.limits()),
      limits_(rows_.labels),
      worth_(rows_.labels),
      kept_(rows_.labels, 1),
      secret_(rows_.labels, 0),
      search_(rows_, halt),
      together_(rows_.labels, 0),
      work_(problem.rows().items.size()) {
    search_.give_up_after(most_work);
    std::int64_t secrets = 0;
    for (std::size_t item = 0; item < rows_.labels; ++item) {
        const std::int32_t code = rows_.code_of[item];
        item_of_[code] = static_cast<std::int32_t>(item);
        limits_[item] = problem.limits()[code];
        worth_[item] = problem.dropping(code);
        if (!rows_.sensitive[item]) continue;
        kept_[item] = 0;
        loss_ += worth_[item];
        secrets += worth_[item];
    }
    // Dropping another item then costs more than all sensitive ones are worth together, so that it never pays.
    if (others_stay)
        for (std::size_t item = 0; item < rows_.labels; ++item)
            if (!rows_.sensitive[item]) worth_[item] = secrets + 1;
    for (std::size_t r = 0; r < rows_.count(); ++r) {
        std::int32_t* first = rows_.items.data() + rows_.offsets[r];
        std::int32_t* last = rows_.items.data() + rows_.ends[r];
        rows_.ends[r] -= last - std::remove_if(first, last, [&](std::int32_t item) { return !kept_[item]; });
    }
}

bool CutRows::keep_if_it_pays(std::int32_t code) {
    const std::int32_t item = item_of_[code];
    if (item < 0 || kept_[item]) return false;
    const std::int64_t before = loss_;
    std::vector<std::int32_t> gone;
    insert(item);
    for (const std::int32_t other : given_away_alone(item)) {
        erase(other);
        gone.push_back(other);
    }
    bool stands = false;
    while (loss_ < before && !(stands = !disturbs(item))) {
        std::int32_t cheapest = -1;
        for (const std::int32_t other : rule_)
            if (other != item && (cheapest < 0 || worth_[other] < worth_[cheapest])) cheapest = other;
        if (cheapest < 0) break;  // it is too frequent by itself
        erase(cheapest);
        gone.push_back(cheapest);
    }
    if (!stands) {
        erase(item);
        for (const std::int32_t other : gone) insert(other);
        return false;
    }
    // What was dropped later may allow what was dropped earlier.
    std::ranges::sort(
        gone, [&](std::int32_t a, std::int32_t b) { return worth_[a] != worth_[b] ? worth_[a] > worth_[b] : a < b; });
    for (const std::int32_t other : gone) {
        insert(other);
        if (disturbs(other)) erase(other);
    }
    return std::ranges::any_of(gone, [&](std::int32_t other) { return !kept_[other]; });
}

KeptAtCut CutRows::result() const {
    KeptAtCut result{loss_, std::vector<std::uint8_t>(item_of_.size(), 1), work()};
    for (std::size_t item = 0; item < kept_.size(); ++item) result.kept[rows_.code_of[item]] = kept_[item];
    return result;
}

void CutRows::insert(std::int32_t item) {
    kept_[item] = 1;
    secret_[item] = rows_.sensitive[item];
    loss_ -= worth_[item];
    for (const std::uint32_t r : rows_.list(item)) {
        std::int32_t* first = rows_.items.data() + rows_.offsets[r];
        std::int32_t* last = rows_.items.data() + rows_.ends[r]++;
        std::int32_t* place = std::lower_bound(first, last, item);
        std::copy_backward(place, last, last + 1);
        *place = item;
    }
}

void CutRows::erase(std::int32_t item) {
    kept_[item] = secret_[item] = 0;
    loss_ += worth_[item];
    for (const std::uint32_t r : rows_.list(item)) {
        std::int32_t* first = rows_.items.data() + rows_.offsets[r];
        std::int32_t* last = rows_.items.data() + rows_.ends[r]--;
        std::int32_t* place = std::lower_bound(first, last, item);
        std::copy(place + 1, last, place);
    }
}

std::vector<std::int32_t> CutRows::given_away_alone(std::int32_t item) {
    std::vector<std::int32_t> touched;
    for (const std::uint32_t r : rows_.list(item))
        for (const std::int32_t other : rows_.row(r)) {
            if (!together_[other]) touched.push_back(other);
            together_[other] += rows_.weights[r];
        }
    std::ranges::sort(touched);
    std::vector<std::int32_t> found;
    for (const std::int32_t other : touched) {
        const std::int64_t both = together_[other];
        together_[other] = 0;
        if (other == item) continue;
        const bool by_it = rows_.sensitive[item] && at_least({both, rows_.supports[other]}, limits_[item]);
        const bool it_does = secret_[other] && at_least({both, rows_.supports[item]}, limits_[other]);
        if (by_it || it_does) found.push_back(other);
    }
    work_ += rows_.list(item).size();
    return found;
}

bool CutRows::disturbs(std::int32_t item) {
    halt_.breathe();
    work_ += 4 * rows_.list(item).size();
    if (rows_.sensitive[item]) {
        if (search_.concludes(item, limits_by_code_)) {
            rule_ = search_.witness().antecedent;
            rule_.push_back(item);
            return true;
        }
    }
    RowFolder folder(rows_.labels, secret_);
    folder.begin();
    std::int64_t total = 0;
    bool others = false;
    std::vector<std::int32_t> rest;
    for (const std::uint32_t r : rows_.list(item)) {
        rest.clear();
        for (const std::int32_t other : rows_.row(r)) {
            if (other == item) continue;
            rest.push_back(other);
            others |= secret_[other];
        }
        folder.add(rest, rows_.weights[r]);
        total += rows_.weights[r];
    }
    if (!others) return false;
    const FoldedRows slice = folder.finish(total);
    RuleSearch search(slice, halt_);
    search.give_up_after(most_work_);
    const bool reached = search.reaches(limits_);
    work_ += search.work();
    if (!reached) return false;
    rule_ = {item};
    if (search.witness().antecedent.empty() && search.witness().holding == 0) return true;  // it gave up
    rule_.push_back(slice.code_of[search.witness().consequent]);
    for (const std::int32_t other : search.witness().antecedent) rule_.push_back(slice.code_of[other]);
    return true;
}

}  // namespace

KeptAtCut keep_at_cut(const Problem& problem, std::span<const std::uint8_t> split, std::span<const std::int32_t> order,
                      std::uint64_t most_work, bool others_stay, Halt halt) {
    CutRows rows(problem, split, most_work, others_stay, halt);
    bool dropped = true;
    // A second pass: what did not pay off at first may do so after others are gone.
    for (int turn = 0; turn < 2 && dropped; ++turn) {
        dropped = false;
        for (const std::int32_t code : order)
            if (rows.work() < most_work) dropped |= rows.keep_if_it_pays(code);
    }
    return rows.result();
}

}  // namespace discreet
