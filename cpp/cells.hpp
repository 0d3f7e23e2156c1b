// Splits CSV text into cells: a block of bytes in, its complete lines out.
#pragma once

#include <cstdint>
#include <string_view>

#include "buffer.hpp"

namespace discreet {

enum class CellFault { none, quote, long_line };

// The cells of all complete lines, concatenated, without quotes and surrounding blanks. Cell i is the bytes from
// `offsets[i]` to `offsets[i + 1]` of `text`; line i has `lengths[i]` cells and begins at `starts[i]` of the block.
struct Cells {
    Buffer<std::uint8_t> text;
    Buffer<std::int32_t> offsets;
    Buffer<std::int64_t> lengths;
    Buffer<std::int64_t> starts;
    std::size_t used = 0;               // bytes of the block that are complete lines
    std::int64_t lines = 0;             // line ends among them, including those inside quotes
    CellFault fault = CellFault::none;  // of the line after them
};

// Lines end with LF, CRLF or CR. A quote is special only at the beginning of a cell; in a quoted cell two quotes stand
// for one. A blank line is skipped. Unless the block is the `last`, a line may continue in the next.
Cells cut_cells(std::string_view block, char delimiter, bool last, std::size_t longest_line);

}  // namespace discreet
