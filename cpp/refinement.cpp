#include "refinement.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "crew.hpp"

namespace discreet {

namespace {

// tid-lists of the items that occur in any target.
struct TidLists {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> rows;

    TidLists(const Rows& data, const Rows& targets, std::size_t labels) : offsets(labels + 1, 0) {
        std::vector<bool> wanted(labels, false);
        for (std::int32_t item : targets.items) wanted[item] = true;
        for (std::int32_t item : data.items) offsets[item + 1] += wanted[item];
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        rows.resize(offsets.back());
        std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
        for (std::size_t r = 0; r < data.count(); ++r)
            for (std::int32_t item : data.row(r))
                if (wanted[item]) rows[next[item]++] = static_cast<std::uint32_t>(r);
    }

    std::size_t length(std::int32_t item) const { return offsets[item + 1] - offsets[item]; }
    std::span<const std::uint32_t> of(std::int32_t item) const { return {rows.data() + offsets[item], length(item)}; }
};

// The partition of all rows by which of the items refined by so far they contain. Class 0 are the rows without any.
class Partition {
public:
    Partition(std::size_t rows, std::span<const std::int64_t> weights, std::int64_t total)
        : class_of_(rows, 0), weights_(weights), classes_{{0, -1, total, 0}} {}

    void refine(std::int32_t item, std::span<const std::uint32_t> holders) {
        const std::size_t first_new = classes_.size();
        marks_.push_back(first_new);
        for (std::uint32_t row : holders) {
            const std::uint32_t old = class_of_[row];
            const std::int64_t weight = weights_.empty() ? 1 : weights_[row];
            if (classes_[old].child < first_new) {
                classes_[old].child = static_cast<std::uint32_t>(classes_.size());
                classes_.push_back({old, item, 0, 0});
            }
            const std::uint32_t now = classes_[old].child;
            classes_[old].count -= weight;
            classes_[now].count += weight;
            class_of_[row] = now;
        }
    }

    // Undoes the last refinement, which was by these holders.
    void undo(std::span<const std::uint32_t> holders) {
        const std::size_t first_new = marks_.back();
        marks_.pop_back();
        for (std::uint32_t row : holders) class_of_[row] = classes_[class_of_[row]].parent;
        for (std::size_t c = first_new; c < classes_.size(); ++c) {
            classes_[classes_[c].parent].count += classes_[c].count;
            classes_[classes_[c].parent].child = 0;
        }
        classes_.resize(first_new);
    }

    template <typename Visit>
    void each_group(Visit visit) const {
        for (std::size_t c = 0; c < classes_.size(); ++c)
            if (classes_[c].count > 0) visit(c, classes_[c].count);
    }

    void base(std::size_t group, std::vector<std::int32_t>& items) const {
        items.clear();
        for (; group; group = classes_[group].parent) items.push_back(classes_[group].item);
        std::ranges::sort(items);
    }

private:
    struct Class {
        std::uint32_t parent;
        std::int32_t item;
        std::int64_t count;   // rows that contain none of the later items
        std::uint32_t child;  // its part that contains the current item, if made already
    };
    std::vector<std::uint32_t> class_of_;
    std::span<const std::int64_t> weights_;
    std::vector<Class> classes_;
    std::vector<std::size_t> marks_;  // where each refinement's classes start
};

std::vector<std::int32_t> by_descending_support(std::span<const std::int32_t> items, const TidLists& lists) {
    std::vector<std::int32_t> path(items.begin(), items.end());
    std::ranges::sort(path, [&](std::int32_t a, std::int32_t b) {
        return lists.length(a) != lists.length(b) ? lists.length(a) > lists.length(b) : a < b;
    });
    return path;
}

struct FoundGroup {
    std::uint32_t target;
    std::vector<std::int32_t> base;
    std::int64_t count;
};

}  // namespace

// Targets are visited as a trie whose paths start with the most frequent items, so the long tid-lists near its root are
// scanned once for all targets that share them.
Groups refine_rows(const Rows& rows, std::span<const std::int64_t> weights, std::int64_t total, std::size_t labels,
                   const GroupTask& task) {
    const TidLists lists(rows, task.targets, labels);
    std::vector<std::vector<std::int32_t>> paths;
    for (std::size_t t = 0; t < task.targets.count(); ++t)
        paths.push_back(by_descending_support(task.targets.row(t), lists));
    std::vector<std::uint32_t> order(paths.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        return std::ranges::lexicographical_compare(paths[a], paths[b], [&](std::int32_t x, std::int32_t y) {
            return lists.length(x) != lists.length(y) ? lists.length(x) > lists.length(y) : x < y;
        });
    };
    std::ranges::sort(order, before);

    // Adjacent targets share the most items, so each thread processes a run of them at a time.
    const std::size_t run =
        std::max<std::size_t>(1, std::min<std::size_t>(256, order.size() / (4 * task.shares()) + 1));
    std::atomic<std::size_t> next{0};
    std::vector<std::vector<FoundGroup>> found(task.shares());
    run_crew(task.threads, task.stop, task.tick, [&](unsigned number) {
        Partition partition(rows.count(), weights, total);
        std::vector<std::int32_t> path;
        std::vector<std::int32_t> base;
        for (std::size_t start; (start = next.fetch_add(run)) < order.size();) {
            for (std::size_t i = start; i < std::min(order.size(), start + run); ++i) {
                if (task.stop.load(std::memory_order_relaxed)) throw Stopped{};
                const std::vector<std::int32_t>& wanted = paths[order[i]];
                const std::size_t shared = std::ranges::mismatch(path, wanted).in1 - path.begin();
                for (; path.size() > shared; path.pop_back()) partition.undo(lists.of(path.back()));
                for (std::size_t p = shared; p < wanted.size(); ++p) {
                    partition.refine(wanted[p], lists.of(wanted[p]));
                    path.push_back(wanted[p]);
                }
                partition.each_group([&](std::size_t group, std::int64_t count) {
                    if (count >= task.below) return;
                    partition.base(group, base);
                    found[number].push_back({order[i], base, count});
                });
            }
        }
    });

    std::vector<FoundGroup> all;
    for (auto& part : found) std::ranges::move(part, std::back_inserter(all));
    std::ranges::sort(all, [](const FoundGroup& a, const FoundGroup& b) {
        if (a.target != b.target) return a.target < b.target;
        if (a.base.size() != b.base.size()) return a.base.size() < b.base.size();
        return a.base < b.base;
    });
    Groups groups;
    groups.bases.offsets.push_back(0);
    for (const FoundGroup& group : all) {
        groups.targets.push_back(group.target);
        std::ranges::copy(group.base, groups.bases.items.extend(group.base.size()));
        groups.bases.offsets.push_back(static_cast<std::int64_t>(groups.bases.items.size()));
        groups.counts.push_back(group.count);
    }
    return groups;
}

}  // namespace discreet
