#include "found.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "crew.hpp"

namespace discreet {

void Found::add_block(std::size_t least) {
    constexpr std::size_t first = std::size_t{1} << 12, most = std::size_t{1} << 20;
    const std::size_t size = std::max(least, blocks_.empty() ? first : std::min(2 * blocks_.back().size, most));
    void* block = allocate_large(size * sizeof(std::int32_t));
    if (!block) block = std::malloc(size * sizeof(std::int32_t));
    if (!block) throw std::bad_alloc();
    blocks_.push_back({std::unique_ptr<std::int32_t[], Free>(static_cast<std::int32_t*>(block)), size});
}

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
        std::ranges::merge(items, chosen_, begin(items.size() + chosen_.size(), support));
        add_larger(items, extra.subspan(e + 1), cap, support);
        chosen_.pop_back();
    }
}

namespace {

struct Keyed {
    std::uint64_t key;  // the first items, as many as fit
    Found::Set set;
};

// Least significant digit first, eleven bits at a time; digits that are equal everywhere are skipped.
void radix_sort(std::span<Keyed> sets, Buffer<Keyed>& spare) {
    constexpr unsigned digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    if (sets.size() < 2 * digits) {
        std::ranges::sort(sets, {}, &Keyed::key);
        return;
    }
    std::uint64_t differ = 0;
    for (const Keyed& set : sets) differ |= set.key ^ sets.front().key;
    if (sets.size() > spare.size()) {
        spare.reserve(sets.size());
        spare.resize(sets.size());
    }
    std::span<Keyed> from = sets;
    std::span<Keyed> to(spare.data(), sets.size());
    for (unsigned shift = 0; shift < 64; shift += digit_bits) {
        if (!(differ >> shift & (digits - 1))) continue;
        std::array<std::size_t, digits> starts{};
        for (const Keyed& set : from) ++starts[set.key >> shift & (digits - 1)];
        std::size_t sum = 0;
        for (std::size_t& start : starts) sum += std::exchange(start, sum);
        for (const Keyed& set : from) to[starts[set.key >> shift & (digits - 1)]++] = set;
        std::swap(from, to);
    }
    if (from.data() != sets.data()) std::ranges::copy(from, sets.begin());
}

// Sorts itemsets of one length and writes them starting at `at` (itemset index) and `end` (item index).
void write_sorted(std::span<Keyed> sets, Buffer<Keyed>& spare, std::size_t length, Mined& result, std::size_t at,
                  std::int64_t end) {
    radix_sort(sets, spare);
    for (std::size_t i = 0; i < sets.size();) {  // keys contain only the first items: sort the ties
        std::size_t j = i + 1;
        while (j < sets.size() && sets[j].key == sets[i].key) ++j;
        if (j - i > 1)
            std::sort(sets.begin() + i, sets.begin() + j, [&](const Keyed& a, const Keyed& b) {
                return std::ranges::lexicographical_compare(Found::items_of(a.set), Found::items_of(b.set));
            });
        i = j;
    }
    constexpr std::size_t ahead = 16;  // the order they were found in is another one: fetch what is needed next
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (i + ahead < sets.size()) __builtin_prefetch(sets[i + ahead].set);
        std::ranges::copy(Found::items_of(sets[i].set), result.itemsets.items.data() + end);
        end += static_cast<std::int64_t>(length);
        result.supports[at] = Found::support_of(sets[i].set);
        result.itemsets.offsets[++at] = end;
    }
}

template <typename T>
void make_room(Buffer<T>& buffer, std::size_t size) {
    buffer.reserve(size);
    buffer.resize(size);
}

// Runs `work` with every number below `count`, on one thread, or on more where there is enough to do.
template <typename Work>
void share(unsigned threads, std::size_t count, Work work) {
    std::atomic<std::size_t> next{0};
    const auto body = [&](unsigned) {
        for (std::size_t number; (number = next++) < count;) work(number);
    };
    std::atomic<bool> stop{false};
    run_crew(threads > 1 ? threads : 0, stop, [] {}, body);
}

}  // namespace

Mined canonical(std::vector<Found>& found, std::size_t labels, unsigned threads) {
    std::size_t lengths = 0;
    for (const Found& one : found) lengths = std::max(lengths, one.lengths().size());
    std::vector<std::size_t> first_set(lengths + 1, 0);
    std::vector<std::int64_t> first_item(lengths + 1, 0);
    std::vector<std::vector<std::size_t>> places(found.size(), std::vector<std::size_t>(lengths));
    for (std::size_t length = 0; length < lengths; ++length) {
        std::size_t many = 0;
        for (std::size_t from = 0; from < found.size(); ++from) {
            places[from][length] = first_set[length] + many;
            if (length < found[from].lengths().size()) many += found[from].lengths()[length];
        }
        first_set[length + 1] = first_set[length] + many;
        first_item[length + 1] = first_item[length] + static_cast<std::int64_t>(many * length);
    }
    constexpr std::size_t worth_a_thread = 20'000;
    threads = first_set.back() > worth_a_thread ? std::max(1u, threads) : 1;

    Buffer<Keyed> keyed;
    make_room(keyed, first_set.back());
    const unsigned item_bits = std::max(1u, static_cast<unsigned>(std::bit_width(labels)));
    const std::size_t in_key = 64 / item_bits;
    share(threads, found.size(), [&](std::size_t from) {
        found[from].each([&](Found::Set set) {
            const auto items = Found::items_of(set);
            std::uint64_t key = 0;
            for (std::int32_t item : items.first(std::min(items.size(), in_key)))
                key = key << item_bits | static_cast<std::uint64_t>(item);
            keyed[places[from][items.size()]++] = {key, set};
        });
    });

    Mined result;
    make_room(result.itemsets.offsets, first_set.back() + 1);
    make_room(result.itemsets.items, first_item.back());
    make_room(result.supports, first_set.back());
    result.itemsets.offsets[0] = 0;
    std::vector<std::size_t> order(lengths);  // the most itemsets first: no thread starts on many when others are done
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t l) { return first_set[l + 1] - first_set[l]; });
    share(threads, lengths, [&](std::size_t number) {
        const std::size_t length = order[number];
        const std::size_t first = first_set[length];
        Buffer<Keyed> spare;
        write_sorted({keyed.data() + first, first_set[length + 1] - first}, spare, length, result, first,
                     first_item[length]);
    });
    found.clear();
    return result;
}

}  // namespace discreet
