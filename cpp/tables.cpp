#include "tables.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace discreet {

void count_which(Worker& worker, const BitmapTable& table, const Word* rows, Level& level) {
    level.counts.assign(level.which.size(), 0);
    if (table.planes.empty()) {
        worker.loops.count_each(rows, table.bits.data(), table.stride, level.which.data(), level.which.size(),
                                table.words, 0, level.counts.data());
        return;
    }
    Word* masked = level.masked.reserve(table.words);
    for (std::size_t p = 0; p < table.planes.size(); ++p) {
        const std::size_t words = padded(table.planes[p].words);
        intersect(masked, rows, table.plane(p), words);
        worker.loops.count_each(masked, table.bits.data(), table.stride, level.which.data(), level.which.size(), words,
                                static_cast<unsigned>(p), level.counts.data());
    }
}

void set_all_rows(const BitmapTable& table, Word* all) {
    std::fill(all, all + table.stride, 0);
    std::fill(all, all + table.rows / bits_per_word, ~Word{0});
    if (table.rows % bits_per_word) all[table.rows / bits_per_word] = (Word{1} << table.rows % bits_per_word) - 1;
}

void set_planes(BitmapTable& table, std::span<const std::uint32_t> weights) {
    table.planes.clear();
    const std::uint32_t heaviest = weights.empty() ? 1 : weights.front();
    if (std::bit_width(heaviest) == 1) return;
    const std::size_t count = std::bit_width(heaviest);
    Word* bits = table.plane_bits.reserve(count * table.stride);
    std::fill(bits, bits + count * table.stride, 0);
    for (std::size_t p = 0; p < count; ++p) {
        std::size_t used = 0;
        for (std::size_t r = 0; r < weights.size() && weights[r] >> p; ++r)
            if (weights[r] >> p & 1) set_bit(bits + p * table.stride, r), used = r / bits_per_word + 1;
        table.planes.push_back({p * table.stride, used});
    }
}

namespace {

using Block = std::array<Word, bits_per_word>;  // 64 rows of 64 bits

// Bit i of row j becomes bit j of row i, by swapping ever smaller quarters.
void transpose(Block& block) {
    Word low = ~Word{0} >> 32;
    for (std::size_t half = 32; half; half >>= 1, low ^= low << half)
        for (std::size_t first = 0; first < block.size(); first = ((first | half) + 1) & ~half) {
            const Word swapped = (block[first] >> half ^ block[first | half]) & low;
            block[first] ^= swapped << half;
            block[first | half] ^= swapped;
        }
}

// How many bits each row's weight has decides the order: the heaviest first.
std::vector<std::uint32_t> by_weight(const DistinctRows& rows) {
    std::array<std::size_t, 34> starts{};  // by 32 less the bits of a weight
    for (std::size_t r = 0; r < rows.size(); ++r) ++starts[33 - std::bit_width(rows.weight(r))];
    for (std::size_t bits = 1; bits < starts.size(); ++bits) starts[bits] += starts[bits - 1];
    std::vector<std::uint32_t> order(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
        order[starts[32 - std::bit_width(rows.weight(r))]++] = static_cast<std::uint32_t>(r);
    return order;
}

}  // namespace

void set_rows(BitmapTable& table, const DistinctRows& rows, RowBits form) {
    const std::vector<std::uint32_t> order = by_weight(rows);
    table.rows = rows.size();
    table.words = words_for(table.rows);
    table.stride = padded(table.words);
    Word* bits = table.bits.reserve(std::max<std::size_t>(1, form.items) * table.stride);
    std::fill(bits, bits + form.items * table.stride, 0);
    std::vector<Block> blocks(form.words());
    for (std::size_t w = 0; w < table.words; ++w) {
        const std::size_t first = w * bits_per_word;
        const std::size_t count = std::min(bits_per_word, table.rows - first);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            for (std::size_t r = 0; r < count; ++r) blocks[b][r] = rows.row(order[first + r])[b];
            std::fill(blocks[b].begin() + count, blocks[b].end(), 0);
            transpose(blocks[b]);
        }
        for (std::size_t item = 0; item < form.items; ++item) {
            const std::size_t bit = form.bit(item);
            table.bitmap(item)[w] = blocks[bit / bits_per_word][bit % bits_per_word];
        }
    }
    std::vector<std::uint32_t> weights;
    for (std::uint32_t r : order) weights.push_back(rows.weight(r));
    set_planes(table, weights);
}

