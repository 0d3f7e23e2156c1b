#include "split_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <numeric>
#include <vector>

#include "bitmaps.hpp"
#include "crew.hpp"
#include "group_sizes.hpp"
#include "projection.hpp"

namespace discreet {

namespace {

// Collects the wanted groups of a leaf.
template <std::size_t W>
class Collector {
public:
    Collector(std::span<const std::int32_t> items, const GroupTask& task) : items_(items), task_(task) {}

    void add(std::uint32_t target, std::span<const Entry<W>> groups) {
        small_.clear();
        std::ranges::copy_if(groups, std::back_inserter(small_),
                             [&](const Entry<W>& group) { return group.value > 0 && group.value < task_.below; });
        sort(small_);
        for (const Entry<W>& group : small_) add(target, group);
    }

    // The groups of the items other than `item` of which a large enough share holds it.
    void add_shares(std::uint32_t target, std::span<const Entry<W>> groups, const Mask<W>& item) {
        small_.clear();
        having_.clear();
        for (const Entry<W>& group : groups) {
            if (group.value <= 0) continue;
            const bool held = inside(item, group.mask);
            Entry<W> rest{group.mask, group.value};
            for (std::size_t w = 0; w < W; ++w) rest.mask[w] &= ~item[w];
            small_.push_back(rest);
            if (held) having_.push_back(rest);
        }
        sort(small_);
        sort(having_);
        std::size_t at = 0;
        for (const Entry<W>& with : having_) {
            while (!same(small_[at].mask, with.mask)) ++at;
            Entry<W> group{with.mask, 0};
            for (; at < small_.size() && same(small_[at].mask, with.mask); ++at) group.value += small_[at].value;
            if (!task_.item_shares->reached(with.value, group.value)) continue;
            add(target, group);
            found.having.push_back(with.value);
        }
    }

    Groups found;

private:
    static void sort(std::vector<Entry<W>>& groups) {
        std::ranges::sort(groups,
                          [](const Entry<W>& a, const Entry<W>& b) { return canonical_before(a.mask, b.mask); });
    }

    void add(std::uint32_t target, const Entry<W>& group) {
        found.targets.push_back(target);
        for (std::size_t w = 0; w < W; ++w)
            for (Word left = group.mask[w]; left; left &= left - 1)
                found.bases.items.push_back(items_[w * bits_per_word + std::countr_zero(left)]);
        found.bases.offsets.push_back(static_cast<std::int64_t>(found.bases.items.size()));
        found.counts.push_back(group.value);
    }

    std::span<const std::int32_t> items_;  // bit -> item
    const GroupTask& task_;
    std::vector<Entry<W>> small_, having_;
};

template <std::size_t W, typename Join>
class SplitTree {
public:
    // `shared` are the items of `ItemShares`, or nothing.
    SplitTree(std::span<const std::int32_t> items, std::vector<Mask<W>> targets, std::vector<Mask<W>> shared,
              const GroupTask& task)
        : items_(items), targets_(std::move(targets)), shared_(std::move(shared)), task_(task) {}

    Groups run(std::vector<Entry<W>> entries) {
        std::vector<std::uint32_t> all(targets_.size());
        std::iota(all.begin(), all.end(), 0u);
        waiting_.push_back({std::move(all), std::move(entries)});
        unfinished_ = 1;
        std::vector<Collector<W>> collectors;
        for (unsigned number = 0; number < task_.shares(); ++number) collectors.emplace_back(items_, task_);
        run_crew(task_.threads, task_.stop, task_.tick, [&](unsigned number) { work(collectors[number]); });
        return join(collectors);
    }

private:
    struct Node {
        std::vector<std::uint32_t> targets;
        std::vector<Entry<W>> entries;
    };

    struct Scratch {
        Folder<W, Join> folder;
        std::vector<std::vector<Entry<W>>> entries;  // by depth
        std::vector<Entry<W>> groups;
        std::vector<std::int64_t> table;
    };

    // Large nodes are shared between threads; small ones are finished by their thread.
    static constexpr std::size_t worth_sharing = 1 << 15;

