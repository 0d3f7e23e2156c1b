#include "text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>

namespace discreet {

namespace {

constexpr std::int32_t missing = -1;

enum class Kind : std::uint8_t { other, digit, blank, newline };

constexpr auto kinds = [] {
    std::array<Kind, 256> table{};
    for (unsigned char c = '0'; c <= '9'; ++c) table[c] = Kind::digit;
    for (unsigned char c : {' ', '\t', '\r', '\v', '\f'}) table[c] = Kind::blank;
    table['\n'] = Kind::newline;
    return table;
}();

Kind kind(char c) {
    return kinds[static_cast<unsigned char>(c)];
}
bool ends_token(char c) {
    return kind(c) >= Kind::blank;
}
bool digit(char c) {
    return static_cast<unsigned char>(c - '0') < 10;
}

std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u ^ text.size();
    for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
    hash ^= hash >> 29;
    return hash * 0xbf58476d1ce4e5b9u >> 16;
}

// Whole UTF-8 without control characters and byte order marks (one at the start of a file is not part of a label, so
// one in a label could not be written back). Overlong forms, surrogates and values past U+10FFFF are refused.
bool valid_label(std::string_view text) {
    const auto* s = reinterpret_cast<const unsigned char*>(text.data());
    const auto* stop = s + text.size();
    const auto follows = [&](int count) {
        for (int i = 1; i <= count; ++i)
            if (s + i >= stop || (s[i] & 0xC0) != 0x80) return false;
        return true;
    };
    while (s < stop) {
        if (*s < 0x80) {
            if (*s < 0x20 || *s == 0x7F) return false;
            s += 1;
        } else if (*s >= 0xC2 && *s < 0xE0) {
            if (!follows(1)) return false;
            s += 2;
        } else if (*s >= 0xE0 && *s < 0xF0) {
            if (follows(2) && *s == 0xEF && s[1] == 0xBB && s[2] == 0xBF) return false;  // a byte order mark
            if (!follows(2) || (*s == 0xE0 && s[1] < 0xA0) || (*s == 0xED && s[1] > 0x9F)) return false;
            s += 3;
        } else if (*s >= 0xF0 && *s < 0xF5) {
            if (!follows(3) || (*s == 0xF0 && s[1] < 0x90) || (*s == 0xF4 && s[1] > 0x8F)) return false;
            s += 4;
        } else {
            return false;
        }
    }
    return true;
}

// Reads the digits at `at`, and moves it past them. The value is right where there are at most seven.
std::uint32_t leading_number_slowly(const char*& at) {
    std::uint32_t value = 0;
    while (digit(*at)) value = value * 10 + static_cast<std::uint32_t>(*at++ - '0');
    return value;
}

// The same, eight bytes at a time and without a branch on how many digits there are: numbers in a file differ in
// length, and a wrong guess costs more than the number itself.
std::uint32_t leading_number(const char*& at) {
    if constexpr (std::endian::native != std::endian::little) return leading_number_slowly(at);
    std::uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030303030303030u;  // digits become 0 to 9, everything else more
    const std::uint64_t others = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
    const unsigned count = static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count == 0 || count == 8) return leading_number_slowly(at);
    at += count;
    bytes <<= 8 * (8 - count);  // as if zeros stood in front
    bytes = bytes * 10 + (bytes >> 8);
    return static_cast<std::uint32_t>(((bytes & 0x000000FF000000FFu) * 0x000F424000000064u +
                                       (bytes >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >>
                                      32);
}

// A whole number of at most 18 digits, as Vocabulary in Python understands it.
bool whole_number(std::string_view text, std::int64_t& value) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || digits.size() > 18 || !std::ranges::all_of(digits, digit)) return false;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.size() != text.size()) value = -value;
    return true;
}

}  // namespace

LabelTable::LabelTable() : slots_(1024, missing) {}

std::string_view LabelTable::label(std::size_t i) const {
    const std::size_t start = i ? ends_[i - 1] : 0;
    return {texts_.data() + start, ends_[i] - start};
}

std::int32_t LabelTable::add(std::string_view text) {
    if (!valid_label(text))
        throw ParseError("has bytes that are not text (UTF-8 without control characters or byte order marks)");
    if (ends_.size() >= std::size_t{INT32_MAX}) throw ParseError("is beyond the 2,147,483,647th distinct item");
    texts_ += text;
    ends_.push_back(texts_.size());
    return static_cast<std::int32_t>(ends_.size() - 1);
}

std::int32_t LabelTable::add_small(std::uint32_t value) {
    if (value >= small_.size())
        small_.resize(std::min<std::size_t>(small_limit, std::max<std::size_t>(value + 1, 2 * small_.size())), missing);
    char text[16];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    ++small_count_;
    return small_[value] = add({text, static_cast<std::size_t>(end - text)});
}

