// What a window knows about sums of its cells, as equations and bounds, and the linear program they form.
#pragma once

#include "attack_window.hpp"
#include "simplex.hpp"

namespace discreet {

// One equation or bound on the sum of the cells that contain `subset` (with `within`, exactly `subset` of `within`).
struct Constraint {
    Subset subset;
    Subset within;  // 0: the support of the subset
    int side;       // 0 equal, 1 at most, -1 at least
    std::int64_t figure;
};

std::vector<Constraint> all_figures(const Window& window);

// An equivalent system with fewer or simpler equations: the groups on each maximal settled set, if those are not more.
std::vector<Constraint> fewest_equations(const Window& window);

// One unknown for each cell, then one for the slack of each bound. Throws TooLargeNumbers if there are too many.
template <typename Entry>
Simplex<Entry> program_of(const Window& window, std::span<const Constraint> constraints, bool traced = false);

extern template Simplex<std::int32_t> program_of(const Window&, std::span<const Constraint>, bool);
extern template Simplex<std::int64_t> program_of(const Window&, std::span<const Constraint>, bool);

// The cells of a window that can hold rows and what is known about their sums, for programs solved elsewhere.
struct Program {
    std::vector<std::uint32_t> cells;
    std::vector<std::uint32_t> masks;
    std::vector<std::int64_t> lows;
    std::vector<std::int64_t> highs;  // -1: no bound
    bool impossible = false;
};
Program window_program(const Knowledge& known, std::span<const std::int32_t> window);

}  // namespace discreet
