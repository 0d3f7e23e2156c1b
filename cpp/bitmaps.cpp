#include "bitmaps.hpp"

#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DISCREET_X86 1
#include <immintrin.h>
#endif

namespace discreet {

namespace {

#define DISCREET_INLINE inline __attribute__((always_inline))

DISCREET_INLINE void count_each_body(const Word* rows, const Word* bitmaps, std::size_t stride,
                                     const std::uint32_t* which, std::size_t n, std::size_t words, unsigned shift,
                                     std::int64_t* counts) {
    for (std::size_t c = 0; c < n; ++c) {
        const Word* bitmap = bitmaps + which[c] * stride;
        std::int64_t count = 0;
        for (std::size_t w = 0; w < words; ++w) count += std::popcount(rows[w] & bitmap[w]);
        counts[c] += count << shift;
    }
}

// Parallel-suffix compress (Hacker's Delight, 7-4). The moves depend on the mask alone.
DISCREET_INLINE Word compress_word(Word x, Word mask) {
    x &= mask;
    Word zeros_below = ~mask << 1;
    for (unsigned i = 0; i < 6; ++i) {
        Word parity = zeros_below ^ (zeros_below << 1);
        parity ^= parity << 2;
        parity ^= parity << 4;
        parity ^= parity << 8;
        parity ^= parity << 16;
        parity ^= parity << 32;
        const Word moved = parity & mask;
        mask = (mask ^ moved) | (moved >> (1u << i));
        const Word t = x & moved;
        x = (x ^ t) | (t >> (1u << i));
        zeros_below &= ~parity;
    }
    return x;
}

template <typename Extract>
DISCREET_INLINE void compress_body(const Word* source, const Word* mask, std::size_t words, Word* target,
                                   std::size_t target_words, Extract extract) {
    std::size_t out = 0;
    Word pending = 0;
    unsigned filled = 0;
    for (std::size_t w = 0; w < words; ++w) {
        if (!mask[w]) continue;
        const unsigned kept = static_cast<unsigned>(std::popcount(mask[w]));
        const Word bits = extract(source[w], mask[w]);
        pending |= bits << filled;
        if (filled + kept >= bits_per_word) {
            target[out++] = pending;
            const unsigned used = bits_per_word - filled;
            pending = used < bits_per_word ? bits >> used : 0;
            filled = filled + kept - bits_per_word;
        } else {
            filled += kept;
        }
    }
    if (filled) target[out++] = pending;
    for (; out < padded(target_words); ++out) target[out] = 0;
}

void count_each_portable(const Word* rows, const Word* bitmaps, std::size_t stride, const std::uint32_t* which,
                         std::size_t n, std::size_t words, unsigned shift, std::int64_t* counts) {
    count_each_body(rows, bitmaps, stride, which, n, words, shift, counts);
}

void compress_portable(const Word* source, const Word* mask, std::size_t words, Word* target,
                       std::size_t target_words) {
    compress_body(source, mask, words, target, target_words, [](Word x, Word m) { return compress_word(x, m); });
}

constexpr BitmapLoops portable{count_each_portable, compress_portable, "portable"};

#ifdef DISCREET_X86

__attribute__((target("popcnt"))) void count_each_popcnt(const Word* rows, const Word* bitmaps, std::size_t stride,
                                                         const std::uint32_t* which, std::size_t n, std::size_t words,
                                                         unsigned shift, std::int64_t* counts) {
    count_each_body(rows, bitmaps, stride, which, n, words, shift, counts);
}

__attribute__((target("popcnt"))) void compress_bmi2(const Word* source, const Word* mask, std::size_t words,
                                                     Word* target, std::size_t target_words) {
    // As an instruction rather than an intrinsic, which could not be inlined into the shared body.
    compress_body(source, mask, words, target, target_words, [](Word x, Word m) {
        Word kept;
        __asm__("pextq %2, %1, %0" : "=r"(kept) : "r"(x), "r"(m));
        return kept;
    });
}

__attribute__((target("avx512f,avx512vpopcntdq,popcnt"))) void count_each_avx512(const Word* rows, const Word* bitmaps,
                                                                                 std::size_t stride,
                                                                                 const std::uint32_t* which,
                                                                                 std::size_t n, std::size_t words,
                                                                                 unsigned shift, std::int64_t* counts) {
    if (words <= 2) {  // adding up the parts of a wide register would take longer
        count_each_body(rows, bitmaps, stride, which, n, words, shift, counts);
        return;
    }
    for (std::size_t c = 0; c < n; ++c) {
        const Word* bitmap = bitmaps + which[c] * stride;
        __m512i sum = _mm512_set1_epi64(0);
        for (std::size_t w = 0; w < words; w += line_words) {
            const __m512i both = _mm512_and_si512(_mm512_load_si512(rows + w), _mm512_load_si512(bitmap + w));
            sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
        }
        counts[c] += _mm512_reduce_add_epi64(sum) << shift;
    }
}

// pext is microcode on AMD before Zen 3, ten times slower than the portable loop.
bool fast_pext() {
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

BitmapLoops choose() {
    __builtin_cpu_init();
    const char* wish = std::getenv("DISCREET_CPU");
    const auto wished = [&](const char* name) { return !wish || std::strcmp(wish, name) == 0; };
    if (!__builtin_cpu_supports("popcnt") || (wish && std::strcmp(wish, "portable") == 0)) return portable;
    BitmapLoops loops{count_each_popcnt, compress_portable, "popcnt"};
    if (fast_pext()) loops.compress = compress_bmi2;
    if (wished("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) {
        loops.count_each = count_each_avx512;
        loops.name = "avx512";
    }
    return loops;
}

#else

BitmapLoops choose() {
    return portable;
}

#endif

}  // namespace

const BitmapLoops& bitmap_loops() {
    static const BitmapLoops loops = choose();
    return loops;
}

}  // namespace discreet
