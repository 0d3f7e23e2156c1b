// FIMI and SPMF text with some items taken out of some rows: every other line keeps its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace discreet {

// Text comes in chunks of any size, and leaves as it becomes known. Lines are counted as TextParser counts them.
class TextEditor {
public:
    // Item i is written as tokens[i]; removed[j] leaves row from[j], both ascending by row. With `headers`, lines that
    // start with @, % or # are no rows, and those that name a token of `unnamed` (@ITEM=token=name) are left out.
    TextEditor(bool headers, std::vector<std::string> tokens, std::vector<std::int32_t> from,
               std::vector<std::int32_t> removed, const std::vector<std::string>& unnamed);

    std::string feed(std::string_view chunk);
    std::string finish();

    std::int64_t rows() const { return row_; }  // how many have been seen
    bool matched() const { return matched_; }   // whether every row held what was to leave it

private:
    void take_lines(std::string_view lines, std::string& out);  // whole lines, the last newline included
    void take_line(std::string_view line, std::string& out);
    void edit(std::string_view line, std::string& out);
    bool leaves(std::string_view token, std::size_t first, std::size_t last);

    bool headers_;
    std::vector<std::string> tokens_;
    std::vector<std::int32_t> from_, removed_;
    std::unordered_set<std::string> unnamed_;
    std::vector<bool> found_;
    std::string rest_;  // the start of a line whose end has not come yet
    std::int64_t row_ = 0;
    std::size_t next_ = 0;
    bool first_line_ = true;
    bool matched_ = true;
};

}  // namespace discreet
