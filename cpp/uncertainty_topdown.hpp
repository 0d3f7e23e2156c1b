// From the root of a hierarchy down: which nodes to split, and what to drop with each split (cao2010, Algorithm 3).
//
// A published row holds codes: an item that is sensitive or stands for itself keeps its number, node g of the hierarchy
// has the number of items + g. Information is counted in whole numbers: losing one occurrence of an item altogether
// costs as much as the hierarchy has leaves.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "rows.hpp"
#include "uncertainty_levels.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

struct TopDownTask {
    Rows rows;
    std::span<const std::int64_t> weights;
    std::int64_t total;
    std::span<const std::int32_t> leaf_of;       // item -> leaf of the hierarchy; -1: it is sensitive
    std::span<const std::int32_t> parent;        // node -> node; -1: the root, which comes last
    std::span<const std::int64_t> leaves_below;  // node -> leaves that it stands for; 0 for a leaf itself
    Share rho;
    bool drop_nodes;  // whether items that are not sensitive may be dropped, too
};

// What splitting a node would gain and make necessary.
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
    // Everything is generalized to the root; what can be concluded even so is dropped.
    TopDown(const TopDownTask& task, Halt halt);

    // Makes the split of highest net gain, provided that it is above `least`, and says which it was. With `all`, every
    // node is evaluated to the end; else only as far as it takes to know the best. When stopped, nothing has changed.
    std::optional<SplitStep> step(bool all, std::int64_t least, Halt halt);

    const std::vector<Choice>& start() const { return start_; }
    std::int64_t loss() const { return loss_; }
    // For every item the node it is published as, -1 if it is sensitive; and whether it is dropped.
    std::vector<std::int32_t> node_of() const;
    std::vector<std::uint8_t> dropped() const;

private:
    // A node that can be split: the rows below it, and which of its children each of them holds.
    struct Branch {
        std::int32_t node;
        std::int64_t gain;
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> sets;                  // parallel to rows
        std::vector<std::vector<std::int32_t>> children;  // of each set, codes ascending
    };

    std::int32_t code_of(std::int32_t node) const { return code_of_node_[node]; }
    template <typename Use>
    void for_items_below(std::int32_t node, Use use) const;
    std::size_t place_of(std::int32_t child, std::int32_t node) const;
    Branch branch(std::int32_t node, std::span<const std::uint32_t> rows) const;
    Split evaluate(const Branch& branch, std::int64_t most_cost, Halt halt) const;
    std::vector<Slice> slices_of(const Branch& branch) const;
    void make(std::size_t which, const Split& split);
    void compact();

    std::size_t items_;
    std::vector<std::int32_t> leaf_of_;
    std::vector<std::int32_t> parent_;
    std::vector<std::int64_t> leaves_below_;
    std::int64_t leaf_count_ = 0;
    Share rho_;
    std::int64_t total_;
    std::vector<std::vector<std::int32_t>> children_;  // of each node
    std::vector<std::int32_t> code_of_node_;
    std::vector<std::int32_t> node_of_code_;  // -1: sensitive
    std::vector<std::int64_t> occurrences_;   // by code: of all items it stands for
    std::vector<std::int64_t> costs_;         // by code: what dropping it costs; 0: it is never dropped
    std::vector<std::uint8_t> sensitive_;     // by code
    std::vector<std::uint8_t> dropped_;       // by code
    FoldedRows base_;                         // the rows as they came
    std::vector<std::int32_t> published_;     // item -> code, as things stand
    RowFolder published_rows_;                // distinct rows as things stand, and some that no longer occur
    std::vector<std::uint32_t> row_now_;      // row of base_ -> row of published_rows_
    std::vector<Branch> branches_;            // what can be split
    std::vector<Choice> start_;
    std::int64_t loss_ = 0;
};

}  // namespace discreet
