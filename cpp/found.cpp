#include "found.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <thread>
#include <utility>

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
    std::uint64_t key;      // the first items, as many as fit
    std::int64_t position;  // where its items start in the results of `from`
    std::uint32_t number;   // its index there
    std::uint32_t from;
};

// Least significant digit first, eleven bits at a time; digits that are equal everywhere are skipped.
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

using Items = std::span<const std::int32_t>;

std::size_t length_of(Found& one, std::size_t i) {
    return one.ends()[i] - (i ? one.ends()[i - 1] : 0);
}

// Sorts itemsets of one length and writes them starting at `at` (itemset index) and `end` (item index).
void write_sorted(std::vector<Keyed>& sets, std::vector<Keyed>& spare, std::vector<Found>& found, std::size_t length,
                  Mined& result, std::size_t at, std::int64_t end) {
    const auto items_of = [&](const Keyed& set) {
        return Items(found[set.from].items().data() + set.position, length);
    };
    radix_sort(sets, spare);
    for (std::size_t i = 0; i < sets.size();) {  // keys contain only the first items: sort the ties
        std::size_t j = i + 1;
        while (j < sets.size() && sets[j].key == sets[i].key) ++j;
        if (j - i > 1)
            std::sort(sets.begin() + i, sets.begin() + j, [&](const Keyed& a, const Keyed& b) {
                return std::ranges::lexicographical_compare(items_of(a), items_of(b));
            });
        i = j;
    }
    for (const Keyed& set : sets) {
        std::ranges::copy(items_of(set), result.itemsets.items.data() + end);
        end += static_cast<std::int64_t>(length);
        result.supports[at] = found[set.from].supports()[set.number];
        result.itemsets.offsets[++at] = end;
    }
    std::vector<Keyed>().swap(sets);
}

}  // namespace

Mined canonical(std::vector<Found>& found, std::size_t labels, unsigned threads) {
    std::vector<std::size_t> many;  // itemsets by length
    for (Found& one : found)
        for (std::size_t i = 0; i < one.size(); ++i) {
            const std::size_t length = length_of(one, i);
            if (length >= many.size()) many.resize(length + 1);
            ++many[length];
        }

    std::vector<std::vector<Keyed>> by_length(many.size());
    std::vector<std::size_t> first_set(many.size() + 1, 0);
    std::vector<std::int64_t> first_item(many.size() + 1, 0);
    for (std::size_t length = 0; length < many.size(); ++length) {
        by_length[length].reserve(many[length]);
        first_set[length + 1] = first_set[length] + many[length];
        first_item[length + 1] = first_item[length] + static_cast<std::int64_t>(many[length] * length);
    }

    const unsigned item_bits = std::max(1u, static_cast<unsigned>(std::bit_width(labels)));
    const std::size_t in_key = 64 / item_bits;
    for (std::uint32_t from = 0; from < found.size(); ++from) {
        Found& one = found[from];
        std::int64_t start = 0;
        for (std::size_t i = 0; i < one.size(); ++i) {
            const std::size_t length = length_of(one, i);
            std::uint64_t key = 0;
            for (std::size_t j = 0; j < std::min(length, in_key); ++j)
                key |= static_cast<std::uint64_t>(one.items()[start + j]) << (64 - item_bits * (j + 1));
            by_length[length].push_back({key, start, static_cast<std::uint32_t>(i), from});
            start += static_cast<std::int64_t>(length);
        }
    }

    Mined result;
    result.itemsets.offsets.resize(first_set.back() + 1);
    result.itemsets.items.resize(first_item.back());
    result.supports.resize(first_set.back());
    result.itemsets.offsets[0] = 0;
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        std::vector<Keyed> spare;
        for (std::size_t length; (length = next++) < many.size();)
            write_sorted(by_length[length], spare, found, length, result, first_set[length], first_item[length]);
    };
    std::vector<std::thread> helpers;
    constexpr std::size_t worth_a_thread = 100'000;
    for (unsigned t = 1; t < threads && first_set.back() > worth_a_thread; ++t) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
    found.clear();
    return result;
}

}  // namespace discreet
