// What follows from published supports for groups of rows that were not published: the attacker's question.
//
// In a window of a few items (`attack_window`), a group (items present, items absent) is a sum of cells; the least and
// the greatest value it can have are two linear programs (`attack_constraints`, `simplex`).
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "attack_window.hpp"

namespace discreet {

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

}  // namespace discreet
