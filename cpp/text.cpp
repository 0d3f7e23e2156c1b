#include "text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace discreet {

namespace {

constexpr const char* not_text = "has bytes that are not text (UTF-8 without control characters or byte order marks)";
constexpr bool quick_numbers = std::endian::native == std::endian::little;

bool is_gap(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
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

// Valid UTF-8 without control characters and byte order marks (one at the start of a file is not part of a label, so
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

constexpr std::uint64_t each_byte(std::uint8_t value) {
    return value * 0x0101010101010101u;
}

// For 64 bytes, bit i for byte i: where blanks and newlines are. Tokens are found this way, many at a time, so that
// finding one does not wait for the previous one to be parsed.
struct Marks {
    std::uint64_t gaps = 0;  // including newlines
    std::uint64_t newlines = 0;
};

Marks find_marks(const char* at) {
    Marks marks;
#if defined(__SSE2__)
    const auto bits = [](__m128i flags) { return static_cast<std::uint64_t>(_mm_movemask_epi8(flags)); };
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
        const __m128i past_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));  // 0 to 4 for \t \n \v \f \r
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(past_tab, _mm_set1_epi8('\r' - '\t')), past_tab);
        marks.gaps |= bits(_mm_or_si128(control, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')))) << 16 * i;
        marks.newlines |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))) << 16 * i;
    }
#else
    for (int i = 0; i < 64; ++i) {
        marks.gaps |= std::uint64_t{is_gap(at[i])} << i;
        marks.newlines |= std::uint64_t{at[i] == '\n'} << i;
    }
#endif
    return marks;
}

constexpr std::uint32_t no_number = UINT32_MAX;

// The value of a token of one to seven digits without a leading zero; `no_number` for every other token.
std::uint32_t short_number_slowly(const char* token, std::size_t length) {
    if (length > 7 || !std::all_of(token, token + length, digit)) return no_number;
    if (length > 1 && *token == '0') return no_number;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < length; ++i) value = value * 10 + static_cast<std::uint32_t>(token[i] - '0');
    return value;
}

// The same for one to seven bytes, from the eight bytes that end at the token's end, without a branch on its length:
// lengths vary, and a misprediction costs more than the number itself.
std::uint32_t short_number(const char* end, std::size_t length) {
    std::uint64_t bytes;
    std::memcpy(&bytes, end - sizeof bytes, sizeof bytes);
    const std::size_t before = 8 * (8 - length);           // bits that are not the token's
    bytes = (bytes ^ each_byte('0')) >> before << before;  // digits become 0 to 9, and zeros stand in front
    const bool others = ((bytes + each_byte(0x76)) | bytes) & each_byte(0x80);
    const bool zero_in_front = length > 1 && (bytes >> before & 0xFF) == 0;
    if (others || zero_in_front) [[unlikely]]
        return no_number;
    bytes = bytes * 10 + (bytes >> 8);
    return static_cast<std::uint32_t>(((bytes & 0x000000FF000000FFu) * 0x000F424000000064u +
                                       (bytes >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >>
                                      32);
}

// A whole number of at most 18 digits, as Vocabulary in Python defines it.
bool whole_number(std::string_view text, std::int64_t& value) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || digits.size() > 18 || !std::ranges::all_of(digits, digit)) return false;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.size() != text.size()) value = -value;
    return true;
}

}  // namespace

LabelTable::LabelTable(Of of)
    : of_(of),
      first_(of == Of::tokens ? small_limit : 0),
      seen_(static_cast<std::uint8_t*>(std::calloc(std::max(first_, 1), 1)), std::free),
      slots_(1024, missing) {
    if (!seen_) throw std::bad_alloc();
}

std::string_view LabelTable::text(std::size_t i) const {
    const std::size_t start = i ? ends_[i - 1] : 0;
    return {texts_.data() + start, ends_[i] - start};
}

