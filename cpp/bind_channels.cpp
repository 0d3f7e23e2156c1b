// What discreet.channels calls: groups of rows, and blocking.
#include "bindings.hpp"
#include "cover.hpp"
#include "groups.hpp"
#include "lattice.hpp"
#include "python_arrays.hpp"

namespace discreet {

namespace {

template <typename Find>
nb::tuple find_groups(const In<std::int64_t>& offsets, const In<std::int32_t>& items, std::int64_t below,
                      unsigned threads, Find find) {
    std::atomic<bool> stop{false};
    const std::function<void()> tick = check_signals;
    const GroupTask task{rows_of(offsets, items), below, threads, stop, tick};
    Groups groups;
    {
        nb::gil_scoped_release release;
        groups = find(task);
    }
    return nb::make_tuple(give(groups.targets), give(groups.offsets), give(groups.bases), give(groups.counts));
}

void bind_groups(nb::module_& m) {
    nb::exception<TooLong>(m, "TooLong", PyExc_ValueError);
    m.def(
        "split_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           In<std::int64_t> target_offsets, In<std::int32_t> target_items, std::int64_t below, unsigned threads) {
            return find_groups(target_offsets, target_items, below, threads, [&](const GroupTask& task) {
                return split_rows(rows_of(offsets, items), view(weights), task);
            });
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "target_offsets"_a, "target_items"_a, "below"_a, "threads"_a);
    m.def(
        "refine_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           std::int64_t total, std::size_t labels, In<std::int64_t> target_offsets, In<std::int32_t> target_items,
           std::int64_t below, unsigned threads) {
            return find_groups(target_offsets, target_items, below, threads, [&](const GroupTask& task) {
                return refine_rows(rows_of(offsets, items), view(weights), total, labels, task);
            });
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "total"_a, "labels"_a, "target_offsets"_a, "target_items"_a,
        "below"_a, "threads"_a);
    m.def(
        "split_patterns",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> supports, std::int64_t total, bool border,
           In<std::int64_t> target_offsets, In<std::int32_t> target_items, std::int64_t below,
           unsigned threads) -> nb::object {
            try {
                return find_groups(target_offsets, target_items, below, threads, [&](const GroupTask& task) {
                    return split_patterns(rows_of(offsets, items), view(supports), total, border, task);
                });
            } catch (const Inconsistent& fault) {
                return nb::int_(fault.target);
            }
        },
        "offsets"_a, "items"_a, "supports"_a, "total"_a, "border"_a, "target_offsets"_a, "target_items"_a, "below"_a,
        "threads"_a);
    m.def(
        "find_exposed",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::size_t labels, In<std::int64_t> full_offsets,
           In<std::int32_t> full_items, In<std::int64_t> which, In<std::int64_t> base_offsets,
           In<std::int32_t> base_items, unsigned threads) {
            std::atomic<bool> stop{false};
            const std::function<void()> tick = check_signals;
            const NamedGroups groups{rows_of(full_offsets, full_items), view(which), rows_of(base_offsets, base_items)};
            Buffer<std::uint8_t> exposed;
            {
                nb::gil_scoped_release release;
                exposed = find_exposed(rows_of(offsets, items), groups, labels, threads, stop, tick);
            }
            return give(exposed);
        },
        "offsets"_a, "items"_a, "labels"_a, "full_offsets"_a, "full_items"_a, "which"_a, "base_offsets"_a,
        "base_items"_a, "threads"_a);
}

void bind_blocking(nb::module_& m) {
    m.def(
        "cover_channels",
        [](In<std::int64_t> candidate_offsets, In<std::int32_t> candidate_items, In<std::int64_t> base_offsets,
           In<std::int32_t> base_items, In<std::int64_t> full_offsets, In<std::int32_t> full_items,
           std::uint64_t most_steps) {
            std::vector<std::int64_t> chosen;
            {
                nb::gil_scoped_release release;
                chosen = cover_channels({rows_of(candidate_offsets, candidate_items), rows_of(base_offsets, base_items),
                                         rows_of(full_offsets, full_items), most_steps},
                                        check_signals);
            }
            return chosen;
        },
        "candidate_offsets"_a, "candidate_items"_a, "base_offsets"_a, "base_items"_a, "full_offsets"_a, "full_items"_a,
        "most_steps"_a);
    m.def(
        "merge_in_order",
        [](In<std::int64_t> base_offsets, In<std::int32_t> base_items, In<std::int64_t> full_offsets,
           In<std::int32_t> full_items) {
            OwnedRows merged;
            {
                nb::gil_scoped_release release;
                merged =
                    merge_in_order(rows_of(base_offsets, base_items), rows_of(full_offsets, full_items), check_signals);
            }
            return give(merged);
        },
        "base_offsets"_a, "base_items"_a, "full_offsets"_a, "full_items"_a);
    m.def(
        "merge_covered",
        [](In<std::int64_t> candidate_offsets, In<std::int32_t> candidate_items, In<std::int64_t> base_offsets,
           In<std::int32_t> base_items, In<std::int64_t> full_offsets, In<std::int32_t> full_items) {
            OwnedRows merged;
            {
                nb::gil_scoped_release release;
                merged = merge_covered(rows_of(candidate_offsets, candidate_items), rows_of(base_offsets, base_items),
                                       rows_of(full_offsets, full_items), check_signals);
            }
            return give(merged);
        },
        "candidate_offsets"_a, "candidate_items"_a, "base_offsets"_a, "base_items"_a, "full_offsets"_a, "full_items"_a);
    m.def(
        "find_class_sizes",
        [](In<std::int64_t> offsets, In<std::int32_t> items, bool empty_closed, std::size_t labels) {
            ClassSizes sizes;
            {
                nb::gil_scoped_release release;
                sizes = find_class_sizes(rows_of(offsets, items), empty_closed, labels);
            }
            return nb::make_tuple(give(sizes.high), give(sizes.low));
        },
        "offsets"_a, "items"_a, "empty_closed"_a, "labels"_a);
    m.def(
        "find_supports",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> known_offsets,
           In<std::int32_t> known_items, In<std::int64_t> supports, std::size_t labels) {
            Buffer<std::int64_t> found;
            {
                nb::gil_scoped_release release;
                found =
                    find_supports(rows_of(offsets, items), rows_of(known_offsets, known_items), view(supports), labels);
            }
            return give(found);
        },
        "offsets"_a, "items"_a, "known_offsets"_a, "known_items"_a, "supports"_a, "labels"_a);
    m.def(
        "count_supersets",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> larger_offsets,
           In<std::int32_t> larger_items, std::optional<In<std::int64_t>> weights, std::size_t labels) {
            Buffer<std::int64_t> counts;
            {
                nb::gil_scoped_release release;
                counts = count_supersets(rows_of(offsets, items), rows_of(larger_offsets, larger_items), view(weights),
                                         labels);
            }
            return give(counts);
        },
        "offsets"_a, "items"_a, "larger_offsets"_a, "larger_items"_a, "weights"_a.none(), "labels"_a);
}

}  // namespace

void bind_channels(nb::module_& m) {
    bind_groups(m);
    bind_blocking(m);
}

}  // namespace discreet
