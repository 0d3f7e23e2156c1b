// Groups from tid-lists that refine a partition of the rows along a trie of all targets.
#pragma once

#include "groups.hpp"

namespace discreet {

// Returns the same as split_rows, for rows of `labels` items that add up to `total`.
Groups refine_rows(const Rows& rows, std::span<const std::int64_t> weights, std::int64_t total, std::size_t labels,
                   const GroupTask& task);

}  // namespace discreet
