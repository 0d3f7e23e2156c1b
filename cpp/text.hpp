// FIMI and SPMF text: one row per line, tokens separated by blanks, read in chunks of any size.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rows.hpp"

namespace discreet {

struct ParseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Texts and the small integers that stand for them, in order of first appearance.
class LabelTable {
public:
    LabelTable();
    std::int32_t number(const char* text, std::size_t length);  // adds the label if it is new; may throw ParseError
    std::int32_t number_small(std::uint32_t value) {            // the label that is this whole number's decimal text
        return value < small_.size() && small_[value] >= 0 ? small_[value] : add_small(value);
    }
    std::size_t size() const { return ends_.size(); }
    std::string_view label(std::size_t i) const;
    // Positions in canonical order: by number where all labels are whole numbers, else by bytes (= by code point).
    std::vector<std::int32_t> canonical_order() const;

    static constexpr std::uint32_t small_limit = 1u << 20;

private:
    std::int32_t add(std::string_view text);
    std::int32_t add_small(std::uint32_t value);
    void rehash();

    std::string texts_;                // all labels, one after another
    std::vector<std::size_t> ends_;    // where each ends
    std::vector<std::int32_t> small_;  // whole number -> label, -1 where new
    std::size_t small_count_ = 0;
    std::vector<std::int32_t> slots_;  // hash table of labels, -1 where empty
};

class TextParser {
public:
    explicit TextParser(bool headers) : headers_(headers) { rows_.offsets.push_back(0); }

    void feed(const char* data, std::size_t size);  // throws ParseError; line() is then the line it is about
    void finish();                                  // the last line may lack its newline; makes rows canonical

    std::size_t line() const { return line_; }
    OwnedRows& rows() { return rows_; }
    const std::vector<std::string>& labels() const { return labels_; }
    const std::vector<std::string>& header() const { return header_; }

    static constexpr std::size_t longest_line = std::size_t{1} << 20;

private:
    void parse_lines(const char* at, const char* stop);  // whole lines, the last newline included
    const char* parse_header(const char* at);
    [[noreturn]] void refuse_long_line();

    bool headers_;
    std::size_t line_ = 0;
    std::string rest_;  // the start of a line whose end has not come yet
    LabelTable table_;
    OwnedRows rows_;
    std::vector<std::string> labels_;
    std::vector<std::string> header_;
};

// Rows [first, last) as FIMI lines.
std::string format_text(const Rows& rows, const std::vector<std::string>& labels, std::size_t first, std::size_t last);

}  // namespace discreet
