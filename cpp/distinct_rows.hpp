// Rows as bit masks, equal ones only once: what a search looks at grows with the distinct rows, not with the rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "bitmaps.hpp"
#include "buffer.hpp"

namespace discreet {

// Where a row has the bits of its items. The first `telling` ones tell it from others; those of the other items begin
// with a word of their own.
struct RowBits {
    std::size_t telling;
    std::size_t items;

    std::size_t telling_words() const { return words_for(telling); }
    std::size_t words() const { return telling_words() + words_for(items - telling); }
    std::size_t bit(std::size_t item) const {
        return item < telling ? item : item - telling + telling_words() * bits_per_word;
    }
};

// Distinct rows and how often each was added: a hash table that grows. Of bits that do not tell rows apart, those
// remain that all equal rows have.
class DistinctRows {
public:
    DistinctRows() = default;
    explicit DistinctRows(RowBits form) { reset(form); }

    // Forgets all rows, and keeps their memory.
    void reset(RowBits form) {
        constexpr std::size_t few = 1024;
        words_ = form.telling_words();
        all_words_ = form.words();
        rows_.resize(0);
        weights_.resize(0);
        slots_.assign(few, 0);
    }

    std::size_t size() const { return weights_.size(); }
    const Word* row(std::size_t r) const { return rows_.data() + r * all_words_; }
    std::uint32_t weight(std::size_t r) const { return weights_[r]; }

    void add(const Word* row, std::uint32_t weight) {
        std::size_t slot = hash(row) & (slots_.size() - 1);
        for (; slots_[slot]; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::size_t known = slots_[slot] - 1;
            Word* same = rows_.data() + known * all_words_;
            if (differ(row, same)) continue;
            for (std::size_t w = words_; w < all_words_; ++w) same[w] &= row[w];
            weights_[known] += weight;
            return;
        }
        std::copy(row, row + all_words_, rows_.extend(all_words_));
        weights_.push_back(weight);
        slots_[slot] = static_cast<std::uint32_t>(size());
        if (2 * size() > slots_.size()) widen();
    }

    void add(const DistinctRows& others) {
        for (std::size_t r = 0; r < others.size(); ++r) add(others.row(r), others.weight(r));
    }

private:
    std::size_t hash(const Word* row) const {
        std::uint64_t hash = 0;
        for (std::size_t w = 0; w < words_; ++w) hash = (hash ^ row[w]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
        return hash;
    }

    bool differ(const Word* row, const Word* other) const {  // a call of memcmp would take longer
        Word differ = 0;
        for (std::size_t w = 0; w < words_; ++w) differ |= row[w] ^ other[w];
        return differ;
    }

    void widen() {
        slots_.assign(2 * slots_.size(), 0);
        for (std::size_t r = 0; r < size(); ++r) {
            std::size_t slot = hash(row(r)) & (slots_.size() - 1);
            while (slots_[slot]) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(r + 1);
        }
    }

    std::size_t words_ = 0;  // that tell a row from others
    std::size_t all_words_ = 0;
    Buffer<Word> rows_;
    Buffer<std::uint32_t> weights_;
    std::vector<std::uint32_t> slots_;  // 1 + number of the row
};

}  // namespace discreet
