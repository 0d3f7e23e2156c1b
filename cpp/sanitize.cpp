#include "sanitize.hpp"

#include <algorithm>
#include <vector>

namespace discreet {

namespace {

// Writes the first `count` rows of a list by degree of conflict, then by position; the output is sorted by position.
void choose(List rows, std::size_t count, const std::vector<std::uint32_t>& degrees, bool most_first,
            std::vector<std::size_t>& with_degree, Buffer<std::int32_t>& chosen) {
    if (count == rows.size()) {
        std::ranges::copy(rows, chosen.extend(count));
        return;
    }
    std::ranges::fill(with_degree, 0);
    for (const std::int32_t row : rows) ++with_degree[degrees[row]];
    std::size_t border = most_first ? with_degree.size() - 1 : 0;  // rows of this degree are chosen while there is room
    std::size_t room = count;                                      // less than there are rows, so the loop ends
    while (with_degree[border] <= room) {
        room -= with_degree[border];
        border = most_first ? border - 1 : border + 1;
    }
    for (const std::int32_t row : rows) {
        const std::size_t degree = degrees[row];
        const bool before = most_first ? degree > border : degree < border;
        if (!before && (degree != border || room == 0)) continue;
        if (!before) --room;
        chosen.push_back(row);
    }
}

OwnedRows rows_to_sanitize(const Sanitizing& task, const Tick& tick) {
    std::vector<std::uint32_t> degrees(task.rows, 0);
    for (const std::int32_t row : task.found.items) ++degrees[row];
    std::vector<std::size_t> with_degree(task.found.count() + 1);
    OwnedRows chosen;
    chosen.offsets.push_back(0);
    for (std::size_t p = 0; p < task.found.count(); ++p) {
        tick();
        choose(task.found.row(p), task.counts[p], degrees, task.most_conflicts_first, with_degree, chosen.items);
        chosen.offsets.push_back(static_cast<std::int64_t>(chosen.items.size()));
    }
    return chosen;
}

}  // namespace

Removals sanitize(const Sanitizing& task, const Tick& tick) {
    const OwnedRows chosen = rows_to_sanitize(task, tick);
    const OwnedRows turned = invert(
        {{chosen.offsets.data(), chosen.offsets.size()}, {chosen.items.data(), chosen.items.size()}}, task.rows, tick);
    Removals removals;
    std::vector<std::int32_t> gone_from(task.labels, -1);  // the last row that each item was removed from
    for (std::size_t r = 0; r < task.rows; ++r) {
        const auto row = static_cast<std::int32_t>(r);
        const std::size_t before = removals.items.size();
        for (std::int64_t at = turned.offsets[r]; at < turned.offsets[r + 1]; ++at) {
            const std::int32_t p = turned.items[at];
            const auto pattern = task.patterns.row(p);
            if (std::ranges::any_of(pattern, [&](std::int32_t item) { return gone_from[item] == row; })) continue;
            const auto victims = task.victims.row(p);
            const bool would_be_empty = !task.lengths.empty() &&
                                        removals.items.size() - before + victims.size() == std::size_t(task.lengths[r]);
            for (const std::int32_t victim : victims) {
                if (would_be_empty && victim == task.stays[p]) continue;
                gone_from[victim] = row;
                removals.items.push_back(victim);
            }
        }
        const std::size_t count = removals.items.size() - before;
        std::sort(removals.items.data() + before, removals.items.end());
        std::fill_n(removals.rows.extend(count), count, row);
    }
    return removals;
}

OwnedRows without(const Rows& rows, std::span<const std::int32_t> from, std::span<const std::int32_t> removed) {
    OwnedRows left{Buffer<std::int64_t>(rows.offsets.size()), Buffer<std::int32_t>(rows.items.size() - removed.size())};
    std::int32_t* out = left.items.data();
    std::size_t next = 0;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        left.offsets[r] = out - left.items.data();
        if (next == from.size() || from[next] != static_cast<std::int32_t>(r)) {
            out = std::ranges::copy(rows.row(r), out).out;
            continue;
        }
        for (const std::int32_t item : rows.row(r)) {
            const bool goes = next < from.size() && from[next] == static_cast<std::int32_t>(r) && removed[next] == item;
            next += goes;
            if (!goes) *out++ = item;
        }
    }
    left.offsets[rows.count()] = out - left.items.data();
    return left;
}

}  // namespace discreet
