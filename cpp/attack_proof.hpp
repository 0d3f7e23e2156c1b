// The published figures whose sums and differences prove a bound on a group of rows.
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

// Bounds to prove, and the windows in which they were found.
struct NamedBounds {
    Rows windows;
    Rows present;
    Rows absent;
    std::span<const std::uint8_t> high;  // whether it is an upper bound
    std::span<const std::int64_t> bounds;
};

// Returns for each bound a collection of figures that proves it. With `shortest`, no figure is redundant (for at most
// 40 figures); without it, only quick proofs are searched for. Returns no terms if there is no such collection.
std::vector<Proof> prove(const Knowledge& known, const NamedBounds& named, bool shortest, unsigned threads,
                         std::atomic<bool>& stop, const std::function<void()>& tick);

}  // namespace discreet
