// Arithmetic in GF(2^128): hashes of long columns of bits, for the check of oblivious transfer extension, and products.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discreet {

// `columns` holds `count` columns of `bytes` bytes, at least 16. A column is read as blocks of 16 bytes, little-endian
// elements of GF(2^128) modulo x^128 + x^7 + x^2 + x + 1; the last 16 bytes are the last block, and the block before
// them is filled up with zeros. Writes for each column sum of block[i] * key^(last - i), 16 bytes.
void hash_columns(const std::uint8_t* columns, std::size_t count, std::size_t bytes, const std::uint8_t* key,
                  std::uint8_t* hashes, bool portable);

// Writes the product of each pair of elements, `count` of them.
void multiply_elements(const std::uint8_t* one, const std::uint8_t* other, std::size_t count, std::uint8_t* products,
                       bool portable);

}  // namespace discreet
