// Itemsets in the order they are found, and their canonical order: by length, then item by item.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

// What one worker found, in the order it found it: for every itemset its length, its support, and its items. It lies in
// blocks that never move, so that an itemset is its address.
class Found {
public:
    using Set = const std::int32_t*;
    static std::size_t length_of(Set set) { return static_cast<std::size_t>(set[0]); }
    static std::int64_t support_of(Set set) {
        std::int64_t support;
        std::memcpy(&support, set + 1, sizeof support);
        return support;
    }
    static std::span<const std::int32_t> items_of(Set set) { return {set + head, length_of(set)}; }

    // `items` in any order, distinct.
    void add(std::span<const std::int32_t> items, std::int64_t support) {
        std::int32_t* place = begin(items.size(), support);
        std::size_t kept = 0;
        for (std::int32_t item : items) {  // insertion sort: itemsets are short and nearly sorted
            std::size_t at = kept++;
            for (; at > 0 && place[at - 1] > item; --at) place[at] = place[at - 1];
            place[at] = item;
        }
    }

    // Every union of `items` and a subset of `extra` that has at most `cap` items; both ascending.
    void add_with_subsets(std::span<const std::int32_t> items, std::span<const std::int32_t> extra, std::size_t cap,
                          std::int64_t support);

    std::size_t size() const { return sets_; }
    std::size_t item_count() const { return items_; }
    const std::vector<std::size_t>& lengths() const { return lengths_; }  // how many sets have each

    // Calls `visit` with every itemset.
    template <typename Visit>
    void each(Visit visit) const {
        for (const Block& block : blocks_)
            for (Set set = block.begin.get(); set != block.begin.get() + block.used; set += head + length_of(set))
                visit(set);
    }

private:
    struct Free {
        void operator()(std::int32_t* block) const { std::free(block); }
    };
    struct Block {
        std::unique_ptr<std::int32_t[], Free> begin;
        std::size_t size;
        std::size_t used = 0;
    };
    static constexpr std::size_t head = 3;

    // Begins an itemset and returns the place for its items.
    std::int32_t* begin(std::size_t length, std::int64_t support) {
        if (blocks_.empty() || blocks_.back().size - blocks_.back().used < head + length) add_block(head + length);
        Block& block = blocks_.back();
        std::int32_t* place = block.begin.get() + block.used;
        block.used += head + length;
        place[0] = static_cast<std::int32_t>(length);
        std::memcpy(place + 1, &support, sizeof support);
        ++sets_;
        items_ += length;
        if (length >= lengths_.size()) lengths_.resize(length + 1);
        ++lengths_[length];
        return place + head;
    }
    void add_block(std::size_t least);
    void add_larger(std::span<const std::int32_t> items, std::span<const std::int32_t> extra, std::size_t cap,
                    std::int64_t support);

    std::vector<Block> blocks_;
    std::vector<std::size_t> lengths_;
    std::size_t sets_ = 0;
    std::size_t items_ = 0;
    std::vector<std::int32_t> chosen_;
};

struct Mined {
    OwnedRows itemsets;
    Buffer<std::int64_t> supports;
};

// Joins the workers' results, in canonical order. `labels` is the number of items. Empties `found`.
Mined canonical(std::vector<Found>& found, std::size_t labels, unsigned threads);

}  // namespace discreet
