#include "inverted.hpp"

#include <algorithm>
#include <vector>

namespace discreet {

namespace {

constexpr std::size_t between_ticks = std::size_t{1} << 24;  // items: a few hundredths of a second
constexpr std::size_t much_longer = 32;                      // the ratio of lengths from which bisection beats merging

// Rows of `one` that are in `other`, which is much longer: each is searched for, from the position of the last.
std::int32_t* look_up(List one, List other, std::int32_t* out) {
    const std::int32_t* at = other.data();
    const std::int32_t* const stop = at + other.size();
    for (const std::int32_t row : one) {
        std::size_t step = 1;
        while (at + step < stop && at[step] < row) step *= 2;
        at = std::lower_bound(at + step / 2, std::min(at + step + 1, stop), row);
        if (at == stop) break;
        *out = row;
        out += *at == row;
    }
    return out;
}

// The same for lists of similar length: both are merged, without a branch on which of the two is behind.
std::int32_t* walk_along(List one, List other, std::int32_t* out) {
    const std::int32_t* a = one.data();
    const std::int32_t* b = other.data();
    const std::int32_t* const a_stop = a + one.size();
    const std::int32_t* const b_stop = b + other.size();
    while (a < a_stop && b < b_stop) {
        const std::int32_t x = *a;
        const std::int32_t y = *b;
        *out = x;
        out += x == y;
        a += x <= y;
        b += y <= x;
    }
    return out;
}

// Writes the intersection of two lists to `out`, which may be the memory of the shorter one, and returns its end.
std::int32_t* meet(List one, List other, std::int32_t* out) {
    if (one.size() > other.size()) std::swap(one, other);
    return other.size() / much_longer > one.size() ? look_up(one, other, out) : walk_along(one, other, out);
}

}  // namespace

OwnedRows invert(const Rows& rows, std::size_t labels, const Tick& tick, std::span<const std::uint8_t> wanted) {
    Buffer<std::int64_t> offsets(labels + 1);
    std::fill(offsets.begin(), offsets.end(), 0);
    for (std::size_t start = 0; start < rows.items.size(); start += between_ticks) {
        tick();
        for (const std::int32_t item : rows.items.subspan(start, std::min(between_ticks, rows.items.size() - start)))
            ++offsets[item + 1];
    }
    for (std::size_t item = 0; item < labels; ++item)
        offsets[item + 1] = offsets[item] + (wanted.empty() || wanted[item] ? offsets[item + 1] : 0);
    Buffer<std::int32_t> found(offsets[labels]);
    OwnedRows lists{std::move(offsets), std::move(found)};
    std::vector<std::int64_t> places(lists.offsets.begin(), lists.offsets.end());
    std::int64_t next_tick = 0;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        if (rows.offsets[r] >= next_tick) {
            tick();
            next_tick = rows.offsets[r] + static_cast<std::int64_t>(between_ticks);
        }
        for (const std::int32_t item : rows.row(r))
            if (wanted.empty() || wanted[item]) lists.items[places[item]++] = static_cast<std::int32_t>(r);
    }
    return lists;
}

Buffer<std::int32_t> in_both(List one, List other) {
    Buffer<std::int32_t> common(std::min(one.size(), other.size()));
    common.resize(meet(one, other, common.data()) - common.data());
    return common;
}

Buffer<std::int32_t> in_either(List one, List other) {
    Buffer<std::int32_t> all(one.size() + other.size());
    all.resize(std::ranges::set_union(one, other, all.data()).out - all.data());
    return all;
}

Buffer<std::int32_t> in_first_alone(List one, List other) {
    Buffer<std::int32_t> rest(one.size());
    rest.resize(std::ranges::set_difference(one, other, rest.data()).out - rest.data());
    return rest;
}

OwnedRows find_holders(const Rows& lists, const Rows& itemsets, const Tick& tick) {
    OwnedRows found;
    found.offsets.push_back(0);
    std::vector<List> shortest_first;
    for (std::size_t s = 0; s < itemsets.count(); ++s) {
        tick();
        shortest_first.clear();
        for (const std::int32_t item : itemsets.row(s)) shortest_first.push_back(lists.row(item));
        std::ranges::stable_sort(shortest_first, {}, &List::size);
        const std::size_t before = found.items.size();
        std::int32_t* const out = found.items.extend(shortest_first[0].size());
        std::int32_t* end = std::ranges::copy(shortest_first[0], out).out;
        for (std::size_t at = 1; at < shortest_first.size(); ++at)
            end = meet({out, static_cast<std::size_t>(end - out)}, shortest_first[at], out);
        found.items.resize(before + (end - out));
        found.offsets.push_back(static_cast<std::int64_t>(found.items.size()));
    }
    return found;
}

Buffer<std::uint8_t> contain_any(const Rows& itemsets, const Rows& patterns, std::size_t labels) {
    std::vector<std::vector<std::size_t>> by_last_item(labels);  // items ascend, so the others come before it
    for (std::size_t p = 0; p < patterns.count(); ++p) by_last_item[patterns.row(p).back()].push_back(p);
    Buffer<std::uint8_t> found(itemsets.count());
    for (std::size_t s = 0; s < itemsets.count(); ++s) {
        const auto itemset = itemsets.row(s);
        found[s] = std::ranges::any_of(itemset, [&](std::int32_t item) {
            return std::ranges::any_of(by_last_item[item],
                                       [&](std::size_t p) { return std::ranges::includes(itemset, patterns.row(p)); });
        });
    }
    return found;
}

}  // namespace discreet
