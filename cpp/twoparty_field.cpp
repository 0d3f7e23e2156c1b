#include "twoparty_field.hpp"

#include <array>
#include <cstring>
#include <memory>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DISCREET_X86 1
#include <immintrin.h>
#endif

namespace discreet {

namespace {

constexpr std::size_t kBlock = 16;
constexpr std::uint64_t kReduction = 0x87;  // x^7 + x^2 + x + 1

struct Element {
    std::uint64_t low = 0, high = 0;

    void operator^=(const Element& other) {
        low ^= other.low;
        high ^= other.high;
    }
};

Element load(const std::uint8_t* bytes, std::size_t length) {
    std::array<std::uint8_t, kBlock> block{};
    std::memcpy(block.data(), bytes, length);
    Element element;
    for (std::size_t i = 0; i < 8; ++i) {
        element.low |= std::uint64_t{block[i]} << (8 * i);
        element.high |= std::uint64_t{block[8 + i]} << (8 * i);
    }
    return element;
}

void store(const Element& element, std::uint8_t* bytes) {
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(element.low >> (8 * i));
        bytes[8 + i] = static_cast<std::uint8_t>(element.high >> (8 * i));
    }
}

Element times_x(const Element& element) {
    const std::uint64_t carry = element.high >> 63;
    return {(element.low << 1) ^ (carry * kReduction), (element.high << 1) | (element.low >> 63)};
}

// Products with one fixed element, a byte at a time.
class Products {
public:
    explicit Products(Element key) : table_(std::make_unique<std::array<std::array<Element, 256>, kBlock>>()) {
        for (auto& of_byte : *table_) {
            for (unsigned bit = 1; bit < 256; bit <<= 1) {
                of_byte[bit] = key;
                for (unsigned below = 1; below < bit; ++below) {
                    of_byte[bit | below] = of_byte[bit];
                    of_byte[bit | below] ^= of_byte[below];
                }
                key = times_x(key);
            }
        }
    }

    Element operator()(const Element& element) const {
        Element product;
        for (std::size_t i = 0; i < 8; ++i) {
            product ^= (*table_)[i][(element.low >> (8 * i)) & 0xFF];
            product ^= (*table_)[8 + i][(element.high >> (8 * i)) & 0xFF];
        }
        return product;
    }

private:
    std::unique_ptr<std::array<std::array<Element, 256>, kBlock>> table_;
};

void hash_portable(const std::uint8_t* columns, std::size_t count, std::size_t bytes, const std::uint8_t* key,
                   std::uint8_t* hashes) {
    const Products times_key(load(key, kBlock));
    const std::size_t body = bytes - kBlock;
    for (std::size_t column = 0; column < count; ++column, columns += bytes, hashes += kBlock) {
        Element sum;
        for (std::size_t at = 0; at < body; at += kBlock) {
            sum = times_key(sum);
            sum ^= load(columns + at, body - at < kBlock ? body - at : kBlock);
        }
        sum = times_key(sum);
        sum ^= load(columns + body, kBlock);
        store(sum, hashes);
    }
}

#ifdef DISCREET_X86

__attribute__((target("pclmul,sse4.1"))) inline __m128i multiply(__m128i a, __m128i b) {
    const __m128i low = _mm_clmulepi64_si128(a, b, 0x00);
    const __m128i high = _mm_clmulepi64_si128(a, b, 0x11);
    const __m128i middle = _mm_xor_si128(_mm_clmulepi64_si128(a, b, 0x01), _mm_clmulepi64_si128(a, b, 0x10));
    __m128i bottom = _mm_xor_si128(low, _mm_slli_si128(middle, 8));
    __m128i top = _mm_xor_si128(high, _mm_srli_si128(middle, 8));
    const __m128i reduction = _mm_set_epi64x(0, static_cast<long long>(kReduction));
    const __m128i upper = _mm_clmulepi64_si128(top, reduction, 0x01);
    bottom = _mm_xor_si128(bottom, _mm_slli_si128(upper, 8));
    top = _mm_xor_si128(top, _mm_srli_si128(upper, 8));
    return _mm_xor_si128(bottom, _mm_clmulepi64_si128(top, reduction, 0x00));
}

__attribute__((target("pclmul,sse4.1"))) void hash_pclmul(const std::uint8_t* columns, std::size_t count,
                                                          std::size_t bytes, const std::uint8_t* key,
                                                          std::uint8_t* hashes) {
    const __m128i times = _mm_loadu_si128(reinterpret_cast<const __m128i*>(key));
    const std::size_t body = bytes - kBlock;
    for (std::size_t column = 0; column < count; ++column, columns += bytes, hashes += kBlock) {
        __m128i sum = _mm_setzero_si128();
        std::size_t at = 0;
        for (; at + kBlock <= body; at += kBlock) {
            sum = _mm_xor_si128(multiply(sum, times), _mm_loadu_si128(reinterpret_cast<const __m128i*>(columns + at)));
        }
        if (at < body) {
            std::array<std::uint8_t, kBlock> rest{};
            std::memcpy(rest.data(), columns + at, body - at);
            sum = _mm_xor_si128(multiply(sum, times), _mm_loadu_si128(reinterpret_cast<const __m128i*>(rest.data())));
        }
        const __m128i last = _mm_loadu_si128(reinterpret_cast<const __m128i*>(columns + body));
        sum = _mm_xor_si128(multiply(sum, times), last);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(hashes), sum);
    }
}

__attribute__((target("pclmul,sse4.1"))) void multiply_pclmul(const std::uint8_t* one, const std::uint8_t* other,
                                                              std::size_t count, std::uint8_t* products) {
    for (std::size_t at = 0; at < count * kBlock; at += kBlock) {
        const __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(one + at));
        const __m128i right = _mm_loadu_si128(reinterpret_cast<const __m128i*>(other + at));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(products + at), multiply(left, right));
    }
}

#endif

void multiply_portable(const std::uint8_t* one, const std::uint8_t* other, std::size_t count, std::uint8_t* products) {
    for (std::size_t at = 0; at < count * kBlock; at += kBlock) {
        Element power = load(one + at, kBlock);
        const Element bits = load(other + at, kBlock);
        Element product;
        for (unsigned bit = 0; bit < 128; ++bit) {
            const std::uint64_t word = bit < 64 ? bits.low : bits.high;
            const std::uint64_t taken = -((word >> (bit % 64)) & 1);
            product ^= {power.low & taken, power.high & taken};
            power = times_x(power);
        }
        store(product, products + at);
    }
}

}  // namespace

void multiply_elements(const std::uint8_t* one, const std::uint8_t* other, std::size_t count, std::uint8_t* products,
                       bool portable) {
#ifdef DISCREET_X86
    if (!portable && __builtin_cpu_supports("pclmul")) {
        multiply_pclmul(one, other, count, products);
        return;
    }
#endif
    (void)portable;
    multiply_portable(one, other, count, products);
}

void hash_columns(const std::uint8_t* columns, std::size_t count, std::size_t bytes, const std::uint8_t* key,
                  std::uint8_t* hashes, bool portable) {
#ifdef DISCREET_X86
    if (!portable && __builtin_cpu_supports("pclmul")) {
        hash_pclmul(columns, count, bytes, key, hashes);
        return;
    }
#endif
    (void)portable;
    hash_portable(columns, count, bytes, key, hashes);
}

}  // namespace discreet
