// Itemsets in the order they are found, and their canonical order: by length, then item by item.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

// What one worker found, in the order it found it.
class Found {
public:
    // `items` in any order, distinct.
    void add(std::span<const std::int32_t> items, std::int64_t support) {
        std::int32_t* place = items_.extend(items.size());
        std::size_t kept = 0;
        for (std::int32_t item : items) {  // insertion sort: itemsets are short and nearly sorted
            std::size_t at = kept++;
            for (; at > 0 && place[at - 1] > item; --at) place[at] = place[at - 1];
            place[at] = item;
        }
        close(support);
    }

    // Every union of `items` and a subset of `extra` that has at most `cap` items; both ascending.
    void add_with_subsets(std::span<const std::int32_t> items, std::span<const std::int32_t> extra, std::size_t cap,
                          std::int64_t support);

    std::size_t size() const { return supports_.size(); }
    std::size_t item_count() const { return items_.size(); }

    Buffer<std::int32_t>& items() { return items_; }
    Buffer<std::int64_t>& supports() { return supports_; }
    Buffer<std::int64_t>& ends() { return ends_; }

private:
    void add_larger(std::span<const std::int32_t> items, std::span<const std::int32_t> extra, std::size_t cap,
                    std::int64_t support);
    void close(std::int64_t support) {
        supports_.push_back(support);
        ends_.push_back(static_cast<std::int64_t>(items_.size()));
    }

    Buffer<std::int32_t> items_;
    Buffer<std::int64_t> supports_;
    Buffer<std::int64_t> ends_;
    std::vector<std::int32_t> chosen_;
};

struct Mined {
    OwnedRows itemsets;
    Buffer<std::int64_t> supports;
};

// Joins the workers' results, in canonical order. `labels` is the number of items. Empties `found`.
Mined canonical(std::vector<Found>& found, std::size_t labels, unsigned threads);

}  // namespace discreet
