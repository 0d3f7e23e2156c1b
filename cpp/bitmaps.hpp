// Sets of rows as bitmaps: the few loops in which mining spends its time.
//
// Each loop is written once; the compiler makes one copy per CPU level, and the best one for the machine is chosen when
// the module is loaded. No code here needs a CPU that the machine may not have.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace discreet {

using Word = std::uint64_t;

constexpr std::size_t bits_per_word = 64;
constexpr std::size_t words_for(std::size_t bits) {
    return (bits + bits_per_word - 1) / bits_per_word;
}

// Bitmaps start on cache lines and are padded with zero words to whole ones, so that wide loads need no tail.
constexpr std::size_t line_words = 8;
constexpr std::size_t padded(std::size_t words) {
    return (words + line_words - 1) / line_words * line_words;
}

// Words on cache-line boundaries; grows without keeping its content.
class Words {
public:
    Words() = default;
    Words(Words&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
    Words& operator=(Words&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~Words() { std::free(data_); }

    Word* reserve(std::size_t words) {
        words = padded(words);
        if (words > capacity_) {
            std::free(data_);
            capacity_ = 0;
            data_ = static_cast<Word*>(std::aligned_alloc(line_words * sizeof(Word), words * sizeof(Word)));
            if (!data_) throw std::bad_alloc();
            capacity_ = words;
        }
        return data_;
    }
    Word* data() { return data_; }
    const Word* data() const { return data_; }

private:
    Word* data_ = nullptr;
    std::size_t capacity_ = 0;
};

struct BitmapLoops {
    // counts[c] += |rows & bitmap(which[c])| << shift, for c in [0, n); bitmap i starts at bitmaps + i * stride.
    void (*count_each)(const Word* rows, const Word* bitmaps, std::size_t stride, const std::uint32_t* which,
                       std::size_t n, std::size_t words, unsigned shift, std::int64_t* counts);
    // Keeps the bits of `source` that `mask` selects, packed together. Both have `words` words; the rest of the last
    // cache line of `target` is cleared. Returns nothing: the number of bits is the mask's.
    void (*compress)(const Word* source, const Word* mask, std::size_t words, Word* target, std::size_t target_words);
    const char* name;
};

// The loops for this machine. DISCREET_CPU=portable|popcnt|avx512 in the environment lowers the choice, for tests.
const BitmapLoops& bitmap_loops();

inline std::size_t count_bits(const Word* rows, std::size_t words) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < words; ++w) count += std::popcount(rows[w]);
    return count;
}

inline void intersect(Word* target, const Word* a, const Word* b, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w) target[w] = a[w] & b[w];
}

inline bool contains(const Word* larger, const Word* smaller, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w)
        if (smaller[w] & ~larger[w]) return false;
    return true;
}

inline void set_bit(Word* bitmap, std::size_t bit) {
    bitmap[bit / bits_per_word] |= Word{1} << (bit % bits_per_word);
}
inline void clear_bit(Word* bitmap, std::size_t bit) {
    bitmap[bit / bits_per_word] &= ~(Word{1} << (bit % bits_per_word));
}
inline bool has_bit(const Word* bitmap, std::size_t bit) {
    return bitmap[bit / bits_per_word] >> (bit % bits_per_word) & 1;
}

}  // namespace discreet