    void work(Collector<W>& collector) {
        Scratch scratch;
        while (true) {
            Node node;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return !waiting_.empty() || unfinished_ == 0 || task_.stop; });
                if (waiting_.empty()) return;
                node = std::move(waiting_.back());
                waiting_.pop_back();
            }
            try {
                visit(node.targets, node.entries, items_of(node.targets), collector, scratch, 0);
            } catch (...) {
                const std::lock_guard lock(mutex_);  // otherwise a thread about to wait would miss it
                task_.stop = true;
                changed_.notify_all();
                throw;
            }
            const std::lock_guard lock(mutex_);
            if (--unfinished_ == 0) changed_.notify_all();
        }
    }

    Mask<W> items_of(std::span<const std::uint32_t> targets) const {
        Mask<W> items{};
        for (std::uint32_t t : targets)
            for (std::size_t w = 0; w < W; ++w) items[w] |= targets_[t][w];
        return items;
    }

    void visit(std::span<std::uint32_t> targets, const std::vector<Entry<W>>& entries, const Mask<W>& known,
               Collector<W>& collector, Scratch& scratch, std::size_t depth) {
        if (task_.stop.load(std::memory_order_relaxed)) throw Stopped{};
        // Projecting on fewer items only merges groups of rows: if none is small here, none is small below.
        if constexpr (std::is_same_v<Join, Add>)
            if (std::ranges::none_of(entries, [&](const Entry<W>& entry) { return entry.value < task_.below; })) return;
        if (targets.size() == 1) {
            if constexpr (std::is_base_of_v<Greatest, Join>) {
                scratch.groups = entries;
                solve(targets[0], scratch.groups, scratch);
                if (task_.item_shares)
                    collector.add_shares(targets[0], scratch.groups, shared_[targets[0]]);
                else
                    collector.add(targets[0], scratch.groups);
            } else {
                collector.add(targets[0], entries);
            }
            return;
        }
        const std::uint32_t bit = splitting_bit(targets);
        const auto has = [&](std::uint32_t t) { return has_bit(targets_[t].data(), bit); };
        const auto middle = std::partition(targets.begin(), targets.end(), has);
        const auto with = static_cast<std::size_t>(middle - targets.begin());
        for (const auto part : {targets.first(with), targets.subspan(with)}) {
            const Mask<W> keep = items_of(part);
            if (same(keep, known)) {
                visit(part, entries, keep, collector, scratch, depth);
            } else if (part.size() * entries.size() > worth_sharing && depth < 6 && task_.threads > 1) {
                Node node{{part.begin(), part.end()}, {}};
                scratch.folder.fold(entries, keep, node.entries);
                const std::lock_guard lock(mutex_);
                ++unfinished_;
                waiting_.push_back(std::move(node));
                changed_.notify_one();
            } else {
                if (scratch.entries.size() <= depth) scratch.entries.resize(depth + 1);
                std::vector<Entry<W>> folded = std::move(scratch.entries[depth]);
                scratch.folder.fold(entries, keep, folded);
                visit(part, folded, keep, collector, scratch, depth + 1);
                scratch.entries[depth] = std::move(folded);  // reuse its memory for the next node of this depth
            }
        }
    }

    // The item that about half of the itemsets contain, so that both halves have fewer items.
    std::uint32_t splitting_bit(std::span<const std::uint32_t> targets) const {
        std::array<std::uint32_t, W * bits_per_word> holders{};
        for (std::uint32_t t : targets)
            for (std::size_t w = 0; w < W; ++w)
                for (Word left = targets_[t][w]; left; left &= left - 1)
                    ++holders[w * bits_per_word + std::countr_zero(left)];
        std::uint32_t best = 0;
        std::size_t best_smaller = 0;
        for (std::uint32_t bit = 0; bit < holders.size(); ++bit) {
            const std::size_t smaller = std::min<std::size_t>(holders[bit], targets.size() - holders[bit]);
            if (smaller > best_smaller) best_smaller = smaller, best = bit;
        }
        return best;
    }

    void solve(std::uint32_t target, std::vector<Entry<W>>& closed, Scratch& scratch) const {
        std::vector<std::uint32_t> bits;
        for (std::size_t w = 0; w < W; ++w)
            for (Word left = targets_[target][w]; left; left &= left - 1)
                bits.push_back(static_cast<std::uint32_t>(w * bits_per_word + std::countr_zero(left)));
        if constexpr (std::is_same_v<Join, GreatestOnBorder>)
            solve_transform<W, true>(closed, bits, target, scratch.table);
        else if (bits.size() < 20 && 2 * bits.size() << bits.size() < closed.size() * closed.size() / 2)
            solve_transform<W, false>(closed, bits, target, scratch.table);
        else
            solve_triangular(closed, target);
    }

    // Concatenates by target; within a target, groups are already sorted.
    Groups join(std::vector<Collector<W>>& collectors) const {
        struct Run {
            std::uint32_t target;
            std::uint32_t from;
            std::size_t first, last;
        };
        std::vector<Run> runs;
        for (std::uint32_t from = 0; from < collectors.size(); ++from) {
            const Groups& found = collectors[from].found;
            for (std::size_t first = 0; first < found.targets.size();) {
                std::size_t last = first;
                while (last < found.targets.size() && found.targets[last] == found.targets[first]) ++last;
                runs.push_back({found.targets[first], from, first, last});
                first = last;
            }
        }
        std::ranges::sort(runs, {}, &Run::target);
        Groups all;
        all.bases.offsets.push_back(0);
        for (const Run& run : runs) {
            const Groups& found = collectors[run.from].found;
            for (std::size_t g = run.first; g < run.last; ++g) {
                const std::int64_t start = g ? found.bases.offsets[g - 1] : 0;
                std::copy(found.bases.items.data() + start, found.bases.items.data() + found.bases.offsets[g],
                          all.bases.items.extend(found.bases.offsets[g] - start));
                all.bases.offsets.push_back(static_cast<std::int64_t>(all.bases.items.size()));
                all.targets.push_back(run.target);
                all.counts.push_back(found.counts[g]);
                if (task_.item_shares) all.having.push_back(found.having[g]);
            }
        }
        return all;
    }

    std::span<const std::int32_t> items_;
    std::vector<Mask<W>> targets_;
    std::vector<Mask<W>> shared_;
    const GroupTask& task_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Node> waiting_;
    std::size_t unfinished_ = 0;
};

