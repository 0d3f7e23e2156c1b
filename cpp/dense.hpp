// The search on rows as bitmaps.
#pragma once

#include "worker.hpp"

namespace discreet {

// Searches below the node whose items are in worker.prefix (and worker.perfect), which has already been reported. The
// candidates and priors are in worker.level(depth); `rows` are the node's rows in `table`.
void search_dense(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth);

// One branch of that search, the candidate at position `branch`: the unit of work of a thread at the root.
void search_branch(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t depth, std::size_t branch);

// maximal: imports what other workers have found since the last call.
void learn_maximal(Worker& worker);

}  // namespace discreet
