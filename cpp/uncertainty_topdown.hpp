// From the root of a hierarchy down: which nodes to split, and what to drop for each split (cao2010, Algorithm 3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "uncertainty_levels.hpp"
#include "uncertainty_problem.hpp"

namespace discreet {

// The gain of splitting a node, and what must be dropped for it.
struct Split {
    std::int32_t node;
    std::int64_t gain;
    std::int64_t cost;  // of what must be dropped
    std::vector<Choice> chosen;
    std::int64_t net() const { return gain - cost; }
};

struct SplitStep {
    Split made;
    std::vector<Split> evaluated;
};

class TopDown {
public:
    // Everything is generalized to the root; what can still be inferred is dropped.
    TopDown(const ProblemInput& input, Halt halt);

    // Makes the split of highest net gain, if there is one, and returns it. With `explain`, every node is evaluated
    // completely; otherwise only as far as needed to find the best. When stopped, nothing has changed.
    std::optional<SplitStep> step(bool explain, Halt halt);

    const std::vector<Choice>& start() const { return start_; }
    std::int64_t loss() const { return loss_; }
    // For every item the node it is published as, -1 if it is sensitive; and whether it is dropped.
    std::vector<std::int32_t> node_of() const;
    std::vector<std::uint8_t> dropped() const;

private:
    void conceal(bool with_root, Halt halt);
    Split evaluate(const Branch& branch, std::int64_t most_cost, Halt halt) const;
    void make(std::size_t which, const Split& split);

    std::unique_ptr<const Problem> problem_;
    std::vector<std::int64_t> costs_;      // by code: what dropping it costs; 0: it is never dropped
    std::vector<std::uint8_t> dropped_;    // by code
    std::vector<std::int32_t> published_;  // item -> current code
    std::optional<PublishedRows> rows_;
    std::vector<Branch> branches_;  // what can be split
    std::vector<Choice> start_;
    std::int64_t loss_ = 0;
};

}  // namespace discreet
