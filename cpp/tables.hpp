// Tables of bitmaps: counting in them, and making them smaller on the way down.
#pragma once

#include <vector>

#include "distinct_rows.hpp"
#include "worker.hpp"

namespace discreet {

// level.counts[c] = weight of the rows that contain item level.which[c].
void count_which(Worker& worker, const BitmapTable& table, const Word* rows, Level& level);

// Calls `visit` with the number of every row.
template <typename Visit>
void each_row(const Word* rows, std::size_t words, Visit visit) {
    for (std::size_t w = 0; w < words; ++w)
        for (Word left = rows[w]; left; left &= left - 1)
            visit(w * bits_per_word + static_cast<std::size_t>(std::countr_zero(left)));
}

// Sets `all` to the rows of the table, all of them.
void set_all_rows(const BitmapTable& table, Word* all);

// Sets the weight planes of a table whose rows are in descending order of how many bits their weights have.
void set_planes(BitmapTable& table, std::span<const std::uint32_t> weights);

// Makes a table of distinct rows, the heaviest first.
void set_rows(BitmapTable& table, const DistinctRows& rows, RowBits form);

// Rewrites the node in a table of its own, next.table: of `kept` rows, and of next.candidates and next.priors, which
// are renumbered. Priors that became infrequent are dropped: they can no longer be in all rows of a frequent
// itemset.
void shrink(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t kept, Level& next, Level& scratch);

// all, closed: joins the rows of next.table that hold the same candidates. Of the priors, the joined row has those that
// all of them have, which is what decides whether a prior is in all rows of a node below. Rows without a candidate are
// in no node below, and left out. Returns false, and leaves the table as it is, if too few rows are equal.
bool join_equal_rows(Worker& worker, Level& next);

}  // namespace discreet