namespace {

void compress_bitmap(Worker& worker, const Word* source, const Word* mask, std::size_t words, Word* target,
                     std::size_t rows) {
    worker.loops.compress(source, mask, words, target, words_for(rows));
}

}  // namespace

void shrink(Worker& worker, const BitmapTable& table, const Word* rows, std::size_t kept, Level& next, Level& scratch) {
    scratch.which.clear();
    for (const Candidate& prior : next.priors) scratch.which.push_back(prior.item);
    count_which(worker, table, rows, scratch);
    std::size_t left = 0;
    for (std::size_t p = 0; p < next.priors.size(); ++p)
        if (scratch.counts[p] >= worker.sigma) next.priors[left++] = {scratch.counts[p], next.priors[p].item};
    next.priors.resize(left);

    BitmapTable& smaller = next.table;
    smaller.rows = kept;
    smaller.words = words_for(kept);
    smaller.stride = padded(smaller.words);
    smaller.ranks.clear();
    smaller.bits.reserve((next.candidates.size() + next.priors.size()) * smaller.stride);
    for (std::vector<Candidate>* list : {&next.candidates, &next.priors})
        for (Candidate& candidate : *list) {
            const auto local = static_cast<std::uint32_t>(smaller.ranks.size());
            smaller.ranks.push_back(table.ranks[candidate.item]);
            compress_bitmap(worker, table.bitmap(candidate.item), rows, table.words, smaller.bitmap(local), kept);
            candidate.item = local;
        }

    smaller.earlier.clear();
    smaller.own_bits = table.own_bits;
    if (!table.earlier.empty())
        each_row(rows, table.words, [&](std::size_t r) { smaller.earlier.push_back(table.earlier[r]); });

    smaller.planes.clear();
    if (!table.planes.empty()) {
        smaller.plane_bits.reserve(table.planes.size() * smaller.stride);
        for (std::size_t p = 0; p < table.planes.size(); ++p) {
            Word* target = smaller.plane_bits.data() + p * smaller.stride;
            const std::size_t words = table.planes[p].words;
            const std::size_t within = count_bits(rows, words);
            compress_bitmap(worker, table.plane(p), rows, words, target, within);
            for (std::size_t w = padded(words_for(within)); w < smaller.stride; ++w) target[w] = 0;
            std::size_t used = words_for(within);
            while (used > 0 && target[used - 1] == 0) --used;
            smaller.planes.push_back({p * smaller.stride, used});
        }
        while (smaller.planes.back().words == 0) smaller.planes.pop_back();
        if (smaller.planes.size() == 1) smaller.planes.clear();  // every weight left is 1
    }
    set_all_rows(smaller, next.rows.data());  // the node's rows are now all rows
}

bool join_equal_rows(Worker& worker, Level& next) {
    BitmapTable& table = next.table;
    const RowBits form{.telling = next.candidates.size(), .items = table.ranks.size()};
    constexpr std::size_t most_words = 2;  // rows of so many candidates are seldom equal
    if (form.telling_words() > most_words) return false;
    DistinctRows& distinct = worker.distinct;
    distinct.reset(form);
    std::vector<Block> blocks(form.words());
    std::vector<Word> row(form.words());
    std::array<std::uint32_t, bits_per_word> weights;
    std::size_t looked_at = 0;
    for (std::size_t w = 0; w < table.words; ++w) {
        if (w == table.words / 8 && 5 * distinct.size() > 4 * looked_at) return false;
        for (Block& block : blocks) block.fill(0);
        for (std::size_t item = 0; item < form.items; ++item) {
            const std::size_t bit = form.bit(item);
            blocks[bit / bits_per_word][bit % bits_per_word] = table.bitmap(item)[w];
        }
        for (Block& block : blocks) transpose(block);
        weights.fill(table.planes.empty() ? 1 : 0);
        for (std::size_t p = 0; p < table.planes.size(); ++p)
            if (w < table.planes[p].words)
                for (Word left = table.plane(p)[w]; left; left &= left - 1)
                    weights[static_cast<std::size_t>(std::countr_zero(left))] |= std::uint32_t{1} << p;
        const std::size_t rows = std::min(bits_per_word, table.rows - looked_at);
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t b = 0; b < row.size(); ++b) row[b] = blocks[b][r];
            if (row.front() | row[form.telling_words() - 1]) distinct.add(row.data(), weights[r]);
        }
        looked_at += rows;
    }
    set_rows(table, distinct, form);
    set_all_rows(table, next.rows.data());
    return true;
}

}  // namespace discreet
