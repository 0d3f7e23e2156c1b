#include "rows.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

namespace discreet {

namespace {

// Every row ascends strictly if items fail to ascend only at starts of rows. Two plain passes avoid the mispredicted
// branch at the end of each row.
bool all_ascend(std::span<const std::int64_t> offsets, std::span<const std::int32_t> items) {
    std::size_t falls = 0;
    for (std::size_t i = 1; i < items.size(); ++i) falls += items[i] <= items[i - 1];
    std::int64_t start = 0;
    for (const std::int64_t offset : offsets)
        if (std::exchange(start, offset) != offset && offset < offsets.back())
            falls -= items[offset] <= items[offset - 1];
    return falls == 0;
}

}  // namespace

const char* find_fault(const Rows& rows, std::int64_t labels) {
    const auto offsets = rows.offsets;
    const auto items = rows.items;
    if (offsets.empty() || offsets.front() != 0) return "offsets must start at 0";
    if (offsets.back() != static_cast<std::int64_t>(items.size())) return "offsets must end at the number of items";
    if (!std::ranges::is_sorted(offsets)) return "offsets must ascend";
    if (!all_ascend(offsets, items)) return "rows must be strictly ascending";
    std::int32_t least = 0;
    std::int32_t greatest = -1;
    for (const std::int32_t item : items) least = std::min(least, item), greatest = std::max(greatest, item);
    if (least < 0 || greatest >= labels) return "rows must hold items of the vocabulary";
    return nullptr;
}

void make_canonical(OwnedRows& rows, std::span<const std::int32_t> renumber) {
    std::int32_t* items = rows.items.data();
    const std::size_t count = rows.items.size();
    if (!renumber.empty())
        for (std::size_t i = 0; i < count; ++i) items[i] = renumber[items[i]];
    if (all_ascend({rows.offsets.data(), rows.offsets.size()}, {items, count})) return;
    std::int64_t kept = 0;
    std::int64_t start = 0;
    for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r) {
        const std::int64_t stop = rows.offsets[r + 1];
        std::int32_t* const row = items + start;
        std::int32_t* end = items + stop;
        if (std::adjacent_find(row, end, std::greater_equal<>{}) != end) {
            std::sort(row, end);
            end = std::unique(row, end);
        }
        kept = std::copy(row, end, items + kept) - items;  // rows only shrink, so writing never overtakes reading
        start = stop;
        rows.offsets[r + 1] = kept;
    }
    rows.items.resize(kept);
}

void item_supports(const Rows& rows, std::span<const std::int64_t> weights, std::size_t first, std::size_t last,
                   std::span<std::int64_t> supports) {
    if (weights.empty()) {
        const auto items = rows.items.subspan(rows.offsets[first], rows.offsets[last] - rows.offsets[first]);
        for (std::int32_t item : items) ++supports[item];
        return;
    }
    for (std::size_t r = first; r < last; ++r)
        for (std::int32_t item : rows.row(r)) supports[item] += weights[r];
}

Folded fold(const Rows& rows, std::span<const std::int64_t> weights) {
    const std::size_t count = rows.count();
    Folded folded;
    std::vector<std::uint32_t> table(std::bit_ceil(std::max<std::size_t>(16, count + count / 2)), 0);  // 1 + index
    const std::size_t mask = table.size() - 1;
    for (std::size_t r = 0; r < count; ++r) {
        const auto row = rows.row(r);
        std::uint64_t hash = 0x9e3779b97f4a7c15u + row.size();
        for (std::int32_t item : row)
            hash = (hash ^ static_cast<std::uint32_t>(item)) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
        std::size_t slot = hash & mask;
        while (table[slot] && !std::ranges::equal(rows.row(folded.firsts[table[slot] - 1]), row))
            slot = (slot + 1) & mask;
        const std::int64_t weight = weights.empty() ? 1 : weights[r];
        if (table[slot]) {
            folded.weights[table[slot] - 1] += weight;
        } else {
            folded.firsts.push_back(static_cast<std::int64_t>(r));
            folded.weights.push_back(weight);
            table[slot] = static_cast<std::uint32_t>(folded.firsts.size());
        }
    }
    return folded;
}

OwnedRows select(const Rows& rows, std::span<const std::int64_t> chosen) {
    OwnedRows picked;
    picked.offsets.resize(chosen.size() + 1);
    picked.offsets[0] = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        picked.offsets[i + 1] = picked.offsets[i] + static_cast<std::int64_t>(rows.row(chosen[i]).size());
    picked.items.resize(picked.offsets[chosen.size()]);
    for (std::size_t i = 0; i < chosen.size(); ++i)
        std::ranges::copy(rows.row(chosen[i]), picked.items.data() + picked.offsets[i]);
    return picked;
}

}  // namespace discreet