template <std::size_t W, typename Join, typename Value>
Groups split(const Bits& bits, const Rows& rows, Value value, std::int64_t empty, const GroupTask& task) {
    std::vector<Mask<W>> targets, shared;
    for (std::size_t t = 0; t < task.targets.count(); ++t) targets.push_back(bits.mask<W>(task.targets.row(t)));
    if (task.item_shares)
        for (const std::int32_t& item : task.item_shares->items) shared.push_back(bits.mask<W>(std::span(&item, 1)));
    // Each thread folds its share of the rows, and then all shares are folded together.
    std::vector<std::vector<Entry<W>>> shares(task.shares());
    run_crew(task.threads, task.stop, task.tick, [&](unsigned number) {
        const std::size_t first = rows.count() * number / task.shares();
        const std::size_t last = rows.count() * (number + 1) / task.shares();
        shares[number] = fold_masks<W, Join>(bits, rows, value, first, last, task.stop);
    });
    std::vector<Entry<W>> entries = std::move(shares[0]);
    if (empty) entries.push_back({Mask<W>{}, empty});
    for (std::size_t share = 1; share < shares.size(); ++share)
        entries.insert(entries.end(), shares[share].begin(), shares[share].end());
    Folder<W, Join> folder;
    std::vector<Entry<W>> folded;
    folder.fold(entries, everything<W>(), folded);
    return SplitTree<W, Join>(bits.items, std::move(targets), std::move(shared), task).run(std::move(folded));
}

template <typename Join>
constexpr std::size_t most_items = std::is_same_v<Join, GreatestOnBorder> ? most_border_items : most_split_items;

