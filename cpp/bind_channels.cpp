// Bindings for discreet.channels: groups of rows, and blocking.
#include "bindings.hpp"
#include "cover.hpp"
#include "exposed.hpp"
#include "lattice.hpp"
#include "python_arrays.hpp"
#include "refinement.hpp"
#include "split_tree.hpp"
#include "supersets.hpp"

namespace discreet {

namespace {

template <typename Find>
nb::tuple find_groups(const Rows& targets, std::int64_t below, unsigned threads, Find find) {
    std::atomic<bool> stop{false};
    const std::function<void()> tick = check_signals;
    const GroupTask task{targets, below, threads, stop, tick};
    Groups groups = released([&] { return find(task); });
    return nb::make_tuple(give(std::move(groups.targets)), give(std::move(groups.bases)),
                          give(std::move(groups.counts)));
}

void bind_groups(nb::module_& m) {
    nb::exception<TooLong>(m, "TooLong", PyExc_ValueError);
    bind_numbered<Inconsistent, &Inconsistent::target>(m, "Inconsistent");
    m.def(
        "split_rows",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, const Rows& targets, std::int64_t below,
           unsigned threads) {
            return find_groups(targets, below, threads,
                               [&](const GroupTask& task) { return split_rows(rows, view(weights), task); });
        },
        "rows"_a, "weights"_a.none(), "targets"_a, "below"_a, "threads"_a);
    m.def(
        "refine_rows",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total, std::size_t labels,
           const Rows& targets, std::int64_t below, unsigned threads) {
            return find_groups(targets, below, threads, [&](const GroupTask& task) {
                return refine_rows(rows, view(weights), total, labels, task);
            });
        },
        "rows"_a, "weights"_a.none(), "total"_a, "labels"_a, "targets"_a, "below"_a, "threads"_a);
    m.def(
        "split_patterns",
        [](const Rows& itemsets, In<std::int64_t> supports, std::int64_t total, bool border, const Rows& targets,
           std::int64_t below, unsigned threads) {
            return find_groups(targets, below, threads, [&](const GroupTask& task) {
                return split_patterns(itemsets, view(supports), total, border, task);
            });
        },
        "itemsets"_a, "supports"_a, "total"_a, "border"_a, "targets"_a, "below"_a, "threads"_a);
    m.def(
        "split_shares",
        [](const Rows& itemsets, In<std::int64_t> supports, std::int64_t total, const Rows& targets,
           In<std::int32_t> items, std::int64_t above, std::int64_t below, unsigned threads) {
            std::atomic<bool> stop{false};
            const std::function<void()> tick = check_signals;
            const ItemShares shares{view(items), above, below};
            const GroupTask task{targets, 0, threads, stop, tick, &shares};
            Groups groups = released([&] { return split_patterns(itemsets, view(supports), total, false, task); });
            return nb::make_tuple(give(std::move(groups.targets)), give(std::move(groups.bases)),
                                  give(std::move(groups.counts)), give(std::move(groups.having)));
        },
        "itemsets"_a, "supports"_a, "total"_a, "targets"_a, "items"_a, "above"_a, "below"_a, "threads"_a);
    m.def(
        "find_exposed",
        [](const Rows& rows, std::size_t labels, const Rows& fulls, In<std::int64_t> which, const Rows& bases,
           unsigned threads) {
            std::atomic<bool> stop{false};
            const std::function<void()> tick = check_signals;
            return give(
                released([&] { return find_exposed(rows, {fulls, view(which), bases}, labels, threads, stop, tick); }));
        },
        "rows"_a, "labels"_a, "fulls"_a, "which"_a, "bases"_a, "threads"_a);
}

void bind_blocking(nb::module_& m) {
    m.def(
        "cover_channels",
        [](const Rows& candidates, const Rows& bases, const Rows& fulls, std::uint64_t most_steps) {
            return released([&] { return cover_channels({candidates, bases, fulls, most_steps}, check_signals); });
        },
        "candidates"_a, "bases"_a, "fulls"_a, "most_steps"_a);
    m.def(
        "merge_in_order",
        [](const Rows& bases, const Rows& fulls) {
            return give(released([&] { return merge_in_order(bases, fulls, check_signals); }));
        },
        "bases"_a, "fulls"_a);
    m.def(
        "merge_covered",
        [](const Rows& candidates, const Rows& bases, const Rows& fulls) {
            return give(released([&] { return merge_covered(candidates, bases, fulls, check_signals); }));
        },
        "candidates"_a, "bases"_a, "fulls"_a);
    m.def(
        "find_class_sizes",
        [](const Rows& itemsets, bool empty_closed, std::size_t labels, const std::optional<HeldRows>& without) {
            ClassSizes sizes = released(
                [&] { return find_class_sizes(itemsets, empty_closed, labels, without ? without->rows() : Rows{}); });
            return nb::make_tuple(give(std::move(sizes.high)), give(std::move(sizes.low)));
        },
        "itemsets"_a, "empty_closed"_a, "labels"_a, "without"_a.none() = nb::none());
    m.def(
        "find_supports",
        [](const Rows& wanted, const Rows& known, In<std::int64_t> supports, std::size_t labels) {
            return give(released([&] { return find_supports(wanted, known, view(supports), labels); }));
        },
        "wanted"_a, "known"_a, "supports"_a, "labels"_a);
    m.def(
        "count_supersets",
        [](const Rows& itemsets, const Rows& larger, std::optional<In<std::int64_t>> weights, std::size_t labels,
           std::optional<bool> around_rarest) {
            const auto count = !around_rarest   ? count_supersets
                               : *around_rarest ? count_around_rarest
                                                : count_by_prefixes;
            return give(released([&] { return count(itemsets, larger, view(weights), labels); }));
        },
        "itemsets"_a, "larger"_a, "weights"_a.none(), "labels"_a, "around_rarest"_a = nb::none());
}

}  // namespace

void bind_channels(nb::module_& m) {
    bind_groups(m);
    bind_blocking(m);
}

}  // namespace discreet
