#include "stakes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "bitmaps.hpp"
#include "prefixes.hpp"

namespace discreet {

namespace {

constexpr std::size_t words_per_pair = 32;  // listing a pair costs about as much as intersecting so many words

class Finder {
public:
    Finder(const Staked& task, const Tick& tick) : task_(task), tick_(tick) {
        number_rows();
        draw_bitmaps();
    }

    Stakes find() {
        Prefixes prefixes(bitmaps_.data(), stride_, task_.others);
        std::vector<std::size_t> meeting;  // the itemsets that contain a restrictive item
        for (std::size_t x = 0; x < task_.others.count(); ++x)
            if (meets(x)) meeting.push_back(x);
        const std::size_t most_words = std::size_t(task_.most) * words_per_pair;
        const std::size_t skip = 1 + meeting.size() * stride_ / (most_words + 1);
        std::map<Key, std::size_t> known;
        std::size_t pairs = 0;
        for (std::size_t at = 0; at < meeting.size(); at += skip) {
            if (at % 1024 == 0) tick_();
            const std::size_t x = meeting[at];
            const std::int64_t slack = task_.supports[x] - task_.sigma;
            const std::size_t count = restrict_to_candidates(prefixes.rows_of(task_.others.row(x)), x);
            if (std::int64_t(count) <= slack) continue;
            const auto [place, is_new] = known.try_emplace(key_of(slack), firsts_.size());
            if (is_new) {
                firsts_.push_back(x);
                weights_.push_back(0);
                pairs += count;
            }
            ++weights_[place->second];
        }
        const std::size_t step = 1 + pairs / (std::size_t(task_.most) + 1);
        return list(prefixes, step, skip == 1 && step == 1);
    }

private:
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::vector<std::int32_t>>;

    void number_rows() {
        std::vector<std::uint8_t> held(task_.rows.count(), 0);
        for (const std::int32_t row : task_.found.items) held[row] = 1;
        place_.assign(task_.rows.count(), -1);
        for (std::size_t r = 0; r < held.size(); ++r) {
            if (!held[r]) continue;
            place_[r] = static_cast<std::int32_t>(rows_.size());
            rows_.push_back(static_cast<std::int32_t>(r));
        }
    }

    void draw_bitmaps() {
        stride_ = padded(words_for(std::max<std::size_t>(1, rows_.size())));
        Word* words = bitmaps_.reserve(task_.labels * stride_);
        std::fill_n(words, task_.labels * stride_, Word{0});
        for (std::size_t at = 0; at < rows_.size(); ++at)
            for (const std::int32_t item : task_.rows.row(rows_[at])) set_bit(words + item * stride_, at);
        candidates_.assign(task_.labels, {});
        for (std::size_t p = 0; p < task_.patterns.count(); ++p) {
            for (const std::int32_t item : task_.patterns.row(p)) {
                candidates_[item].resize(stride_, 0);
                for (const std::int32_t row : task_.found.row(p)) set_bit(candidates_[item].data(), place_[row]);
            }
        }
        limited_ = memory_.reserve(2 * stride_);
        removable_ = limited_ + stride_;
        std::fill_n(limited_, 2 * stride_, Word{0});
    }

    bool meets(std::size_t x) const {
        return std::ranges::any_of(task_.others.row(x), [&](std::int32_t item) { return !candidates_[item].empty(); });
    }

    // Keeps the rows in which an item of the itemset may be removed, and notes these items; returns how many rows.
    std::size_t restrict_to_candidates(const Word* rows, std::size_t x) {
        std::vector<std::int32_t> touching;
        for (const std::int32_t item : task_.others.row(x))
            if (!candidates_[item].empty()) touching.push_back(item);
        if (touching != touching_) {
            touching_ = std::move(touching);
            std::fill_n(removable_, stride_, Word{0});
            for (const std::int32_t item : touching_)
                for (std::size_t w = 0; w < stride_; ++w) removable_[w] |= candidates_[item][w];
        }
        intersect(limited_, removable_, rows, stride_);
        const std::uint32_t first = 0;
        std::int64_t count = 0;
        bitmap_loops().count_each(removable_, rows, stride_, &first, 1, stride_, 0, &count);
        return static_cast<std::size_t>(count);
    }

    Key key_of(std::int64_t slack) const {
        std::uint64_t one = 0x9e3779b97f4a7c15, other = 0xc2b2ae3d27d4eb4f;
        for (std::size_t w = 0; w < stride_; w += 2) {
            one = (one ^ limited_[w]) * 0xff51afd7ed558ccd;
            one ^= one >> 33;
            other = (other ^ limited_[w + 1]) * 0xc4ceb9fe1a85ec53;
            other ^= other >> 29;
        }
        return {one, other, slack, touching_};
    }

    Stakes list(Prefixes& prefixes, std::size_t step, bool complete) {
        Stakes stakes;
        OwnedRows lists;  // for each group, its rows
        lists.offsets.push_back(0);
        stakes.touched.offsets.push_back(0);
        for (std::size_t g = 0; g < firsts_.size(); g += step) {
            if (g % 1024 == 0) tick_();
            const std::size_t x = firsts_[g];
            restrict_to_candidates(prefixes.rows_of(task_.others.row(x)), x);
            for (std::size_t w = 0; w < stride_; ++w)
                for (Word left = limited_[w]; left; left &= left - 1)
                    lists.items.push_back(static_cast<std::int32_t>(w * bits_per_word + std::countr_zero(left)));
            lists.offsets.push_back(static_cast<std::int64_t>(lists.items.size()));
            std::ranges::copy(touching_, stakes.touched.items.extend(touching_.size()));
            stakes.touched.offsets.push_back(static_cast<std::int64_t>(stakes.touched.items.size()));
            stakes.firsts.push_back(static_cast<std::int64_t>(x));
            stakes.weights.push_back(weights_[g]);
            stakes.slacks.push_back(task_.supports[x] - task_.sigma);
        }
        stakes.groups = invert({{lists.offsets.data(), lists.offsets.size()}, {lists.items.data(), lists.items.size()}},
                               rows_.size(), tick_);
        std::ranges::copy(rows_, stakes.rows.extend(rows_.size()));
        stakes.complete = complete;
        return stakes;
    }

    const Staked& task_;
    const Tick& tick_;
    std::vector<std::int32_t> rows_, place_;     // the sensitive rows, and each row's place among them
    Words bitmaps_;                              // for each item, its sensitive rows
    std::vector<std::vector<Word>> candidates_;  // for each restrictive item, the rows with a pattern that has it
    std::size_t stride_ = 0;                     // words of a bitmap
    Words memory_;                               // of the next two
    Word* limited_ = nullptr;                    // the rows of the current itemset that matter
    Word* removable_ = nullptr;                  // the rows that may lose one of its restrictive items
    std::vector<std::int32_t> touching_;         // the restrictive items of the current itemset
    std::vector<std::size_t> firsts_;            // for each group, its first itemset
    std::vector<std::int64_t> weights_;          // for each group, its itemsets
};

}  // namespace

Stakes find_stakes(const Staked& task, const Tick& tick) {
    return Finder(task, tick).find();
}

}  // namespace discreet
