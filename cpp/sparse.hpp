// The search on many sparse rows, as lists of ranks.
#pragma once

#include "worker.hpp"

namespace discreet {

// Rows of ascending ranks; two bytes per rank if there are few enough.
template <typename Rank>
struct RankedRows {
    Buffer<std::uint32_t> offsets;  // four billion occurrences of frequent items are more than one machine mines
    Buffer<Rank> ranks;
    Buffer<std::uint32_t> weights;  // empty: every row counts once

    std::size_t count() const { return offsets.size() - 1; }
    std::span<const Rank> row(std::size_t r) const { return {ranks.data() + offsets[r], offsets[r + 1] - offsets[r]}; }
    std::uint32_t weight(std::size_t r) const { return weights.size() ? weights[r] : 1; }
};

// Returns, rank after rank, the rows that contain it. A row waits in the bucket of its next rank, so all buckets
// together have one entry per row, whereas tid-lists would have one per item.
template <typename Rank>
class Buckets {
public:
    // Only ranks with wanted[rank] >= 0 are returned; they must be taken in ascending order without gaps.
    Buckets(const RankedRows<Rank>& rows, std::span<const std::int32_t> wanted)
        : rows_(rows), wanted_(wanted), buckets_(wanted.size()) {}
    // Puts a row into the bucket of its first wanted rank from `first` on.
    void put(std::uint32_t row, std::size_t first);
    // The rows that contain `rank`, each moved on to the bucket of its next one.
    void take(std::size_t rank, Buffer<std::uint32_t>& rows);

private:
    const RankedRows<Rank>& rows_;
    std::span<const std::int32_t> wanted_;
    std::vector<Buffer<std::uint32_t>> buckets_;
};

// Searches the branch of `rank`, whose rows are `holders`, below the node in worker.prefix.
template <typename Rank>
void search_rank(Worker& worker, const RankedRows<Rank>& rows, std::size_t rank, std::span<std::uint32_t> holders,
                 std::size_t depth);

// Whether a search is faster on bitmaps than on lists: if one row in sixteen contains an item.
inline bool bitmaps_pay(RowLayout layout, std::size_t items, std::size_t rows, std::size_t occurrences) {
    constexpr std::size_t dense_share = 16;
    return layout == RowLayout::automatic ? items * rows <= dense_share * occurrences : layout == RowLayout::bitmaps;
}

}  // namespace discreet
