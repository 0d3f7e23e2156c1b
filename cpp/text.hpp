// FIMI and SPMF text: one row per line, tokens separated by blanks, read in chunks of any size.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rows.hpp"

namespace discreet {

struct ParseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Label {
    std::string text;
    std::int32_t code;
};

// Labels and their codes while a file is read. In text of tokens a small whole number is its own code: nothing has to
// be looked up, and most files consist of such numbers. In other files codes count labels, in order of appearance.
class LabelTable {
public:
    static constexpr std::int32_t small_limit = 1 << 20;

    enum class Of { tokens, texts };

    explicit LabelTable(Of of = Of::tokens);
    std::int32_t code(std::string_view label);         // may throw ParseError
    std::size_t size() const { return ends_.size(); }  // without small numbers
    // The label with code i, of texts.
    std::string_view text(std::size_t i) const;
    std::int32_t code_of_small(std::uint32_t value) {
        seen_[value] = 1;
        return static_cast<std::int32_t>(value);
    }
    // The labels seen, sorted by number if all are whole numbers, otherwise by bytes (= by code point).
    std::vector<Label> in_order() const;

private:
    static constexpr std::int32_t missing = -1;

    void rehash();

    Of of_;
    std::int32_t first_;                                     // code of those that are not small
    std::unique_ptr<std::uint8_t[], void (*)(void*)> seen_;  // of the small whole numbers; untouched pages are free
    std::string texts_;                                      // all other labels, one after another
    std::vector<std::size_t> ends_;                          // where each ends
    std::vector<std::int32_t> slots_;                        // hash table of them, `missing` where empty
};

class TextParser {
public:
    // `expected` is a guess at the bytes of text, 0 if unknown: growing costs copies, and fresh pages each time.
    explicit TextParser(bool headers, std::size_t expected = 0) : headers_(headers) {
        if (expected) rows_.items.reserve(expected / 4 + (1 << 18));  // three digits and a blank; room for a chunk
        rows_.offsets.reserve(expected / 32);
        rows_.offsets.push_back(0);
    }

    void feed(const char* data, std::size_t size);  // throws ParseError; line() is then the line it is about
    void finish();                                  // the last line may lack its newline; makes rows canonical
    OwnedRows take();                               // the rows since the last call, as codes
    OwnedRows take_last();                          // the last of them; then labels() and numbers() are known

    std::size_t line() const { return line_; }
    OwnedRows& rows() { return rows_; }
    const std::vector<std::string>& labels() const { return labels_; }
    const std::vector<std::int32_t>& numbers() const { return numbers_; }  // of codes, in the order of the labels
    const std::vector<std::string>& header() const { return header_; }

    static constexpr std::ptrdiff_t longest_line = std::ptrdiff_t{1} << 20;

private:
    void refuse_controls(const char* at, const char* stop);
    void parse_lines(const char* at, const char* stop);   // whole lines, including the last newline
    void parse_rows(const char* at, const char* stop);    // the same without headers
    void keep_headers(const char* at, const char* stop);  // headers alone
    void end();                                           // of the text
    [[noreturn]] void refuse_long_line();

    bool headers_;
    std::size_t line_ = 0;
    std::string rest_;  // the start of an incomplete line
    LabelTable table_;
    OwnedRows rows_;
    std::vector<std::string> labels_;
    std::vector<std::int32_t> numbers_;
    std::vector<std::string> header_;
};

// Rows [first, last) as FIMI lines.
std::string format_text(const Rows& rows, const std::vector<std::string>& labels, std::size_t first, std::size_t last);

}  // namespace discreet
