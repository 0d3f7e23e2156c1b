// Rows on their way through the sparse search: each waits, written out, in the bucket of its next rank.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "buffer.hpp"

namespace discreet {

template <typename Rank>
struct WaitingRow {
    std::span<const Rank> ranks;  // ascending
    std::size_t position;         // of the rank it waits for
    std::uint32_t weight;
};

// How rows are written, one after another: their length, the position of the rank they wait for, the ranks, the weight.
// Where nobody looks at the ranks before that position (all itemsets), these are left out, and so is the position.
template <typename Rank>
struct RowForm {
    bool whole;
    bool weighted;

    std::size_t head() const { return whole ? 2 : 1; }
    std::size_t tail() const { return weighted ? sizeof(std::uint32_t) / sizeof(Rank) : 0; }
    std::size_t extra() const { return head() + tail(); }

    void write(Buffer<Rank>& rows, std::span<const Rank> ranks, std::size_t position, std::uint32_t weight) const {
        const auto kept = whole ? ranks : ranks.subspan(position);
        Rank* place = rows.extend(kept.size() + extra());
        *place++ = static_cast<Rank>(kept.size());
        if (whole) *place++ = static_cast<Rank>(position);
        place = std::ranges::copy(kept, place).out;
        if (weighted) std::memcpy(place, &weight, sizeof weight);
    }

    // The weight of the row that starts here.
    std::uint32_t weight(const Rank* row) const {
        std::uint32_t weight = 1;
        if (weighted) std::memcpy(&weight, row + head() + row[0], sizeof weight);
        return weight;
    }

    // Calls `visit` with every row.
    template <typename Visit>
    void each(std::span<const Rank> rows, Visit visit) const {
        const Rank* end = rows.data() + rows.size();
        for (const Rank* at = rows.data(); at != end;) {
            const std::size_t length = at[0];
            const WaitingRow<Rank> row{{at + head(), length}, whole ? at[1] : std::size_t{0}, weight(at)};
            at += extra() + length;
            visit(row);
        }
    }
};

// Returns, rank after rank, the rows that contain it. Rows move from bucket to bucket whole: what a node looks at is
// one block of memory, where references to rows would cost a cache miss for each. All buckets together hold every row
// once.
template <typename Rank>
class Buckets {
public:
    // `units` is about how much all rows take, in ranks.
    Buckets(RowForm<Rank> form, std::size_t ranks, std::size_t units) : form_(form), buckets_(ranks) {
        constexpr std::size_t shortest = 64, longest = 32768;
        chunk_ = std::bit_floor(std::clamp(units / (8 * ranks + 1), shortest, longest));
        slab_ = std::max<std::size_t>(1, (std::size_t{1} << 16) / chunk_);
    }

    // Puts a row into the bucket of the rank it waits for.
    void put(std::span<const Rank> ranks, std::size_t position, std::uint32_t weight) {
        written_.resize(0);
        form_.write(written_, ranks, position, weight);
        written_.extend(slack);
        written_.resize(written_.size() - slack);
        append(buckets_[ranks[position]], written_.data(), written_.size());
    }

    // Adds the rows that contain `rank` to `rows`; each also moves on to the bucket of its next rank. Ranks must be
    // taken in ascending order, none left out.
    void take(std::size_t rank, Buffer<Rank>& rows) {
        const std::size_t first = rows.size();
        collect(buckets_[rank], rows);
        Rank* end = rows.data() + rows.size();
        for (Rank* at = rows.data() + first; at != end;) {
            const std::size_t length = at[0];
            const std::size_t position = form_.whole ? at[1] : 0;
            Rank* ranks = at + form_.head();
            Rank* after = ranks + length + form_.tail();
            if (position + 1 < length) {
                // The row as it will be is written over this one for a moment, and moves on in one piece.
                Rank* moved = form_.whole ? at : at + 1;
                const Rank next = ranks[position + 1];
                const Rank before = std::exchange(at[1], static_cast<Rank>(form_.whole ? position + 1 : length - 1));
                append(buckets_[next], moved, static_cast<std::size_t>(after - moved));
                at[1] = before;
            }
            at = after;
        }
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t slack = 16 / sizeof(Rank);  // what may be read after the last row

    // A queue of chunks.
    struct Bucket {
        std::uint32_t first = none;
        std::uint32_t last = none;
        std::size_t units = 0;
    };

    Rank* chunk(std::uint32_t number) { return slabs_[number / slab_].get() + number % slab_ * chunk_; }

    // Sixteen bytes after the units must be readable.
    void append(Bucket& bucket, const Rank* units, std::size_t count) {
        const std::size_t filled = bucket.units & (chunk_ - 1);
        if (filled && filled + count + slack <= chunk_) {  // most rows: no call, and no loop over odd ends
            Rank* place = chunk(bucket.last) + filled;
            for (std::size_t u = 0; u < count; u += slack) std::memcpy(place + u, units + u, slack * sizeof(Rank));
            bucket.units += count;
            return;
        }
        append_slowly(bucket, units, count);
    }

    void append_slowly(Bucket& bucket, const Rank* units, std::size_t count) {
        while (count) {
            const std::size_t filled = bucket.units & (chunk_ - 1);
            if (!filled) add_chunk(bucket);
            const std::size_t now = std::min(count, chunk_ - filled);
            std::memcpy(chunk(bucket.last) + filled, units, now * sizeof(Rank));
            bucket.units += now;
            units += now;
            count -= now;
        }
    }

    void add_chunk(Bucket& bucket) {
        if (free_ == none) {
            const auto number = static_cast<std::uint32_t>(next_.size());
            slabs_.push_back(std::make_unique_for_overwrite<Rank[]>(slab_ * chunk_));
            for (std::size_t c = 0; c < slab_; ++c) next_.push_back(c + 1 < slab_ ? number + c + 1 : none);
            free_ = number;
        }
        const std::uint32_t added = std::exchange(free_, next_[free_]);
        next_[added] = none;
        (bucket.first == none ? bucket.first : next_[bucket.last]) = added;
        bucket.last = added;
    }

    // Empties the bucket into `rows`.
    void collect(Bucket& bucket, Buffer<Rank>& rows) {
        Rank* place = rows.extend(bucket.units + slack);
        rows.resize(rows.size() - slack);
        for (std::size_t left = bucket.units; left;) {
            const std::size_t now = std::min(left, chunk_);
            std::memcpy(place, chunk(bucket.first), now * sizeof(Rank));
            place += now;
            left -= now;
            const std::uint32_t after = std::exchange(next_[bucket.first], free_);
            free_ = std::exchange(bucket.first, after);
        }
        bucket = Bucket();
    }

    RowForm<Rank> form_;
    std::vector<Bucket> buckets_;
    std::size_t chunk_;  // a power of two
    std::size_t slab_;   // chunks allocated at once
    std::vector<std::unique_ptr<Rank[]>> slabs_;
    std::vector<std::uint32_t> next_;  // by chunk: the next one of its bucket, or of the free ones
    std::uint32_t free_ = none;
    Buffer<Rank> written_;
};

}  // namespace discreet