std::int32_t LabelTable::code(std::string_view label) {
    if (of_ == Of::tokens) {
        const std::uint32_t value = short_number_slowly(label.data(), label.size());
        if (value < small_limit) return code_of_small(value);
    }
    std::size_t slot = hash_of(label) & (slots_.size() - 1);
    while (slots_[slot] != missing) {
        if (text(slots_[slot]) == label) return first_ + slots_[slot];
        slot = (slot + 1) & (slots_.size() - 1);
    }
    if (of_ == Of::tokens && !valid_label(label)) throw ParseError(not_text);
    if (ends_.size() >= std::size_t{INT32_MAX} - small_limit) throw ParseError("is beyond two billion distinct items");
    texts_ += label;
    ends_.push_back(texts_.size());
    slots_[slot] = static_cast<std::int32_t>(ends_.size() - 1);
    const std::int32_t code = first_ + slots_[slot];
    if (2 * ends_.size() > slots_.size()) rehash();
    return code;
}

void LabelTable::rehash() {
    std::vector<std::int32_t> larger(4 * slots_.size(), missing);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        std::size_t slot = hash_of(text(i)) & (larger.size() - 1);
        while (larger[slot] != missing) slot = (slot + 1) & (larger.size() - 1);
        larger[slot] = static_cast<std::int32_t>(i);
    }
    slots_ = std::move(larger);
}

