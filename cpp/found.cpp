#include "found.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace discreet {

void Found::add_with_subsets(std::span<const std::int32_t> items, std::span<const std::int32_t> extra, std::size_t cap,
                             std::int64_t support) {
    chosen_.clear();
    if (!items.empty()) add(items, support);
    add_larger(items, extra, cap, support);
}

// The unions that add something of `extra` to `items` and `chosen_`.
void Found::add_larger(std::span<const std::int32_t> items, std::span<const std::int32_t> extra, std::size_t cap,
                       std::int64_t support) {
    if (items.size() + chosen_.size() >= cap) return;
    for (std::size_t e = 0; e < extra.size(); ++e) {
        chosen_.push_back(extra[e]);
        std::ranges::merge(items, chosen_, items_.extend(items.size() + chosen_.size()));
        close(support);
        add_larger(items, extra.subspan(e + 1), cap, support);
        chosen_.pop_back();
    }
}

namespace {

struct Keyed {
    std::uint64_t key;     // the first items, as many as fit
    std::int64_t position; // where the itemset's items start, with its worker in `from`
    std::int64_t support;
    std::uint32_t length;
    std::uint32_t from;
};

// Least significant digit first, eleven bits at a time; digits that are the same everywhere are passed over.
void radix_sort(std::vector<Keyed>& sets, std::vector<Keyed>& spare) {
    constexpr unsigned digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    if (sets.size() < 2 * digits) {
        std::ranges::sort(sets, {}, &Keyed::key);
        return;
    }
    spare.resize(sets.size());
    for (unsigned shift = 0; shift < 64; shift += digit_bits) {
        std::array<std::size_t, digits> starts{};
        for (const Keyed& set : sets) ++starts[set.key >> shift & (digits - 1)];
        if (std::ranges::count(starts, std::size_t{0}) == static_cast<std::ptrdiff_t>(digits - 1)) continue;
        std::size_t sum = 0;
        for (std::size_t& start : starts) sum += std::exchange(start, sum);
        for (const Keyed& set : sets) spare[starts[set.key >> shift & (digits - 1)]++] = set;
        sets.swap(spare);
    }
}

}  // namespace

Itemsets canonical(std::vector<Found>& found, std::size_t labels) {
    std::size_t sets = 0;
    std::size_t items = 0;
    std::size_t longest = 0;
    for (Found& one : found) {
        sets += one.size();
        items += one.item_count();
        for (std::size_t i = 0; i < one.size(); ++i)
            longest = std::max<std::size_t>(longest, one.ends()[i] - (i ? one.ends()[i - 1] : 0));
    }

    std::vector<std::vector<Keyed>> by_length(longest + 1);
    std::vector<std::size_t> many(longest + 1);
    for (Found& one : found)
        for (std::size_t i = 0; i < one.size(); ++i) ++many[one.ends()[i] - (i ? one.ends()[i - 1] : 0)];
    for (std::size_t length = 0; length <= longest; ++length) by_length[length].reserve(many[length]);

    const unsigned item_bits = std::max(1u, static_cast<unsigned>(std::bit_width(labels)));
    const std::size_t in_key = 64 / item_bits;
    for (std::uint32_t from = 0; from < found.size(); ++from) {
        Found& one = found[from];
        std::int64_t start = 0;
        for (std::size_t i = 0; i < one.size(); ++i) {
            const std::int64_t end = one.ends()[i];
            const std::size_t length = end - start;
            std::uint64_t key = 0;
            for (std::size_t j = 0; j < std::min(length, in_key); ++j)
                key |= static_cast<std::uint64_t>(one.items()[start + j]) << (64 - item_bits * (j + 1));
            by_length[length].push_back({key, start, one.supports()[i], static_cast<std::uint32_t>(length), from});
            start = end;
        }
    }

    Itemsets result;
    result.offsets.resize(sets + 1);
    result.items.resize(items);
    result.supports.resize(sets);
    result.offsets[0] = 0;
    std::size_t at = 0;
    std::int64_t end = 0;
    std::vector<Keyed> spare;
    const auto items_of = [&](const Keyed& set) { return std::span(found[set.from].items().data() + set.position, set.length); };
    for (std::vector<Keyed>& same_length : by_length) {
        radix_sort(same_length, spare);
        for (std::size_t i = 0; i < same_length.size();) {  // keys hold the first items only: settle what is left
            std::size_t j = i + 1;
            while (j < same_length.size() && same_length[j].key == same_length[i].key) ++j;
            if (j - i > 1)
                std::sort(same_length.begin() + i, same_length.begin() + j, [&](const Keyed& a, const Keyed& b) {
                    return std::ranges::lexicographical_compare(items_of(a), items_of(b));
                });
            i = j;
        }
        for (const Keyed& set : same_length) {
            std::ranges::copy(items_of(set), result.items.data() + end);
            end += set.length;
            result.supports[at] = set.support;
            result.offsets[++at] = end;
        }
        std::vector<Keyed>().swap(same_length);
    }
    found.clear();
    return result;
}

}  // namespace discreet
