// Removes some items from some rows of FIMI and SPMF text; every other line keeps its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace discreet {

// Text is passed in chunks of any size, and output as soon as it is known. Lines are counted as in TextParser.
class TextEditor {
public:
    // Item i is written as tokens[i]; removed[j] is removed from row from[j], both ascending by row. With `headers`,
    // lines that start with @, % or # are not rows, and those that name a token of `unnamed` (@ITEM=token=name) are
    // left out.
    TextEditor(bool headers, std::vector<std::string> tokens, std::vector<std::int32_t> from,
               std::vector<std::int32_t> removed, const std::vector<std::string>& unnamed);

    std::string feed(std::string_view chunk);
    std::string finish();

    std::int64_t rows() const { return row_; }  // how many have been seen
    bool matched() const { return matched_; }   // whether every row contained what was to be removed

private:
    void take_lines(std::string_view lines, std::string& out);  // whole lines, including the last newline
    void take_line(std::string_view line, std::string& out);
    void edit(std::string_view line, std::string& out);
    bool leaves(std::string_view token, std::size_t first, std::size_t last);

    bool headers_;
    std::vector<std::string> tokens_;
    std::vector<std::int32_t> from_, removed_;
    std::unordered_set<std::string> unnamed_;
    std::vector<bool> found_;
    std::string rest_;  // the start of an incomplete line
    std::int64_t row_ = 0;
    std::size_t next_ = 0;
    bool first_line_ = true;
    bool matched_ = true;
};

}  // namespace discreet
