// Transposes a matrix of bits: oblivious transfer extension computes by columns and uses rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discreet {

inline constexpr std::size_t kTransferColumns = 128;

// `columns` holds 128 columns of `bytes` bytes, 8 rows per byte, lowest bit first. Writes 8 * bytes rows of 16 bytes.
void transpose_columns(const std::uint8_t* columns, std::size_t bytes, std::uint8_t* rows);

}  // namespace discreet
