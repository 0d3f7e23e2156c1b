// Covering channels with few itemsets.
//
// Adding k virtual rows equal to a closed itemset H blocks a channel (I, J) when H contains I and nothing else of J.
// The task is to block all channels with as few H as possible: a set cover, which is hard in general. Few channels are
// solved exactly by branch and bound; many by a greedy cover that is then improved, one set for two, as long as that
// works. `tick` is called now and then; what it throws ends the work.
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

// Merges the channels one after another, each with the first it can be merged with, as atzori2008 prints it, and
// returns the bases of what is left, in the order they ended up in. The full sets matter for what can be merged.
OwnedRows merge_in_order(const Rows& bases, const Rows& fulls, const std::function<void()>& tick);

// For each candidate, itself together with the full sets of the channels that it covers: the merged channel's full set.
OwnedRows merge_covered(const Rows& candidates, const Rows& bases, const Rows& fulls,
                        const std::function<void()>& tick);

}  // namespace discreet
