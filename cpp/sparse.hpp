// The search on many sparse rows, as lists of ranks.
#pragma once

#include "waiting_rows.hpp"
#include "worker.hpp"

namespace discreet {

// Searches the branch of `rank`, whose rows are `rows`, below the node in worker.prefix. Large rows are freed as soon
// as the nodes below have their own.
template <typename Rank>
void search_rank(Worker& worker, RowForm<Rank> form, std::size_t rank, Buffer<Rank>& rows, std::size_t depth);

// Whether a search is faster on bitmaps than on lists: if one row in sixteen contains an item.
inline bool bitmaps_pay(RowLayout layout, std::size_t items, std::size_t rows, std::size_t occurrences) {
    constexpr std::size_t dense_share = 16;
    return layout == RowLayout::automatic ? items * rows <= dense_share * occurrences : layout == RowLayout::bitmaps;
}

}  // namespace discreet
