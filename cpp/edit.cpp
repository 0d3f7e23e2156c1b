#include "edit.hpp"

#include <algorithm>
#include <cstring>

namespace discreet {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

TextEditor::TextEditor(bool headers, std::vector<std::string> tokens, std::vector<std::int32_t> from,
                       std::vector<std::int32_t> removed, const std::vector<std::string>& unnamed)
    : headers_(headers),
      tokens_(std::move(tokens)),
      from_(std::move(from)),
      removed_(std::move(removed)),
      unnamed_(unnamed.begin(), unnamed.end()) {}

std::string TextEditor::feed(std::string_view chunk) {
    std::string out;
    const std::size_t end = chunk.rfind('\n');
    if (end == chunk.npos) {
        rest_ += chunk;
        return out;
    }
    out.reserve(rest_.size() + chunk.size());
    if (!rest_.empty()) {
        const std::size_t newline = chunk.find('\n');
        rest_ += chunk.substr(0, newline + 1);
        take_lines(rest_, out);
        rest_.clear();
        take_lines(chunk.substr(newline + 1, end - newline), out);
    } else {
        take_lines(chunk.substr(0, end + 1), out);
    }
    rest_ = chunk.substr(end + 1);
    return out;
}

std::string TextEditor::finish() {
    std::string out;
    if (!rest_.empty()) {
        rest_ += '\n';
        take_lines(rest_, out);
        if (out.size() > 1) out.pop_back();  // as in the input, without a newline; an emptied row keeps it
        rest_.clear();
    }
    matched_ = matched_ && next_ == from_.size();
    return out;
}

void TextEditor::take_lines(std::string_view lines, std::string& out) {
    const char* at = lines.data();
    const char* const stop = at + lines.size();
    const char* kept = at;  // nothing from here on has been written yet
    while (at < stop) {
        const char* const end = static_cast<const char*>(std::memchr(at, '\n', stop - at)) + 1;
        const bool changes = next_ < from_.size() && from_[next_] == row_;
        if (headers_ || changes || first_line_) {
            out.append(kept, at);
            take_line({at, static_cast<std::size_t>(end - at)}, out);
            kept = end;
        } else {
            ++row_;
        }
        at = end;
    }
    out.append(kept, stop);
}

void TextEditor::take_line(std::string_view line, std::string& out) {
    if (first_line_ && line.starts_with(byte_order_mark)) {
        out += byte_order_mark;
        line.remove_prefix(byte_order_mark.size());
    }
    first_line_ = false;
    if (headers_ && (line[0] == '@' || line[0] == '%' || line[0] == '#')) {
        constexpr std::string_view item = "@ITEM=";
        if (line.starts_with(item)) {
            const std::string_view named = line.substr(item.size());
            if (unnamed_.contains(std::string(trimmed(named.substr(0, named.find('=')))))) return;
        }
        out += line;
        return;
    }
    if (next_ < from_.size() && from_[next_] == row_)
        edit(line, out);
    else
        out += line;
    ++row_;
}

// Removes tokens with the blanks after them, or, at the end of the line, with those before them.
void TextEditor::edit(std::string_view line, std::string& out) {
    std::size_t last = next_;
    while (last < from_.size() && from_[last] == row_) ++last;
    found_.assign(last - next_, false);
    std::size_t content = line.size() - 1;
    if (content && line[content - 1] == '\r') --content;
    const std::size_t start_of_line = out.size();
    std::size_t at = 0;
    while (at < content) {
        const std::size_t start = std::min(line.find_first_not_of(blanks, at), content);
        out += line.substr(at, start - at);
        const std::size_t end = std::min(line.find_first_of(blanks, start), content);
        at = end;
        if (start == end) break;
        if (!leaves(line.substr(start, end - start), next_, last)) {
            out += line.substr(start, end - start);
        } else if (end < content) {
            at = std::min(line.find_first_not_of(blanks, end), content);
        } else {
            while (out.size() > start_of_line && blanks.find(out.back()) != blanks.npos) out.pop_back();
        }
    }
    out += line.substr(content);
    matched_ = matched_ && std::ranges::all_of(found_, [](bool found) { return found; });
    next_ = last;
}

bool TextEditor::leaves(std::string_view token, std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
        if (tokens_[removed_[at]] != token) continue;
        found_[at - first] = true;
        return true;
    }
    return false;
}

}  // namespace discreet
