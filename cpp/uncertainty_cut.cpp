#include "uncertainty_cut.hpp"

#include <algorithm>

#include "uncertainty_check.hpp"

namespace discreet {

Cut::Cut(const CutProblem& ground, std::span<const std::uint8_t> split) {
    const Problem& problem = ground.problem;
    std::vector<std::int32_t> published(problem.items());
    for (std::size_t item = 0; item < problem.items(); ++item) published[item] = static_cast<std::int32_t>(item);
    for (std::int32_t node = 0; node <= problem.root(); ++node) {
        const std::int32_t above = problem.parent(node);
        if (split[node] || (above >= 0 && !split[above])) continue;
        generalized += problem.generalizing(node);
        problem.for_items_below(node, [&](std::int32_t item) { published[item] = problem.code_of(node); });
    }
    const FoldedRows& given = problem.rows();
    RowFolder folder(problem.codes(), problem.sensitive());
    folder.begin(given.count(), given.items.size());
    std::vector<std::int32_t> row;
    for (std::size_t r = 0; r < given.count(); ++r) {
        row.clear();
        for (const std::int32_t item : given.row(r)) row.push_back(published[given.code_of[item]]);
        if (!std::ranges::is_sorted(row)) std::ranges::sort(row);
        row.erase(std::unique(row.begin(), row.end()), row.end());
        folder.add(row, given.weights[r]);
    }
    rows = folder.finish(given.total);
}

namespace {

// What is currently kept in the rows at the cut.
class CutRows {
public:
    CutRows(const CutProblem& ground, const Cut& cut, std::uint64_t most_work, bool others_stay, Halt halt);

    // Returns whether anything else was dropped for it.
    bool keep_if_it_pays(std::int32_t code);
    KeptAtCut result() const;
    std::uint64_t work() const { return work_ + search_.work(); }

private:
    void insert(std::int32_t item);
    void erase(std::int32_t item);
    // What this item makes too certain, or is made too certain by, without any other; `item` need not be kept yet.
    std::vector<std::int32_t> given_away_alone(std::int32_t item);
    bool given_away_by_one(std::int32_t item) const;
    // Whether anything becomes too certain by this item, as a consequent or in an antecedent; `rule_` is then the rule.
    bool disturbs(std::int32_t item);

