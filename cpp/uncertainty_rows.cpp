#include "uncertainty_rows.hpp"

#include <algorithm>
#include <bit>

namespace discreet {

void RowFolder::begin(std::size_t rows, std::size_t items) {
    rows_ = {};
    rows_.offsets.reserve(rows + 1);
    rows_.weights.reserve(rows);
    rows_.items.reserve(items);
    table_.assign(std::bit_ceil(std::max<std::size_t>(64, 2 * rows + 2)), 0);
}

std::uint64_t RowFolder::hash(std::span<const std::int32_t> row) const {
    std::uint64_t value = 0x9e3779b97f4a7c15u + row.size();
    for (const std::int32_t item : row)
        value = (value ^ static_cast<std::uint32_t>(item)) * 0xff51afd7ed558ccdu, value ^= value >> 32;
    return value;
}

void RowFolder::grow() {
    table_.assign(table_.size() * 4, 0);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t r = 0; r < rows_.count(); ++r) {
        std::size_t slot = hash(rows_.row(r)) & mask;
        while (table_[slot]) slot = (slot + 1) & mask;
        table_[slot] = static_cast<std::uint32_t>(r) + 1;
    }
}

std::uint32_t RowFolder::add(std::span<const std::int32_t> row, std::int64_t weight) {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash(row) & mask;
    while (table_[slot]) {
        const std::uint32_t known = table_[slot] - 1;
        if (std::ranges::equal(rows_.row(known), row)) {
            rows_.weights[known] += weight;
            return known;
        }
        slot = (slot + 1) & mask;
    }
    const auto number = static_cast<std::uint32_t>(rows_.count());
    table_[slot] = number + 1;
    rows_.items.insert(rows_.items.end(), row.begin(), row.end());
    rows_.offsets.push_back(static_cast<std::int64_t>(rows_.items.size()));
    rows_.weights.push_back(weight);
    if (2 * rows_.count() > table_.size()) grow();
    return number;
}

FoldedRows RowFolder::finish(std::int64_t total) {
    FoldedRows rows = std::move(rows_);
    rows.total = total;
    for (const std::int32_t code : rows.items)
        if (local_[code] < 0) {
            local_[code] = 0;
            rows.code_of.push_back(code);
        }
    std::ranges::sort(rows.code_of);
    rows.labels = rows.code_of.size();
    rows.sensitive.resize(rows.labels);
    for (std::size_t item = 0; item < rows.labels; ++item) {
        local_[rows.code_of[item]] = static_cast<std::int32_t>(item);
        rows.sensitive[item] = sensitive_[rows.code_of[item]];
    }
    rows.list_starts.assign(rows.labels + 1, 0);
    for (std::int32_t& code : rows.items) ++rows.list_starts[(code = local_[code]) + 1];
    for (const std::int32_t code : rows.code_of) local_[code] = -1;
    for (std::size_t item = 0; item < rows.labels; ++item) rows.list_starts[item + 1] += rows.list_starts[item];
    rows.supports.assign(rows.labels, 0);
    rows.lists.resize(rows.items.size());
    std::vector<std::size_t> next(rows.list_starts.begin(), rows.list_starts.end() - 1);
    for (std::size_t r = 0; r < rows.count(); ++r)
        for (const std::int32_t item : rows.row(r)) {
            rows.lists[next[item]++] = static_cast<std::uint32_t>(r);
            rows.supports[item] += rows.weights[r];
        }
    return rows;
}

FoldedRows fold_all(const Rows& rows, std::span<const std::int64_t> weights, std::int64_t total,
                    std::span<const std::uint8_t> sensitive, std::span<const std::uint8_t> dropped,
                    std::vector<std::uint32_t>* which) {
    RowFolder folder(sensitive.size(), sensitive);
    folder.begin();
    std::vector<std::int32_t> kept;
    if (which) which->resize(rows.count());
    for (std::size_t r = 0; r < rows.count(); ++r) {
        kept.clear();
        for (const std::int32_t item : rows.row(r))
            if (dropped.empty() || !dropped[item]) kept.push_back(item);
        const std::uint32_t number = folder.add(kept, weights.empty() ? 1 : weights[r]);
        if (which) (*which)[r] = number;
    }
    return folder.finish(total);
}

}  // namespace discreet
