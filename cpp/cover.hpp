// Covering channels with few itemsets.
//
// Adding k virtual rows equal to a closed itemset H blocks a channel (I, J) when H contains I and nothing else of J.
// The task is to block all channels with as few H as possible: a set cover, which is hard in general. Few channels are
// solved exactly by branch and bound; many by a greedy cover that is then improved, two sets for one, as long as that
// works.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows.hpp"

namespace discreet {

struct CoverTask {
    Rows candidates;           // closed itemsets, in canonical order; the empty one may be first
    Rows bases;                // one for each channel
    Rows fulls;                // one for each channel
    std::uint64_t most_steps;  // of the exact search, and of the improvement
};

// The numbers of the chosen candidates, ascending. Every channel must have a candidate that covers it (its base does).
std::vector<std::int64_t> cover_channels(const CoverTask& task);

}  // namespace discreet
