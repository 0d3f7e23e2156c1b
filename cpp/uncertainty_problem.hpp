// The input of every search for a publication: rows, a hierarchy of the non-sensitive items, and the costs of
// generalizing and dropping; and the rows as a search currently publishes them.
//
// A published row consists of codes: an item that is sensitive or unchanged keeps its number, node g of the hierarchy
// has the number of items + g. Information is counted in whole numbers: losing one occurrence of an item completely
// costs the number of leaves of the hierarchy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows.hpp"
#include "uncertainty_levels.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

struct ProblemInput {
    Rows rows;
    std::span<const std::int64_t> weights;
    std::int64_t total;
    std::span<const std::int32_t> leaf_of;       // item -> leaf of the hierarchy; -1: it is sensitive
    std::span<const std::int32_t> parent;        // node -> node; -1: the root, which comes last
    std::span<const std::int64_t> leaves_below;  // node -> number of leaves below it; 0 for a leaf itself
    Limits limits;                               // by item
};

// A node that can be split: the rows below it, and which of its children each of them contains.
struct Branch {
    std::int32_t node;
    std::int64_t gain;  // what splitting it gains, if nothing has to be dropped
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> sets;                  // parallel to rows
    std::vector<std::vector<std::int32_t>> children;  // of each set, codes ascending
};

class Problem {
public:
    explicit Problem(const ProblemInput& input);

    std::size_t items() const { return leaf_of_.size(); }
    std::size_t codes() const { return sensitive_.size(); }
    std::int32_t root() const { return static_cast<std::int32_t>(parent_.size()) - 1; }  // -1: no hierarchy
    std::int32_t parent(std::int32_t node) const { return parent_[node]; }
    bool is_leaf(std::int32_t node) const { return leaves_below_[node] == 0; }
    std::int32_t code_of(std::int32_t node) const { return code_of_node_[node]; }
    std::int32_t node_of(std::int32_t code) const { return node_of_code_[code]; }  // -1: a sensitive item
    const std::vector<std::int32_t>& children(std::int32_t node) const { return children_[node]; }  // by code
    const std::vector<std::uint8_t>& sensitive() const { return sensitive_; }                       // by code
    const FoldedRows& rows() const { return rows_; }
    const std::vector<Share>& limits() const { return limits_; }  // by code

    // The loss of publishing all items below a node as that node, and of publishing an item as it or dropping it.
    std::int64_t generalizing(std::int32_t node) const { return occurrences_[code_of(node)] * leaves_below_[node]; }
    std::int64_t dropping(std::int32_t code) const;

    // `rows` are those that contain an item below the node.
    Branch branch(std::int32_t node, std::span<const std::uint32_t> rows) const;
    // The same for each child of a branch, by the child's index in children().
    std::vector<std::vector<std::uint32_t>> rows_below(const Branch& branch) const;
    std::vector<std::uint32_t> rows_below_root() const;

    template <typename Use>
    void for_items_below(std::int32_t node, Use use) const {
        for (const std::int32_t child : children_[node]) for_items_below(child, use);
        if (const std::int32_t code = code_of(node); code < static_cast<std::int32_t>(items())) use(code);
    }
    std::size_t place_of(std::int32_t child_code, std::int32_t node) const;

private:
    std::vector<std::int32_t> leaf_of_;
    std::vector<std::int32_t> parent_;
    std::vector<std::int64_t> leaves_below_;
    std::int64_t leaf_count_ = 0;
    std::vector<Share> limits_;
    std::vector<std::vector<std::int32_t>> children_;
    std::vector<std::int32_t> code_of_node_;
    std::vector<std::int32_t> node_of_code_;
    std::vector<std::int64_t> occurrences_;  // by code: of all items it stands for
    std::vector<std::uint8_t> sensitive_;    // by code
    FoldedRows rows_;                        // as given
};

// The rows as they are published at some point of a search: at first everything at the root, then with more and more
// nodes split.
class PublishedRows {
public:
    PublishedRows(const Problem& problem, std::span<const std::uint8_t> dropped);

    // For each child of the node, the rows that would contain it if the node were split: without it, and without
    // earlier children. Children that no sensitive item occurs with are left out.
    std::vector<Slice> slices_of(const Branch& branch) const;
    FoldedRows folded() const;
    void split(const Branch& branch);
    void drop(std::span<const std::uint8_t> dropped);

private:
    // Numbers pairs of a row and a set of children, in order of appearance.
    class PairNumbers;
    void compact(std::span<const std::uint8_t> dropped);

    const Problem* problem_;
    RowFolder distinct_;              // current rows, and some that no longer occur
    std::vector<std::uint32_t> now_;  // row of the problem -> row of distinct_
};

}  // namespace discreet
