#include "twoparty_transpose.hpp"

#include <algorithm>

namespace discreet {

namespace {

// Transposes eight bytes as an 8 x 8 matrix of bits, by swapping ever larger quarters.
std::uint64_t transpose_8x8(std::uint64_t bits) {
    std::uint64_t swap = (bits ^ (bits >> 7)) & 0x00AA00AA00AA00AAULL;
    bits ^= swap ^ (swap << 7);
    swap = (bits ^ (bits >> 14)) & 0x0000CCCC0000CCCCULL;
    bits ^= swap ^ (swap << 14);
    swap = (bits ^ (bits >> 28)) & 0x00000000F0F0F0F0ULL;
    return bits ^ swap ^ (swap << 28);
}

}  // namespace

void transpose_columns(const std::uint8_t* columns, std::size_t bytes, std::uint8_t* rows) {
    constexpr std::size_t kRowBytes = kTransferColumns / 8;
    constexpr std::size_t kStrip = 64;  // one cache line of every column at a time
    for (std::size_t start = 0; start < bytes; start += kStrip) {
        const std::size_t stop = std::min(bytes, start + kStrip);
        for (std::size_t group = 0; group < kRowBytes; ++group) {
            const std::uint8_t* eight = columns + group * 8 * bytes;
            for (std::size_t at = start; at < stop; ++at) {
                std::uint64_t bits = 0;
                for (std::size_t column = 0; column < 8; ++column) {
                    bits |= std::uint64_t{eight[column * bytes + at]} << (8 * column);
                }
                bits = transpose_8x8(bits);
                std::uint8_t* target = rows + at * 8 * kRowBytes + group;
                for (std::size_t row = 0; row < 8; ++row) {
                    target[row * kRowBytes] = static_cast<std::uint8_t>(bits >> (8 * row));
                }
            }
        }
    }
}

}  // namespace discreet
