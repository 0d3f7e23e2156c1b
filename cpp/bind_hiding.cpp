// What discreet.hiding calls: the inverted file, and which items leave which rows.
#include "bindings.hpp"
#include "inverted.hpp"
#include "lattice.hpp"
#include "python_arrays.hpp"
#include "sanitize.hpp"

namespace discreet {

namespace {

void bind_inverted(nb::module_& m) {
    m.def(
        "invert_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::size_t labels,
           std::optional<In<std::uint8_t>> wanted) {
            OwnedRows lists;
            {
                nb::gil_scoped_release release;
                lists = invert(rows_of(offsets, items), labels, check_signals, view(wanted));
            }
            return give(lists);
        },
        "offsets"_a, "items"_a, "labels"_a, "wanted"_a.none() = nb::none());
    const auto bind_pair = [&](const char* name, Buffer<std::int32_t> (*combine)(List, List)) {
        m.def(
            name,
            [combine](In<std::int32_t> one, In<std::int32_t> other) {
                Buffer<std::int32_t> rows;
                {
                    nb::gil_scoped_release release;
                    rows = combine(view(one), view(other));
                }
                return give(rows);
            },
            "one"_a, "other"_a);
    };
    bind_pair("in_both", in_both);
    bind_pair("in_either", in_either);
    bind_pair("in_first_alone", in_first_alone);
    m.def(
        "find_holders",
        [](In<std::int64_t> list_offsets, In<std::int32_t> list_rows, In<std::int64_t> offsets,
           In<std::int32_t> items) {
            OwnedRows found;
            {
                nb::gil_scoped_release release;
                found = find_holders(rows_of(list_offsets, list_rows), rows_of(offsets, items), check_signals);
            }
            return give(found);
        },
        "list_offsets"_a, "list_rows"_a, "offsets"_a, "items"_a);
    m.def(
        "contain_any",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> pattern_offsets,
           In<std::int32_t> pattern_items, std::size_t labels) {
            Buffer<std::uint8_t> found;
            {
                nb::gil_scoped_release release;
                found = contain_any(rows_of(offsets, items), rows_of(pattern_offsets, pattern_items), labels);
            }
            return give(found);
        },
        "offsets"_a, "items"_a, "pattern_offsets"_a, "pattern_items"_a, "labels"_a);
    m.def(
        "find_free_class_sizes",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> pattern_offsets,
           In<std::int32_t> pattern_items, bool empty_closed, std::size_t labels) {
            ClassSizes sizes;
            {
                nb::gil_scoped_release release;
                sizes = find_class_sizes(rows_of(offsets, items), empty_closed, labels,
                                         rows_of(pattern_offsets, pattern_items));
            }
            return nb::make_tuple(give(sizes.high), give(sizes.low));
        },
        "offsets"_a, "items"_a, "pattern_offsets"_a, "pattern_items"_a, "empty_closed"_a, "labels"_a);
}

void bind_sanitizing(nb::module_& m) {
    m.def(
        "sanitize_rows",
        [](In<std::int64_t> found_offsets, In<std::int32_t> found_rows, In<std::int64_t> counts,
           In<std::int64_t> pattern_offsets, In<std::int32_t> pattern_items, In<std::int64_t> victim_offsets,
           In<std::int32_t> victim_items, std::optional<In<std::int32_t>> stays,
           std::optional<In<std::int32_t>> lengths, std::size_t rows, std::size_t labels, bool most_conflicts_first) {
            Removals removals;
            {
                nb::gil_scoped_release release;
                const Sanitizing task{rows_of(found_offsets, found_rows),
                                      view(counts),
                                      rows_of(pattern_offsets, pattern_items),
                                      rows_of(victim_offsets, victim_items),
                                      view(stays),
                                      view(lengths),
                                      rows,
                                      labels,
                                      most_conflicts_first};
                removals = sanitize(task, check_signals);
            }
            return nb::make_tuple(give(removals.rows), give(removals.items));
        },
        "found_offsets"_a, "found_rows"_a, nb::kw_only(), "counts"_a, "pattern_offsets"_a, "pattern_items"_a,
        "victim_offsets"_a, "victim_items"_a, "stays"_a.none(), "lengths"_a.none(), "rows"_a, "labels"_a,
        "most_conflicts_first"_a);
    m.def(
        "remove_items",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int32_t> removed_rows,
           In<std::int32_t> removed_items) {
            OwnedRows left;
            {
                nb::gil_scoped_release release;
                left = without(rows_of(offsets, items), view(removed_rows), view(removed_items));
            }
            return give(left);
        },
        "offsets"_a, "items"_a, "removed_rows"_a, "removed_items"_a);
}

}  // namespace

void bind_hiding(nb::module_& m) {
    bind_inverted(m);
    bind_sanitizing(m);
}

}  // namespace discreet
