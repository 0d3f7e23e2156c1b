#include "attack_constraints.hpp"

namespace discreet {

namespace {

constexpr std::size_t largest_tableau = std::size_t{1} << 19;

// Adds the bounds that no other bound implies.
void add_bounds(const Window& window, std::vector<Constraint>& constraints) {
    for (Subset subset = 0; subset < window.low.size(); ++subset) {
        if (window.exact(subset) || window.excluded[subset]) continue;
        bool high = window.high[subset] != no_bound, low = window.low[subset] > 0;
        for (Subset rest = subset; high && rest; rest &= rest - 1) {
            high = window.high[subset & ~(rest & -rest)] > window.high[subset];
        }
        for (Subset rest = window.whole() & ~subset; low && rest; rest &= rest - 1) {
            low = window.low[subset | (rest & -rest)] < window.low[subset];
        }
        if (high) constraints.push_back({subset, 0, 1, window.high[subset]});
        if (low) constraints.push_back({subset, 0, -1, window.low[subset]});
    }
}

bool holds(Subset cell, const Constraint& constraint) {
    return (cell & (constraint.within ? constraint.within : constraint.subset)) == constraint.subset;
}

}  // namespace

std::vector<Constraint> all_figures(const Window& window) {
    std::vector<Constraint> constraints;
    for (Subset subset = 0; subset < window.low.size(); ++subset) {
        if (!window.exact(subset) || window.excluded[subset]) continue;
        constraints.push_back({subset, 0, window.ceiling[subset] ? 1 : 0, window.high[subset]});
    }
    add_bounds(window, constraints);
    return constraints;
}

std::vector<Constraint> fewest_equations(const Window& window) {
    std::size_t exact = 0;
    for (Subset subset = 0; subset < window.low.size(); ++subset) {
        exact += window.exact(subset) && !window.excluded[subset];
    }
    std::vector<Constraint> constraints;
    std::vector<std::int64_t> groups;
    for (const Subset set : window.maximal) {
        find_groups(window, set, groups);
        for_each_subset(set, [&](Subset part) {
            if (groups[part] > 0) constraints.push_back({part, set, 0, groups[part]});
        });
        if (constraints.size() > exact) break;
    }
    if (constraints.size() > exact || window.maximal.empty()) return all_figures(window);
    for (Subset subset = 0; subset < window.low.size(); ++subset) {
        if (window.exact(subset) && !window.settled[subset] && !window.excluded[subset]) {
            constraints.push_back({subset, 0, 0, window.low[subset]});
        }
    }
    add_bounds(window, constraints);
    return constraints;
}

template <typename Entry>
Simplex<Entry> program_of(const Window& window, std::span<const Constraint> constraints, bool traced) {
    std::size_t slacks = 0;
    for (const Constraint& constraint : constraints) slacks += constraint.side != 0;
    const std::size_t columns = window.cells.size() + slacks;
    if (constraints.size() * columns > largest_tableau) throw TooLargeNumbers{};
    Simplex<Entry> program(constraints.size(), columns, traced);
    std::size_t slack = window.cells.size();
    for (std::size_t row = 0; row < constraints.size(); ++row) {
        const Constraint& constraint = constraints[row];
        for (std::size_t c = 0; c < window.cells.size(); ++c) {
            if (holds(window.cells[c], constraint)) program.at(row, c) = 1;
        }
        program.right(row) = constraint.figure;
        if (constraint.side == 0) continue;
        program.at(row, slack) = constraint.side;
        if (constraint.side > 0) program.starts_with(row, slack);
        ++slack;
    }
    return program;
}

template Simplex<std::int32_t> program_of(const Window&, std::span<const Constraint>, bool);
template Simplex<std::int64_t> program_of(const Window&, std::span<const Constraint>, bool);

Program window_program(const Knowledge& known, std::span<const std::int32_t> window) {
    const PublicationIndex index(known);
    WindowScratch scratch;
    const Window opened = open_window(index, window, scratch);
    Program program;
    program.impossible = opened.impossible;
    program.cells.assign(opened.cells.begin(), opened.cells.end());
    for (const Constraint& constraint : all_figures(opened)) {
        program.masks.push_back(constraint.subset);
        program.lows.push_back(constraint.side <= 0 ? constraint.figure : 0);
        program.highs.push_back(constraint.side >= 0 ? constraint.figure : -1);
    }
    return program;
}

}  // namespace discreet
