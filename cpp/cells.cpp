#include "cells.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace discreet {

namespace {

// Blank, tab, LF, VT, FF and CR.
bool is_blank(char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

class Cutter {
public:
    Cutter(std::string_view block, char delimiter, bool last, std::size_t longest_line)
        : block_(block), delimiter_(delimiter), last_(last), longest_line_(longest_line) {
        ends_[static_cast<unsigned char>(delimiter)] = ends_['\r'] = ends_['\n'] = true;
        cells_.text.reserve(block.size());  // a cell is no longer than its bytes
        cells_.offsets.push_back(0);
    }

    Cells run() {
        while (at_ < block_.size() && cut_line()) {
        }
        keep_whole_lines();
        return std::move(cells_);
    }

private:
    // Returns whether the line is complete, and more may follow.
    bool cut_line() {
        const std::size_t start = at_;
        std::int64_t cells = 0;
        bool quoted = false;
        do {
            const auto quote = cut_cell();
            if (!quote) return false;
            quoted = *quote;
            ++cells;
        } while (block_[at_++] == delimiter_);
        const bool skipped = cells == 1 && !quoted && size_ == static_cast<std::size_t>(offset());
        if (block_[at_ - 1] == '\r') {
            if (at_ < block_.size()) {
                at_ += block_[at_] == '\n';
            } else if (!last_) {
                return false;  // the LF of a CRLF may be in the next block
            }
        }
        if (at_ - start > longest_line_) {
            cells_.fault = CellFault::long_line;
            return false;
        }
        if (skipped) {
            cells_.offsets.resize(cells_.offsets.size() - 1);
        } else {
            cells_.lengths.push_back(cells);
            cells_.starts.push_back(static_cast<std::int64_t>(start));
        }
        cells_.used = at_;
        whole_cells_ = cells_.offsets.size();
        return true;
    }

    std::int32_t offset() const { return cells_.offsets[cells_.offsets.size() - 2]; }

    // Adds a cell and moves to its end; returns whether it was quoted, or nothing if the block ends inside it.
    std::optional<bool> cut_cell() {
        const std::size_t start = at_;
        skip_blanks();
        if (at_ < block_.size() && block_[at_] == '"') return cut_quoted();
        while (at_ < block_.size() && !ends_[static_cast<unsigned char>(block_[at_])]) ++at_;
        if (at_ == block_.size()) return std::nullopt;
        const std::string_view cell = trimmed(block_.substr(start, at_ - start));
        append(cell);
        finish_cell(size_);
        return false;
    }

    std::optional<bool> cut_quoted() {
        const std::size_t before = size_;
        for (++at_;; ++at_) {  // past the opening quote, or past the first of two
            const auto* quote = static_cast<const char*>(std::memchr(block_.data() + at_, '"', block_.size() - at_));
            if (!quote) return std::nullopt;
            const std::size_t end = static_cast<std::size_t>(quote - block_.data());
            append(block_.substr(at_, end - at_));
            at_ = end + 1;
            if (at_ == block_.size() || block_[at_] != '"') break;
            append("\"");
        }
        skip_blanks();
        if (at_ == block_.size()) return std::nullopt;
        if (!ends_[static_cast<unsigned char>(block_[at_])]) {
            cells_.fault = CellFault::quote;
            return std::nullopt;
        }
        const char* text = reinterpret_cast<const char*>(cells_.text.data());
        const std::string_view cell = trimmed({text + before, size_ - before});
        std::memmove(cells_.text.data() + before, cell.data(), cell.size());
        finish_cell(before + cell.size());
        return true;
    }

    void skip_blanks() {
        while (at_ < block_.size() && block_[at_] != delimiter_ && block_[at_] != '\r' && block_[at_] != '\n' &&
               is_blank(block_[at_]))
            ++at_;
    }

    void append(std::string_view text) {
        std::memcpy(cells_.text.data() + size_, text.data(), text.size());
        size_ += text.size();
    }

    void finish_cell(std::size_t size) {
        size_ = size;
        cells_.offsets.push_back(static_cast<std::int32_t>(size));
    }

    void keep_whole_lines() {
        cells_.offsets.resize(whole_cells_);
        cells_.text.resize(static_cast<std::size_t>(cells_.offsets[whole_cells_ - 1]));
        const std::string_view used = block_.substr(0, cells_.used);
        cells_.lines = std::count(used.begin(), used.end(), '\n');
        for (auto at = used.find('\r'); at != std::string_view::npos; at = used.find('\r', at + 1)) {
            cells_.lines += at + 1 == used.size() || used[at + 1] != '\n';
        }
    }

    std::string_view block_;
    char delimiter_;
    bool last_;
    std::size_t longest_line_;
    std::array<bool, 256> ends_{};
    std::size_t at_ = 0;
    std::size_t size_ = 0;  // of the text so far
    std::size_t whole_cells_ = 1;
    Cells cells_;
};

}  // namespace

Cells cut_cells(std::string_view block, char delimiter, bool last, std::size_t longest_line) {
    return Cutter(block, delimiter, last, longest_line).run();
}

}  // namespace discreet
