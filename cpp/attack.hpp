// What follows from published supports for groups of rows that were not published: the attacker's question.
//
// A window is a few items. Every kind of row, as far as the window's items are concerned, is a cell: an unknown number
// of rows. What is published about these items are equations and bounds on sums of cells. A group (items present, items
// absent) is a sum of cells, too; the least and the greatest value it can have are two linear programs (`simplex`).
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "rows.hpp"
#include "simplex.hpp"

namespace discreet {

constexpr std::size_t widest_window = 16;

// Itemsets with supports, as one publication gives them.
struct Layer {
    Rows itemsets;
    std::span<const std::int64_t> lows;  // of the supports, where they are known within a range only
    std::span<const std::int64_t> highs;
    std::int64_t total = -1;    // the number of rows, -1 where it is not known
    std::int64_t ceiling = -1;  // the most rows that an itemset not listed can have, -1 where nothing is known of them
    std::int32_t marker = -1;   // an item that every itemset of this layer holds and that its total is the support of
    bool closed = false;        // a subset of a listed itemset is listed, or as frequent as the best one that holds it
};

struct Knowledge {
    std::vector<Layer> layers;
    Rows exclusive;  // sets of items of which a row holds at most one
    std::size_t labels = 0;
};

// A data set that agrees with all that is published, as rows with weights.
struct DataSet {
    Rows rows;
    std::span<const std::int64_t> weights;
};

struct AttackTask {
    const Knowledge& known;
    DataSet data;
    bool data_given;                      // else the first solution found serves
    Rows windows;                         // at most `widest_window` items each
    std::span<const std::uint8_t> asked;  // by item: whether groups over it are looked for; empty: over all
    std::int64_t k;
    std::int64_t steps;  // windows and programs at most, -1 for all
    std::size_t cells;   // windows of more are left out
    std::size_t groups;  // groups of so many items at most are looked for in one window
    bool exact;          // whether to tell which groups are ruled out by fractions of rows only
    unsigned threads;
    std::atomic<bool>& stop;
    const std::function<void()>& tick;
};

enum WindowState : std::uint8_t { not_reached = 0, looked_at = 1, too_large = 2, impossible = 3 };

// Groups by the number of their window.
struct FoundGroups {
    std::vector<std::int64_t> windows;
    std::vector<std::int64_t> present_offsets{0};
    std::vector<std::int32_t> present;
    std::vector<std::int64_t> absent_offsets{0};
    std::vector<std::int32_t> absent;
    std::vector<std::int64_t> lows;
    std::vector<std::int64_t> highs;
};

struct Attack {
    FoundGroups found;
    FoundGroups open;  // ruled out by fractions of rows only
    std::vector<std::uint8_t> states;
    std::int64_t candidates = 0;
    std::int64_t programs = 0;
};

Attack attack(const AttackTask& task);

// One published figure in a proof: the support of an itemset (the empty one: the number of rows), or the ceiling.
struct ProofTerm {
    Fraction times;
    std::vector<std::int32_t> items;
    bool ceiling = false;
    std::int64_t figure = 0;
};

struct Proof {
    std::vector<ProofTerm> terms;
    Fraction bound;
};

// Bounds to be proved, and the windows that they were found in.
struct NamedBounds {
    Rows windows;
    Rows present;
    Rows absent;
    std::span<const std::uint8_t> high;  // whether it is an upper bound
    std::span<const std::int64_t> bounds;
};

// For each bound a collection of figures that shows it; with `shortest`, none of which can be spared (where they are at
// most 40), without, only those are looked for that are quick to find. No terms where there is no such collection.
std::vector<Proof> prove(const Knowledge& known, const NamedBounds& named, bool shortest, unsigned threads,
                         std::atomic<bool>& stop, const std::function<void()>& tick);

// The cells of a window that can hold rows and what is known of their sums, for programs that others solve.
struct Program {
    std::vector<std::uint32_t> cells;
    std::vector<std::uint32_t> masks;
    std::vector<std::int64_t> lows;
    std::vector<std::int64_t> highs;  // -1: no bound
    bool impossible = false;
};
Program window_program(const Knowledge& known, std::span<const std::int32_t> window);

}  // namespace discreet
