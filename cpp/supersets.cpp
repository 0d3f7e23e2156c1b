#include "supersets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "bitmaps.hpp"
#include "inverted.hpp"
#include "prefixes.hpp"
#include "rows_around.hpp"

namespace discreet {

namespace {

std::vector<std::int64_t> rows_by_item(const Rows& rows, std::size_t labels) {
    std::vector<std::int64_t> counts(labels, 0);
    for (const std::int32_t item : rows.items) ++counts[item];
    return counts;
}

std::int32_t rarest(std::span<const std::int32_t> itemset, std::span<const std::int64_t> counts) {
    return std::ranges::min(itemset, {}, [&](std::int32_t item) { return std::pair(counts[item], item); });
}

std::int64_t weigh(const Word* rows, std::size_t words, auto weight_of) {
    std::int64_t sum = 0;
    for (std::size_t w = 0; w < words; ++w)
        for (Word left = rows[w]; left; left &= left - 1) sum += weight_of(w * bits_per_word + std::countr_zero(left));
    return sum;
}

// Whether looking itemsets up around their rarest items looks at fewer words than intersecting bitmaps of all rows, one
// for each itemset.
bool share_little(const Rows& collection, const Rows& larger, std::size_t labels) {
    const std::size_t words = padded(words_for(larger.count()));
    const std::size_t by_prefixes = (collection.count() + labels) * words;
    const std::vector<std::int64_t> counts = rows_by_item(larger, labels);
    std::vector<std::size_t> gathered(labels, 0);  // by item: the items of the rows with it
    for (std::size_t r = 0; r < larger.count(); ++r)
        for (const std::int32_t item : larger.row(r)) gathered[item] += larger.row(r).size();
    std::size_t around = larger.items.size();
    for (std::size_t s = 0; s < collection.count() && around < by_prefixes; ++s) {
        if (collection.row(s).empty()) continue;
        const std::int32_t centre = rarest(collection.row(s), counts);
        around += std::exchange(gathered[centre], 0);
        around += collection.row(s).size() * padded(words_for(static_cast<std::size_t>(counts[centre])));
    }
    return around < by_prefixes;
}

}  // namespace

Buffer<std::int64_t> count_supersets(const Rows& collection, const Rows& larger, std::span<const std::int64_t> weights,
                                     std::size_t labels) {
    const auto count = share_little(collection, larger, labels) ? count_around_rarest : count_by_prefixes;
    return count(collection, larger, weights, labels);
}

Buffer<std::int64_t> count_by_prefixes(const Rows& collection, const Rows& larger,
                                       std::span<const std::int64_t> weights, std::size_t labels) {
    const std::size_t words = padded(std::max<std::size_t>(1, words_for(larger.count())));
    Words memory;
    Word* bits = memory.reserve((labels + 1) * words);
    std::fill(bits, bits + (labels + 1) * words, 0);
    for (std::size_t r = 0; r < larger.count(); ++r) {
        for (std::int32_t item : larger.row(r)) set_bit(bits + item * words, r);
        set_bit(bits + labels * words, r);
    }
    Buffer<std::int64_t> counts(collection.count());
    Prefixes prefixes(bits, words, collection);
    std::vector<std::uint32_t> last;  // the last items of itemsets that differ in them alone
    const Word* all = bits + labels * words;
    for (std::size_t s = 0; s < collection.count();) {
        const auto itemset = collection.row(s);
        if (weights.empty() && !itemset.empty()) {
            const auto prefix = itemset.first(itemset.size() - 1);
            last.clear();
            std::size_t end = s;
            for (; end < collection.count(); ++end) {
                const auto other = collection.row(end);
                if (other.size() != itemset.size() || !std::ranges::equal(other.first(prefix.size()), prefix)) break;
                last.push_back(static_cast<std::uint32_t>(other.back()));
                counts[end] = 0;
            }
            bitmap_loops().count_each(prefix.empty() ? all : prefixes.rows_of(prefix), bits, words, last.data(),
                                      last.size(), words, 0, counts.data() + s);
            s = end;
            continue;
        }
        const Word* rows = itemset.empty() ? all : prefixes.rows_of(itemset);
        counts[s++] = weigh(rows, words, [&](std::size_t row) { return weights.empty() ? 1 : weights[row]; });
    }
    return counts;
}

Buffer<std::int64_t> count_around_rarest(const Rows& collection, const Rows& larger,
                                         std::span<const std::int64_t> weights, std::size_t labels) {
    const std::vector<std::int64_t> counts = rows_by_item(larger, labels);
    std::vector<std::uint8_t> wanted(labels, 0);
    std::vector<std::pair<std::int32_t, std::size_t>> order;  // the rarest item of each itemset, and its number
    Buffer<std::int64_t> found(collection.count());
    for (std::size_t s = 0; s < collection.count(); ++s) {
        if (collection.row(s).empty()) {
            found[s] = weights.empty() ? static_cast<std::int64_t>(larger.count())
                                       : std::reduce(weights.begin(), weights.end(), std::int64_t{0});
            continue;
        }
        order.emplace_back(rarest(collection.row(s), counts), s);
        wanted[order.back().first] = 1;
    }
    std::ranges::sort(order);
    const OwnedRows lists = invert(larger, labels, [] {}, wanted);
    RowsAround around(labels);
    std::vector<Word> all;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        const std::int32_t centre = order[begin].first;
        const std::span rows(lists.items.data() + lists.offsets[centre],
                             static_cast<std::size_t>(lists.offsets[centre + 1] - lists.offsets[centre]));
        around.forget();
        for (end = begin; end < order.size() && order[end].first == centre; ++end)
            for (const std::int32_t item : collection.row(order[end].second)) around.need(item);
        around.take(rows, [&](std::int32_t row) { return larger.row(static_cast<std::size_t>(row)); });
        all.resize(around.words());
        for (std::size_t at = begin; at < end; ++at) {
            std::copy_n(around.of(centre), all.size(), all.data());
            for (const std::int32_t item : collection.row(order[at].second))
                intersect(all.data(), all.data(), around.of(item), all.size());
            found[order[at].second] = weigh(all.data(), all.size(), [&](std::size_t place) {
                return weights.empty() ? 1 : weights[static_cast<std::size_t>(rows[place])];
            });
        }
    }
    return found;
}

}  // namespace discreet
