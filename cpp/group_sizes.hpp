// Sizes of groups from supports alone: two ways to solve f(X) = sup(X) - sum of f(Y) over the Y above X.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bitmaps.hpp"
#include "groups.hpp"
#include "projection.hpp"

namespace discreet {

// Solves a row of groups from supports: f(X) = sup(X) - sum of f(Y) over the Y above X, from the largest X down. Only Y
// with f(Y) > 0 matter. As a number, a set is greater than its subsets, so descending order puts it before them.
template <std::size_t W>
void solve_triangular(std::vector<Entry<W>>& closed, std::uint32_t target) {
    std::ranges::sort(closed, std::greater{}, &Entry<W>::mask);
    std::size_t solved = 0;  // groups with rows, at the front
    for (std::size_t i = 0; i < closed.size(); ++i) {
        std::int64_t left = closed[i].value;
        for (std::size_t j = 0; j < solved; ++j)  // inclusion is unpredictable, so there is no branch
            left -= closed[j].value & -std::int64_t{inside(closed[i].mask, closed[j].mask)};
        if (left < 0) throw Inconsistent(target);
        if (left > 0) closed[solved++] = {closed[i].mask, left};
    }
    closed.resize(solved);
}

// The same by a transform over all 2^m subsets of a target of m items: the largest support above each subset, then the
// Moebius inversion. Cheaper if there are many closed sets of few items. On the border the support of the whole target
// is unknown: it starts at 0 and is raised to the least value that leaves no group negative.
template <std::size_t W, bool border>
void solve_transform(std::vector<Entry<W>>& closed, std::span<const std::uint32_t> bits, std::uint32_t target,
                     std::vector<std::int64_t>& table) {
    const std::size_t size = std::size_t{1} << bits.size();
    table.assign(size, 0);
    for (const Entry<W>& entry : closed) {
        std::size_t subset = 0;
        for (std::size_t b = 0; b < bits.size(); ++b) subset |= std::size_t{has_bit(entry.mask.data(), bits[b])} << b;
        table[subset] = entry.value;
    }
    for (std::size_t bit = 1; bit < size; bit <<= 1)
        for (std::size_t s = 0; s < size; ++s)
            if (!(s & bit)) table[s] = std::max(table[s], table[s | bit]);
    for (std::size_t bit = 1; bit < size; bit <<= 1)
        for (std::size_t s = 0; s < size; ++s)
            if (!(s & bit)) table[s] -= table[s | bit];
    if constexpr (border) {
        const auto even = [&](std::size_t s) { return (bits.size() - std::popcount(s)) % 2 == 0; };
        std::int64_t least = 0;
        for (std::size_t s = 0; s < size; ++s)
            if (even(s)) least = std::max(least, -table[s]);
        for (std::size_t s = 0; s < size; ++s) table[s] += even(s) ? least : -least;
    }
    closed.clear();
    for (std::size_t s = 0; s < size; ++s) {
        if (table[s] < 0) throw Inconsistent(target);
        if (table[s] == 0) continue;
        Entry<W> group{{}, table[s]};
        for (std::size_t b = 0; b < bits.size(); ++b)
            if (s >> b & 1) set_bit(group.mask.data(), bits[b]);
        closed.push_back(group);
    }
}

}  // namespace discreet
