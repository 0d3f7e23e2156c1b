// What is published, restricted to a window of a few items.
//
// Every combination of the window's items is a cell: an unknown number of rows. What is published about these items
// becomes equations and bounds on sums of cells (`attack_constraints`).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rows.hpp"

namespace discreet {

constexpr std::size_t widest_window = 16;
constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max();

// Itemsets with supports, from one publication.
struct Layer {
    Rows itemsets;
    std::span<const std::int64_t> lows;  // of the supports, if they are known only within a range
    std::span<const std::int64_t> highs;
    std::int64_t total = -1;    // the number of rows, -1 if unknown
    std::int64_t ceiling = -1;  // the greatest support of an unlisted itemset, -1 if unknown
    std::int64_t longest = -1;  // the most items of an itemset that would be listed if it were frequent, -1 if any
    std::int32_t marker = -1;   // an item in every itemset of this layer, whose support is the layer's total
    bool closed = false;  // a subset of a listed itemset is listed, or as frequent as the best one that contains it
    // `itemsets` are rows instead, and `lows` how often each occurs: published are all sets in more than `ceiling` rows
    bool of_rows = false;
};

struct Knowledge {
    std::vector<Layer> layers;
    Rows exclusive;  // sets of items of which a row contains at most one
    std::size_t labels = 0;
};

// A data set that agrees with everything published, as weighted rows.
struct DataSet {
    Rows rows;
    std::span<const std::int64_t> weights;
};

constexpr std::int64_t no_offsets[1] = {0};
constexpr DataSet no_data{{std::span<const std::int64_t>(no_offsets), {}}, {}};

// A subset of a window's items, one bit each. A cell is the subset that its rows contain.
using Subset = std::uint32_t;

// Calls visit(part) for every subset of a set, the set itself first and the empty one last.
template <typename Visit>
void for_each_subset(Subset set, Visit visit) {
    for (Subset part = set;; part = (part - 1) & set) {
        visit(part);
        if (part == 0) return;
    }
}

// Projects rows on a window: which of its items each row contains.
class Projector {
public:
    Projector(const Rows& rows, std::size_t labels);

    // Calls visit(row, subset) for every row that contains an item of the window.
    template <typename Visit>
    void visit(std::span<const std::int32_t> window, std::vector<Subset>& codes, std::vector<std::uint32_t>& met,
               Visit visit) const {
        codes.resize(rows_);
        met.clear();
        for (std::size_t bit = 0; bit < window.size(); ++bit) {
            for (const std::uint32_t row : holders(window[bit])) {
                if (codes[row] == 0) met.push_back(row);
                codes[row] |= Subset{1} << bit;
            }
        }
        for (const std::uint32_t row : met) {
            visit(row, codes[row]);
            codes[row] = 0;
        }
    }

private:
    std::span<const std::uint32_t> holders(std::int32_t item) const {
        return {holders_.data() + starts_[item], starts_[item + 1] - starts_[item]};
    }

    std::size_t rows_;
    std::vector<std::size_t> starts_;
    std::vector<std::uint32_t> holders_;
};

// What all windows share: where the items occur in each layer and in the data.
struct PublicationIndex {
    const Knowledge& known;
    std::vector<Projector> layers;
    Projector data;

    explicit PublicationIndex(const Knowledge& knowledge, const DataSet& data_set = no_data);
};

// Memory that one thread reuses from window to window.
struct WindowScratch {
    std::vector<std::vector<Subset>> codes;  // by layer, and one more for the data
    std::vector<std::uint32_t> met;
    std::vector<std::int64_t> best;
};

// A window: bounds on the support of every subset of its items, and the cells that rows can be in.
struct Window {
    std::span<const std::int32_t> items;
    std::vector<std::int64_t> low;
    std::vector<std::int64_t> high;
    std::vector<std::uint8_t> ceiling;  // whether `high` is a layer's ceiling rather than a support
    std::vector<std::uint8_t> settled;  // whether all subsets are known exactly, so that the groups on it are
    std::vector<std::uint8_t> excluded;
    std::vector<Subset> maximal;  // of those settled
    std::vector<Subset> cells;
    bool impossible = false;

    Subset whole() const { return static_cast<Subset>(low.size() - 1); }
    bool exact(Subset subset) const { return low[subset] == high[subset]; }
};

// With `all_cells`, only cells with two exclusive items are left out, so every other conclusion must come from the
// figures themselves.
Window open_window(const PublicationIndex& index, std::span<const std::int32_t> items, WindowScratch& scratch,
                   bool all_cells = false);

// The numbers of rows with each subset of a settled set and nothing else of it, at the subsets' places.
void find_groups(const Window& window, Subset set, std::vector<std::int64_t>& groups);

}  // namespace discreet
