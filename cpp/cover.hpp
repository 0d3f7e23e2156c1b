// Covers channels with few itemsets.
//
// Adding k virtual rows equal to a closed itemset H blocks a channel (I, J) if H contains I and nothing else of J. The
// task is to block all channels with as few H as possible: a set cover, which is NP-hard. Few channels are solved
// exactly by branch and bound; many by a greedy cover that is then improved by replacing two sets with one while
// possible. `tick` is called now and then; an exception from it ends the work.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rows.hpp"

namespace discreet {

struct CoverTask {
    Rows candidates;           // closed itemsets, in canonical order; the empty one may be first
    Rows bases;                // one for each channel
    Rows fulls;                // one for each channel
    std::uint64_t most_steps;  // of the exact search
};

// The numbers of the chosen candidates, ascending. Every channel must have a candidate that covers it (its base does).
std::vector<std::int64_t> cover_channels(const CoverTask& task, const std::function<void()>& tick);

// Merges the channels in order, each with the first it can be merged with, as printed in atzori2008, and returns the
// bases of the remaining ones, in their final order. The full sets decide what can be merged.
OwnedRows merge_in_order(const Rows& bases, const Rows& fulls, const std::function<void()>& tick);

// For each candidate, its union with the full sets of the channels that it covers: the merged channel's full set.
OwnedRows merge_covered(const Rows& candidates, const Rows& bases, const Rows& fulls,
                        const std::function<void()>& tick);

}  // namespace discreet