template <typename Join, typename Value>
Groups split_batch(const Rows& rows, Value value, std::int64_t empty, const GroupTask& task) {
    const Bits bits(task.targets);
    const std::size_t words = words_for(bits.items.size());
    if (words <= 1) return split<1, Join>(bits, rows, value, empty, task);
    if (words <= 2) return split<2, Join>(bits, rows, value, empty, task);
    if constexpr (most_items<Join> <= 4 * bits_per_word) {  // no batch has more, and code for more would be dead weight
        return split<4, Join>(bits, rows, value, empty, task);
    } else {
        if (words <= 4) return split<4, Join>(bits, rows, value, empty, task);
        if (words <= 16) return split<16, Join>(bits, rows, value, empty, task);
        return split<most_split_items / bits_per_word, Join>(bits, rows, value, empty, task);
    }
}

// Targets in batches that together have few enough items for short masks; one target alone may have more.
template <typename Join, typename Value>
Groups split_any(const Rows& rows, Value value, std::int64_t empty, const GroupTask& task) {
    constexpr std::size_t batch_items = (most_items<Join> <= 4 * bits_per_word ? 4 : 16) * bits_per_word;
    Groups all;
    all.bases.offsets.push_back(0);
    std::vector<std::uint32_t> seen;  // item -> the last batch that contained it
    std::uint32_t batch = 0;
    for (std::size_t first = 0; first < task.targets.count();) {
        ++batch;
        std::size_t last = first;
        for (std::size_t items = 0; last < task.targets.count(); ++last) {
            const auto target = task.targets.row(last);
            if (target.size() > most_items<Join>) throw TooLong();
            if (!target.empty() && static_cast<std::size_t>(target.back()) >= seen.size())
                seen.resize(target.back() + 1);
            items += std::ranges::count_if(target, [&](std::int32_t item) { return seen[item] != batch; });
            if (last > first && items > batch_items) break;
            for (std::int32_t item : target) seen[item] = batch;
        }
        std::vector<std::int64_t> offsets;
        for (std::size_t t = first; t <= last; ++t)
            offsets.push_back(task.targets.offsets[t] - task.targets.offsets[first]);
        const auto start = task.targets.offsets[first];
        GroupTask part = task;
        part.targets = {offsets, task.targets.items.subspan(start, offsets.back())};
        ItemShares shares = task.item_shares ? *task.item_shares : ItemShares{};
        if (task.item_shares) {
            shares.items = shares.items.subspan(first, last - first);
            part.item_shares = &shares;
        }
        Groups groups;
        try {
            groups = split_batch<Join>(rows, value, empty, part);
        } catch (const Inconsistent& fault) {
            throw Inconsistent(fault.target + first);
        }
        const std::int64_t before = static_cast<std::int64_t>(all.bases.items.size());
        for (std::uint32_t target : std::span(groups.targets.data(), groups.targets.size()))
            all.targets.push_back(target + static_cast<std::uint32_t>(first));
        for (std::int64_t offset : std::span(groups.bases.offsets.data(), groups.bases.offsets.size()).subspan(1))
            all.bases.offsets.push_back(offset + before);
        std::copy(groups.bases.items.begin(), groups.bases.items.end(),
                  all.bases.items.extend(groups.bases.items.size()));
        std::copy(groups.counts.begin(), groups.counts.end(), all.counts.extend(groups.counts.size()));
        std::copy(groups.having.begin(), groups.having.end(), all.having.extend(groups.having.size()));
        first = last;
    }
    return all;
}

}  // namespace

Groups split_rows(const Rows& rows, std::span<const std::int64_t> weights, const GroupTask& task) {
    return split_any<Add>(rows, [&](std::size_t r) { return weights.empty() ? 1 : weights[r]; }, 0, task);
}

Groups split_patterns(const Rows& patterns, std::span<const std::int64_t> supports, std::int64_t total, bool border,
                      const GroupTask& task) {
    const auto support = [&](std::size_t p) { return supports[p]; };
    if (border) return split_any<GreatestOnBorder>(patterns, support, total, task);
    return split_any<Greatest>(patterns, support, total, task);
}

}  // namespace discreet
