#include "exposed.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "bitmaps.hpp"
#include "crew.hpp"

namespace discreet {

namespace {

// The conditions of each group on a row: the slots of items it must contain, then those of items it must not contain.
// Rare required items come first, and frequent excluded ones: either leaves few rows to test.
struct Questions {
    std::vector<std::uint32_t> slots;
    std::vector<std::size_t> present_ends;  // group g requires slots[ends[g - 1] .. present_ends[g])
    std::vector<std::size_t> ends;          // and excludes those up to ends[g]
    std::vector<std::int32_t> slot_of;      // item -> slot, -1 if no group mentions it
    std::size_t used = 0;

    Questions(const Rows& rows, const NamedGroups& groups, std::size_t labels) : slot_of(labels, -1) {
        for (std::int64_t full : groups.which)
            for (std::int32_t item : groups.fulls.row(full))
                if (slot_of[item] < 0) slot_of[item] = static_cast<std::int32_t>(used++);
        std::vector<std::int64_t> holders(used, 0);
        for (std::int32_t item : rows.items)
            if (slot_of[item] >= 0) ++holders[slot_of[item]];
        const auto rarer = [&](std::uint32_t a, std::uint32_t b) { return holders[a] < holders[b]; };
        for (std::size_t g = 0; g < groups.which.size(); ++g) {
            const auto base = groups.bases.row(g);
            const auto first = static_cast<std::ptrdiff_t>(slots.size());
            for (std::int32_t item : base) slots.push_back(slot_of[item]);
            present_ends.push_back(slots.size());
            for (std::int32_t item : groups.fulls.row(groups.which[g]))
                if (!std::ranges::binary_search(base, item)) slots.push_back(slot_of[item]);
            ends.push_back(slots.size());
            const auto middle = slots.begin() + static_cast<std::ptrdiff_t>(present_ends.back());
            std::sort(slots.begin() + first, middle, rarer);
            std::sort(middle, slots.end(), [&](std::uint32_t a, std::uint32_t b) { return rarer(b, a); });
        }
    }
};

// The rows of one block as a bitmap per slot.
class Block {
public:
    Block(const Questions& questions, std::size_t words) : questions_(questions), words_(padded(words)) {
        bitmaps_.reserve(std::max<std::size_t>(1, questions.used) * words_);
    }

    void fill(const Rows& rows, std::size_t first, std::size_t last) {
        std::fill_n(bitmaps_.data(), questions_.used * words_, Word{0});
        for (std::size_t r = first; r < last; ++r)
            for (std::int32_t item : rows.row(r))
                if (const std::int32_t slot = questions_.slot_of[item]; slot >= 0)
                    set_bit(bitmaps_.data() + slot * words_, r - first);
    }

    // Sets the bits of the rows in group g, a cache line at a time, stopping as soon as none are left.
    void mark(std::size_t g, Word* marked) const {
        const std::size_t begin = g ? questions_.ends[g - 1] : 0;
        for (std::size_t line = 0; line < words_; line += line_words) {
            Word left[line_words];
            std::fill_n(left, line_words, ~Word{0});
            bool any = true;
            for (std::size_t q = begin; q < questions_.ends[g] && any; ++q) {
                const Word* held = bitmaps_.data() + questions_.slots[q] * words_ + line;
                const Word flip = q < questions_.present_ends[g] ? Word{0} : ~Word{0};
                Word together = 0;
                for (std::size_t w = 0; w < line_words; ++w) together |= left[w] &= held[w] ^ flip;
                any = together;
            }
            if (any)
                for (std::size_t w = 0; w < line_words; ++w) marked[line + w] |= left[w];
        }
    }

    std::size_t words() const { return words_; }

private:
    const Questions& questions_;
    std::size_t words_;
    Words bitmaps_;
};

// Rows per block: few enough that its bitmaps fit into a few megabytes, and that every thread gets some.
std::size_t block_rows(std::size_t rows, std::size_t slots, unsigned threads) {
    constexpr std::size_t most_words = std::size_t{4} << 20 >> 3;
    const std::size_t affordable = most_words / std::max<std::size_t>(1, slots) * bits_per_word;
    const std::size_t line = line_words * bits_per_word;
    return std::max(line, std::min(affordable, (rows / threads + line) / line * line));
}

}  // namespace

Buffer<std::uint8_t> find_exposed(const Rows& rows, const NamedGroups& groups, std::size_t labels, unsigned threads,
                                  std::atomic<bool>& stop, const std::function<void()>& tick) {
    Buffer<std::uint8_t> exposed(rows.count());
    std::fill(exposed.begin(), exposed.end(), 0);
    const Questions questions(rows, groups, labels);
    const std::size_t step = block_rows(rows.count(), questions.used, std::max(1u, threads));
    std::atomic<std::size_t> next{0};
    run_crew(threads, stop, tick, [&](unsigned) {
        Block block(questions, words_for(step));
        std::vector<Word> marked(block.words());
        for (std::size_t first; (first = next.fetch_add(step)) < rows.count();) {
            const std::size_t last = std::min(rows.count(), first + step);
            block.fill(rows, first, last);
            std::ranges::fill(marked, Word{0});
            for (std::size_t g = 0; g < groups.which.size(); ++g) {
                if (stop.load(std::memory_order_relaxed)) throw Stopped{};
                block.mark(g, marked.data());
            }
            for (std::size_t r = first; r < last; ++r) exposed[r] = has_bit(marked.data(), r - first);
        }
    });
    return exposed;
}

}  // namespace discreet
