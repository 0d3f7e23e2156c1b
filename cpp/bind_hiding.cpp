// Bindings for discreet.hiding: the inverted file, and the items to remove from rows.
#include "bindings.hpp"
#include "inverted.hpp"
#include "python_arrays.hpp"
#include "rowwise.hpp"
#include "sanitize.hpp"
#include "stakes.hpp"

namespace discreet {

namespace {

void bind_inverted(nb::module_& m) {
    m.def(
        "invert_rows",
        [](const Rows& rows, std::size_t labels, std::optional<In<std::uint8_t>> wanted) {
            return give(released([&] { return invert(rows, labels, check_signals, view(wanted)); }));
        },
        "rows"_a, "labels"_a, "wanted"_a.none() = nb::none());
    const auto bind_pair = [&](const char* name, Buffer<std::int32_t> (*combine)(List, List)) {
        m.def(
            name,
            [combine](In<std::int32_t> one, In<std::int32_t> other) {
                return give(released([&] { return combine(view(one), view(other)); }));
            },
            "one"_a, "other"_a);
    };
    bind_pair("in_both", in_both);
    bind_pair("in_either", in_either);
    bind_pair("in_first_alone", in_first_alone);
    m.def(
        "find_holders",
        [](const Rows& lists, const Rows& itemsets) {
            return give(released([&] { return find_holders(lists, itemsets, check_signals); }));
        },
        "lists"_a, "itemsets"_a);
    m.def(
        "contain_any",
        [](const Rows& itemsets, const Rows& patterns, std::size_t labels) {
            return give(released([&] { return contain_any(itemsets, patterns, labels); }));
        },
        "itemsets"_a, "patterns"_a, "labels"_a);
}

void bind_sanitizing(nb::module_& m) {
    m.def(
        "sanitize_rows",
        [](const Rows& found, In<std::int64_t> counts, const Rows& patterns, const Rows& victims,
           std::optional<In<std::int32_t>> stays, std::optional<In<std::int32_t>> lengths, std::size_t rows,
           std::size_t labels, bool most_conflicts_first) {
            const Sanitizing task{found,  view(counts),        patterns, victims, view(stays), view(lengths), rows,
                                  labels, most_conflicts_first};
            Removals removals = released([&] { return sanitize(task, check_signals); });
            return nb::make_tuple(give(std::move(removals.rows)), give(std::move(removals.items)));
        },
        "found"_a, nb::kw_only(), "counts"_a, "patterns"_a, "victims"_a, "stays"_a.none(), "lengths"_a.none(), "rows"_a,
        "labels"_a, "most_conflicts_first"_a);
    m.def(
        "remove_items",
        [](const Rows& rows, In<std::int32_t> removed_rows, In<std::int32_t> removed_items) {
            return give(released([&] { return without(rows, view(removed_rows), view(removed_items)); }));
        },
        "rows"_a, "removed_rows"_a, "removed_items"_a);
}

void bind_row_choice(nb::module_& m) {
    m.def(
        "find_stakes",
        [](const Rows& rows, const Rows& found, const Rows& patterns, const Rows& others, In<std::int64_t> supports,
           std::int64_t sigma, std::size_t labels, std::int64_t most) {
            const Staked task{rows, found, patterns, others, view(supports), sigma, labels, most};
            Stakes stakes = released([&] { return find_stakes(task, check_signals); });
            return nb::make_tuple(give(std::move(stakes.rows)), give(std::move(stakes.groups)),
                                  give(std::move(stakes.touched)), give(std::move(stakes.firsts)),
                                  give(std::move(stakes.weights)), give(std::move(stakes.slacks)), stakes.complete);
        },
        "rows"_a, nb::kw_only(), "found"_a, "patterns"_a, "others"_a, "supports"_a, "sigma"_a, "labels"_a, "most"_a);
    m.def(
        "choose_by_row",
        [](In<std::int32_t> rows, const Rows& groups, const Rows& touched, In<std::int64_t> weights,
           In<std::int64_t> slacks, const Rows& found, In<std::int64_t> counts, const Rows& patterns,
           const Rows& starts, In<std::int64_t> spared, std::int64_t sigma, std::int64_t steps, std::size_t all_rows,
           std::size_t labels) {
            const RowChoice task{view(rows), groups, touched,      view(weights), view(slacks), found,    view(counts),
                                 patterns,   starts, view(spared), sigma,         steps,        all_rows, labels};
            Removals removals = released([&] { return choose_by_row(task, check_signals); });
            return nb::make_tuple(give(std::move(removals.rows)), give(std::move(removals.items)));
        },
        "rows"_a, nb::kw_only(), "groups"_a, "touched"_a, "weights"_a, "slacks"_a, "found"_a, "counts"_a, "patterns"_a,
        "starts"_a, "spared"_a, "sigma"_a, "steps"_a, "all_rows"_a, "labels"_a);
}

}  // namespace

void bind_hiding(nb::module_& m) {
    bind_inverted(m);
    bind_sanitizing(m);
    bind_row_choice(m);
}

}  // namespace discreet