    std::optional<CertainPairs> own_pairs_;  // where the problem has none
    const CertainPairs& pairs_;
    const std::uint64_t most_work_;
    const Halt halt_;
    std::int64_t loss_;
    const FoldedRows& rows_;             // with all items, kept or not
    std::vector<std::int32_t> item_of_;  // code -> item of rows_, -1: in no row
    const Limits limits_by_code_;
    std::vector<Share> limits_;         // by item
    std::vector<std::int64_t> worth_;   // by item
    std::vector<std::uint8_t> kept_;    // by item
    std::vector<std::uint8_t> secret_;  // by item: kept, and sensitive
    RuleSearch search_;
    std::vector<std::int32_t> rule_;  // both sides of a rule, items
    std::uint64_t work_;
};

CutRows::CutRows(const CutProblem& ground, const Cut& cut, std::uint64_t most_work, bool others_stay, Halt halt)
    : pairs_(ground.pairs ? *ground.pairs : own_pairs_.emplace(ground.problem, cut.rows, CertainPairs::Cuts::one)),
      most_work_(most_work),
      halt_(halt),
      loss_(cut.generalized),
      rows_(cut.rows),
      item_of_(ground.problem.codes(), -1),
      limits_by_code_(ground.problem.limits()),
      limits_(rows_.labels),
      worth_(rows_.labels),
      kept_(rows_.labels, 1),
      secret_(rows_.labels, 0),
      search_(rows_, halt),
      work_(ground.problem.rows().items.size()) {
    const Problem& problem = ground.problem;
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
}

bool CutRows::keep_if_it_pays(std::int32_t code) {
    const std::int32_t item = item_of_[code];
    if (item < 0 || kept_[item]) return false;
    std::vector<std::int32_t> gone = given_away_alone(item);
    std::int64_t price = 0;
    for (const std::int32_t other : gone) price += worth_[other];
    if (price >= worth_[item]) return false;
    const std::int64_t before = loss_;
    insert(item);
    for (const std::int32_t other : gone) erase(other);
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
}

void CutRows::erase(std::int32_t item) {
    kept_[item] = secret_[item] = 0;
    loss_ += worth_[item];
}

std::vector<std::int32_t> CutRows::given_away_alone(std::int32_t item) {
    std::vector<std::int32_t> found;
    for (const CertainPairs::Pair pair : pairs_.of(rows_.code_of[item]))
        if (const std::int32_t other = item_of_[pair.other]; other >= 0 && kept_[other]) found.push_back(other);
    work_ += rows_.list(item).size();
    return found;
}

bool CutRows::given_away_by_one(std::int32_t item) const {
    return std::ranges::any_of(pairs_.of(rows_.code_of[item]), [&](CertainPairs::Pair pair) {
        const std::int32_t other = item_of_[pair.other];
        return pair.given_by_other && other >= 0 && kept_[other];
    });
}

bool CutRows::disturbs(std::int32_t item) {
    halt_.breathe();
    work_ += 4 * rows_.list(item).size();
    RowFolder folder(rows_.labels, secret_);
    if (rows_.sensitive[item]) {
        if (given_away_by_one(item)) {  // never an item that is about to be kept: what gives that away is gone
            rule_ = {item};
            return true;
        }
        if (search_.concludes(item, kept_, limits_by_code_, folder)) {
            rule_ = search_.witness().antecedent;
            rule_.push_back(item);
            return true;
        }
    } else {
        folder.begin();
        std::vector<std::int32_t> rest;
        for (const std::uint32_t r : rows_.list(item)) {
            rest.clear();
            for (const std::int32_t other : rows_.row(r))
                if (kept_[other] && other != item) rest.push_back(other);
            folder.add(rest, rows_.weights[r]);
        }
    }
    bool others = false;
    for (std::uint32_t rest = 0; rest < folder.count() && !others; ++rest)
        others = std::ranges::any_of(folder.row(rest), [&](std::int32_t other) { return secret_[other] != 0; });
    if (!others) return false;
    const FoldedRows slice = folder.finish(rows_.supports[item]);
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

CertainPairs::CertainPairs(const Problem& problem, const FoldedRows& rows, Cuts cuts)
    : starts_(problem.codes() + 1, 0) {
    std::vector<std::uint64_t> last(problem.codes(), 0);  // the visit of a row at which a code was counted last
    std::uint64_t visit = 0;
    // Counts a row for each code that may be published for one of its items: itself and, at other cuts, nodes above it.
    const auto count = [&](std::uint32_t r, auto use) {
        ++visit;
        for (const std::int32_t item : rows.row(r)) {
            std::int32_t code = rows.code_of[item];
            while (last[code] != visit) {
                last[code] = visit;
                use(code, rows.weights[r]);
                const std::int32_t node = cuts == Cuts::one ? -1 : problem.node_of(code);
                if (node < 0 || problem.parent(node) < 0) break;
                code = problem.code_of(problem.parent(node));
            }
        }
    };
    std::vector<std::int64_t> supports(problem.codes(), 0);
    for (std::uint32_t r = 0; r < rows.count(); ++r)
        count(r, [&](std::int32_t code, std::int64_t weight) { supports[code] += weight; });
    std::vector<std::int64_t> together(problem.codes(), 0);
    std::vector<std::int32_t> touched;
    std::int32_t done = 0;
    for (std::size_t item = 0; item < rows.labels; ++item) {
        if (!rows.sensitive[item]) continue;
        const std::int32_t code = rows.code_of[item];
        while (done < code) starts_[++done] = pairs_.size();
        touched.clear();
        for (const std::uint32_t r : rows.list(static_cast<std::int32_t>(item)))
            count(r, [&](std::int32_t other, std::int64_t weight) {
                if (!together[other]) touched.push_back(other);
                together[other] += weight;
            });
        std::ranges::sort(touched);
        for (const std::int32_t other : touched) {
            const std::int64_t both = together[other];
            together[other] = 0;
            if (other == code) continue;
            const bool by_other = at_least({both, supports[other]}, problem.limits()[code]);
            const bool of_other =
                problem.sensitive()[other] && at_least({both, supports[code]}, problem.limits()[other]);
            if (by_other || of_other) pairs_.push_back({other, by_other});
        }
    }
    while (done < static_cast<std::int32_t>(problem.codes())) starts_[++done] = pairs_.size();
}

KeptAtCut keep_at_cut(const CutProblem& ground, const Cut& cut, std::span<const std::int32_t> order,
                      std::uint64_t most_work, bool others_stay, Halt halt) {
    CutRows rows(ground, cut, most_work, others_stay, halt);
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
