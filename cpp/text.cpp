#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

namespace discreet {

namespace {

constexpr std::int32_t missing = -1;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u ^ text.size();
    for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
    hash ^= hash >> 29;
    return hash * 0xbf58476d1ce4e5b9u >> 16;
}

// Whole UTF-8 without control characters. Overlong forms, surrogates and values past U+10FFFF are refused.
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
    if (!valid_label(text)) throw ParseError("has bytes that are not text (UTF-8 without control characters)");
    if (ends_.size() >= std::size_t{INT32_MAX}) throw ParseError("is beyond the 2,147,483,647th distinct item");
    texts_ += text;
    ends_.push_back(texts_.size());
    return static_cast<std::int32_t>(ends_.size() - 1);
}

std::int32_t LabelTable::number_small(std::uint32_t value) {
    if (value >= small_.size()) small_.resize(std::min<std::size_t>(small_limit, std::max<std::size_t>(value + 1, 2 * small_.size())), missing);
    std::int32_t& place = small_[value];
    if (place == missing) {
        char text[16];
        const auto end = std::to_chars(text, text + sizeof text, value).ptr;
        place = add({text, static_cast<std::size_t>(end - text)});
    }
    return place;
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
    std::vector<std::int32_t> order(size());
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

void TextParser::feed(const char* data, std::size_t size) {
    const char* stop = data + size;
    if (!rest_.empty()) {
        const char* newline = static_cast<const char*>(std::memchr(data, '\n', size));
        const char* end = newline ? newline : stop;
        if (rest_.size() + (end - data) > longest_line) {
            ++line_;
            throw ParseError("is longer than a million bytes; is there one row per line?");
        }
        rest_.append(data, end);
        if (!newline) return;
        parse_line(rest_.data(), rest_.data() + rest_.size());
        rest_.clear();
        data = newline + 1;
    }
    const char* tail = parse_lines(data, stop);
    if (static_cast<std::size_t>(stop - tail) > longest_line) {
        ++line_;
        throw ParseError("is longer than a million bytes; is there one row per line?");
    }
    rest_.assign(tail, stop);
}

const char* TextParser::parse_lines(const char* at, const char* stop) {
    while (at < stop) {
        const char* newline = static_cast<const char*>(std::memchr(at, '\n', stop - at));
        if (!newline) break;
        parse_line(at, newline);
        at = newline + 1;
    }
    return at;
}

void TextParser::parse_line(const char* at, const char* stop) {
    ++line_;
    if (static_cast<std::size_t>(stop - at) > longest_line) throw ParseError("is longer than a million bytes; is there one row per line?");
    if (line_ == 1 && stop - at >= 3 && std::memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    if (headers_ && at < stop && (*at == '@' || *at == '%' || *at == '#')) {
        while (stop > at && stop[-1] == '\r') --stop;
        header_.emplace_back(at, stop);
        if (!valid_label(header_.back())) throw ParseError("has bytes that are not text (UTF-8 without control characters)");
        return;
    }
    while (true) {
        while (at < stop && blank(*at)) ++at;
        if (at == stop) break;
        const char* start = at;
        std::uint32_t value = 0;
        while (at < stop && digit(*at)) value = value * 10 + static_cast<std::uint32_t>(*at++ - '0');
        const auto digits = at - start;
        const bool whole = at == stop || blank(*at);
        if (whole && digits <= 7 && value < LabelTable::small_limit && (*start != '0' || digits == 1)) {
            rows_.items.push_back(table_.number_small(value));
            continue;
        }
        while (at < stop && !blank(*at)) ++at;
        rows_.items.push_back(table_.number(start, at - start));
    }
    rows_.offsets.push_back(static_cast<std::int64_t>(rows_.items.size()));
}

void TextParser::finish() {
    if (!rest_.empty()) parse_line(rest_.data(), rest_.data() + rest_.size());
    rest_.clear();
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
