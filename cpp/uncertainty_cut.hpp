// How much can be kept if rows are published at one cut through the hierarchy: which sensitive items, at the price of
// dropping others and nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "uncertainty_problem.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

// Pairs of a sensitive item and another code such that one alone makes the other, a sensitive item, too certain. They
// are the same at every cut at which the code is published, and do not depend on what else is kept. `rows` are those of
// the problem, for the codes of all cuts, or those at one cut, for its codes alone.
class CertainPairs {
public:
    struct Pair {
        std::int32_t other;   // a code
        bool given_by_other;  // whether the item follows from the code; otherwise the code from the item
    };

    enum class Cuts : bool { one, all };
    CertainPairs(const Problem& problem, const FoldedRows& rows, Cuts cuts);
    // Of a sensitive item, by code ascending.
    std::span<const Pair> of(std::int32_t item) const {
        return {pairs_.data() + starts_[item], starts_[item + 1] - starts_[item]};
    }

private:
    std::vector<std::size_t> starts_;
    std::vector<Pair> pairs_;
};

// What the evaluations of all cuts share. With `one_cut`, because only one is evaluated, its pairs are counted then.
struct CutProblem {
    CutProblem(const ProblemInput& input, bool one_cut) : problem(input) {
        if (!one_cut) pairs.emplace(problem, problem.rows(), CertainPairs::Cuts::all);
    }

    Problem problem;
    std::optional<CertainPairs> pairs;
};

// The rows as they are published at a cut if nothing is dropped. `split` is whether each node is split; all nodes above
// a split node are split.
struct Cut {
    Cut(const CutProblem& ground, std::span<const std::uint8_t> split);

    std::int64_t generalized = 0;  // the loss of the cut
    FoldedRows rows;
};

struct KeptAtCut {
    std::int64_t loss;               // of the cut and of everything that is dropped
    std::vector<std::uint8_t> kept;  // by code; what occurs in no row counts as kept
    std::uint64_t work;              // in rows and words of bitmaps, as if each count were made on its own
};

// At first all nodes of the cut are kept and no sensitive item. Then each item of `order`, all sensitive, is kept, one
// after another, if it is worth more than what has to be dropped for it: the cheapest part of each rule that it would
// make too certain. Every rule stays below its limit. Items of `order` not reached within `most_work` stay dropped.
// With `others_stay` only sensitive items are dropped.
KeptAtCut keep_at_cut(const CutProblem& ground, const Cut& cut, std::span<const std::int32_t> order,
                      std::uint64_t most_work, bool others_stay, Halt halt);

}  // namespace discreet
