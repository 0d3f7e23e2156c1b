// What follows from published supports for groups of rows that were not published: the attacker's question.
//
// In a window of a few items (`attack_window`), a group (items present, items absent) is a sum of cells. Its least and
// its greatest possible value are two linear programs (`attack_constraints`, `simplex`). So is the least possible
// surplus of its rows with a sensitive item over a share of all its rows.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "attack_window.hpp"

namespace discreet {

// Asks for conclusions instead of small groups: of which groups does a share of at least above / below hold an item?
struct Conclude {
    std::span<const std::uint8_t> items;  // by item: whether it is one
    std::int64_t above;
    std::int64_t below;
    std::size_t most;  // how many conclusions of one window are enough
};

struct AttackTask {
    const Knowledge& known;
    DataSet data;
    bool data_given;                      // otherwise the first solution found is used
    Rows windows;                         // at most `widest_window` items each
    std::span<const std::uint8_t> asked;  // by item: whether groups may contain it; empty: all items
    std::int64_t k;
    std::int64_t steps;  // the most windows and programs, -1 for no limit
    std::size_t cells;   // windows with more cells are left out
    std::size_t groups;  // the most items of a group in one window
    bool exact;          // whether to report groups that only fractional rows rule out
    unsigned threads;
    std::atomic<bool>& stop;
    const std::function<void()>& tick;
    std::atomic<std::size_t>& looked_at;  // how many windows were examined
    std::atomic<double>& done;            // the share of the windows, or of the steps if more of these are used up
    const Conclude* conclude = nullptr;   // then `k` does not count
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
    // of conclusions: the item, and how many rows of the group hold it
    std::vector<std::int32_t> items;
    std::vector<std::int64_t> having_lows;
    std::vector<std::int64_t> having_highs;
};

struct Attack {
    FoundGroups found;
    FoundGroups open;  // only fractional rows rule these out
    std::vector<std::uint8_t> states;
    std::int64_t candidates = 0;
    std::int64_t programs = 0;
};

Attack attack(const AttackTask& task);

}  // namespace discreet