std::int32_t LabelTable::number(const char* text, std::size_t length) {
    const std::string_view label_text{text, length};
    std::size_t slot = hash_of(label_text) & (slots_.size() - 1);
    while (slots_[slot] != missing) {
        if (label(slots_[slot]) == label_text) return slots_[slot];
        slot = (slot + 1) & (slots_.size() - 1);
    }
    const std::int32_t place = add(label_text);
    slots_[slot] = place;
    if (2 * ends_.size() > slots_.size()) rehash();
    return place;
}

// Small whole numbers are found through `small_` and never looked up here; having them in the table does no harm.
void LabelTable::rehash() {
    std::vector<std::int32_t> larger(4 * slots_.size(), missing);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        std::size_t slot = hash_of(label(i)) & (larger.size() - 1);
        while (larger[slot] != missing) slot = (slot + 1) & (larger.size() - 1);
        larger[slot] = static_cast<std::int32_t>(i);
    }
    slots_ = std::move(larger);
}

std::vector<std::int32_t> LabelTable::canonical_order() const {
    std::vector<std::int32_t> order;
    order.reserve(size());
    if (small_count_ == size()) {  // the table of small whole numbers is their order
        for (std::int32_t label : small_)
            if (label != missing) order.push_back(label);
        return order;
    }
    order.resize(size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::int64_t> values(size());
    bool numbers = true;
    for (std::size_t i = 0; numbers && i < size(); ++i) numbers = whole_number(label(i), values[i]);
    std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
        if (numbers && values[a] != values[b]) return values[a] < values[b];
        return label(a) < label(b);  // char_traits<char> compares as unsigned bytes
    });
    return order;
}

void TextParser::refuse_long_line() {
    throw ParseError("is longer than a million bytes; is there one row per line?");
}

void TextParser::feed(const char* data, std::size_t size) {
    const char* stop = data + size;
    if (!rest_.empty()) {
        const char* newline = static_cast<const char*>(std::memchr(data, '\n', size));
        const char* end = newline ? newline + 1 : stop;
        if (rest_.size() + (end - data) > longest_line + 1) ++line_, refuse_long_line();
        rest_.append(data, end);
        if (!newline) return;
        parse_lines(rest_.data(), rest_.data() + rest_.size());
        rest_.clear();
        data = end;
    }
    const char* tail = stop;
    while (tail > data && tail[-1] != '\n') --tail;
    parse_lines(data, tail);
    if (static_cast<std::size_t>(stop - tail) > longest_line) ++line_, refuse_long_line();
    rest_.assign(tail, stop);
}

// The newline that ends [at, stop) stops every inner loop, so none has to look for the end of the chunk.
void TextParser::parse_lines(const char* at, const char* stop) {
    std::int32_t* items = rows_.items.extend((stop - at) / 2 + 1);  // room for as many tokens as there can be
    std::int32_t* const first = items;
    const std::size_t before = rows_.items.size() - ((stop - at) / 2 + 1);
    while (at < stop) {
        ++line_;
        const char* const start_of_line = at;
        if (line_ == 1 && stop - at >= 3 && std::memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
        if (headers_ && (*at == '@' || *at == '%' || *at == '#')) {
            at = parse_header(at);
            continue;
        }
        while (true) {
            while (kind(*at) == Kind::blank) ++at;
            if (*at == '\n') break;
            const char* const start = at;
            const std::uint32_t value = stop - at >= 8 ? leading_number(at) : leading_number_slowly(at);
            const auto digits = at - start;
            if (ends_token(*at) && digits <= 7 && value < LabelTable::small_limit && (*start != '0' || digits == 1)) {
                *items++ = table_.number_small(value);
                continue;
            }
            while (!ends_token(*at)) ++at;
            *items++ = table_.number(start, at - start);
        }
        if (static_cast<std::size_t>(at - start_of_line) > longest_line) refuse_long_line();
        ++at;
        rows_.offsets.push_back(static_cast<std::int64_t>(before + (items - first)));
    }
    rows_.items.resize(before + (items - first));
}

const char* TextParser::parse_header(const char* at) {
    const char* newline = at;
    while (*newline != '\n') ++newline;
    const char* stop = newline;
    while (stop > at && kind(stop[-1]) == Kind::blank) --stop;
    header_.emplace_back(at, stop);
    if (!valid_label(header_.back()))
        throw ParseError("has bytes that are not text (UTF-8 without control characters or byte order marks)");
    return newline + 1;
}

void TextParser::finish() {
    if (!rest_.empty()) {
        rest_ += '\n';
        parse_lines(rest_.data(), rest_.data() + rest_.size());
    }
    const auto order = table_.canonical_order();
    std::vector<std::int32_t> renumber(order.size());
    labels_.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        renumber[order[i]] = static_cast<std::int32_t>(i);
        labels_.emplace_back(table_.label(order[i]));
    }
    make_canonical(rows_, renumber);
}

std::string format_text(const Rows& rows, const std::vector<std::string>& labels, std::size_t first, std::size_t last) {
    std::string text;
    for (std::size_t r = first; r < last; ++r) {
        bool later = false;
        for (std::int32_t item : rows.row(r)) {
            if (later) text += ' ';
            text += labels[item];
            later = true;
        }
        text += '\n';
    }
    return text;
}

}  // namespace discreet
