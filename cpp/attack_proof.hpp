// Which published figures, added and subtracted, prove a bound on a group of rows.
#pragma once

#include <atomic>
#include <functional>

#include "attack_window.hpp"
#include "simplex.hpp"

namespace discreet {

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

}  // namespace discreet