std::vector<Label> LabelTable::in_order() const {
    std::vector<Label> labels;
    const std::uint8_t* const stop = seen_.get() + first_;
    for (const std::uint8_t* at = seen_.get();
         (at = static_cast<const std::uint8_t*>(std::memchr(at, 1, stop - at))) != nullptr; ++at) {
        const auto value = static_cast<std::int32_t>(at - seen_.get());
        labels.push_back({std::to_string(value), value});
    }
    if (ends_.empty()) return labels;
    for (std::size_t i = 0; i < ends_.size(); ++i)
        labels.push_back({std::string(text(i)), static_cast<std::int32_t>(first_ + i)});
    std::int64_t value;
    const bool numbers =
        std::ranges::all_of(labels, [&](const Label& label) { return whole_number(label.text, value); });
    std::ranges::sort(labels, [&](const Label& a, const Label& b) {
        std::int64_t first = 0, second = 0;
        if (numbers) whole_number(a.text, first), whole_number(b.text, second);
        return first != second ? first < second : a.text < b.text;  // char_traits<char> compares as unsigned bytes
    });
    return labels;
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

// A carriage return belongs before a newline: elsewhere it ends a line for programs that we do not follow, and rows
// would merge.
void TextParser::refuse_controls(const char* const at, const char* const stop) {
    const auto refuse = [&](const char* found, const char* words) {
        line_ += std::count(at, found, '\n') + 1;
        throw ParseError(words);
    };
    for (const char byte : {'\v', '\f'})
        if (const void* found = std::memchr(at, byte, stop - at)) refuse(static_cast<const char*>(found), not_text);
    for (const char* next = at; (next = static_cast<const char*>(std::memchr(next, '\r', stop - next))); ++next)
        if (next[1] != '\n') refuse(next, "has a carriage return inside; save the file with newlines at the line ends");
}

void TextParser::parse_lines(const char* at, const char* stop) {
    refuse_controls(at, stop);
    if (line_ == 0 && stop - at >= 3 && std::memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    if (!headers_) return parse_rows(at, stop);
    const auto is_header = [](const char* line) { return *line == '@' || *line == '%' || *line == '#'; };
    while (at < stop) {
        const char* end = at;
        const bool header = is_header(at);
        while (end < stop && is_header(end) == header)
            end = static_cast<const char*>(std::memchr(end, '\n', stop - end)) + 1;
        if (header)
            keep_headers(at, end);
        else
            parse_rows(at, end);
        at = end;
    }
}

// A newline ends [at, stop). The loops run over the tokens and the lines that end in 64 bytes, not over lines and their
// tokens: line ends cannot be predicted, and a misprediction costs more than a token.
void TextParser::parse_rows(const char* at, const char* stop) {
    const std::size_t items_before = rows_.items.size();
    std::int32_t* const first_item = rows_.items.extend((stop - at) / 2 + 1);  // the greatest possible number of tokens
    const std::size_t rows_before = rows_.offsets.size();
    std::int32_t* item = first_item;
    const std::size_t lines_before = line_;
    const auto note_line = [&](std::uint64_t newlines) {
        line_ = lines_before + (rows_.offsets.size() - rows_before) + std::popcount(newlines) + 1;
    };
    const char* token = at;  // the start of the next token
    const char* line = at;
    bool in_token = false;
    for (const char* block = at; block < stop; block += 64) {
        char last[64];
        const bool whole = stop - block >= 64;
        if (!whole) std::memset(last, '\n', sizeof last), std::memcpy(last, block, stop - block);
        auto [gaps, newlines] = find_marks(whole ? block : last);
        if (!whole) newlines &= (std::uint64_t{1} << (stop - block)) - 1;
        const std::uint64_t gap_before = gaps << 1 | !in_token;
        const std::uint64_t ends = gaps & ~gap_before;
        std::uint64_t starts = ~gaps & gap_before;
        const auto next_token = [&] {
            token = block + std::countr_zero(starts);
            starts &= starts - 1;
        };
        if (!in_token) next_token();
        const std::int64_t items_so_far = items_before + (item - first_item);
        for (std::uint64_t left = ends; left; left &= left - 1) {
            const char* const end = block + std::countr_zero(left);
            const std::size_t length = end - token;
            std::uint32_t value = no_number;
            if (quick_numbers && length <= 7 && end - at >= 8) [[likely]]
                value = short_number(end, length);
            if (value < LabelTable::small_limit) [[likely]] {
                *item++ = table_.code_of_small(value);
            } else {
                note_line(newlines & ((left & -left) - 1));
                *item++ = table_.code({token, length});
            }
            next_token();
        }
        in_token = !(gaps >> 63);
        if (newlines) {
            if (block + std::countr_zero(newlines) - line > longest_line) note_line(0), refuse_long_line();
            line = block + 64 - std::countl_zero(newlines);
        }
        for (; newlines; newlines &= newlines - 1)
            rows_.offsets.push_back(items_so_far + std::popcount(ends & (newlines ^ (newlines - 1))));
    }
    line_ = lines_before + (rows_.offsets.size() - rows_before);
    rows_.items.resize(items_before + (item - first_item));
}

void TextParser::keep_headers(const char* at, const char* stop) {
    while (at < stop) {
        ++line_;
        const char* const newline = static_cast<const char*>(std::memchr(at, '\n', stop - at));
        if (newline - at > longest_line) refuse_long_line();
        const char* end = newline;
        while (end > at && is_gap(end[-1])) --end;
        header_.emplace_back(at, end);
        if (!valid_label(header_.back())) throw ParseError(not_text);
        at = newline + 1;
    }
}

void TextParser::end() {
    if (!rest_.empty() && (line_ > 0 || rest_ != "\xEF\xBB\xBF")) {
        rest_ += '\n';
        parse_lines(rest_.data(), rest_.data() + rest_.size());
    }
    const auto labels = table_.in_order();
    std::int32_t codes = 0;
    for (const Label& label : labels) codes = std::max(codes, label.code + 1);
    numbers_.resize(codes);
    labels_.reserve(labels.size());
    for (const Label& label : labels) {
        numbers_[label.code] = static_cast<std::int32_t>(labels_.size());
        labels_.push_back(label.text);
    }
}

void TextParser::finish() {
    end();
    make_canonical(rows_, numbers_);
}

OwnedRows TextParser::take() {
    OwnedRows taken;
    std::swap(taken, rows_);
    rows_.offsets.push_back(0);
    return taken;
}

OwnedRows TextParser::take_last() {
    end();
    return take();
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
