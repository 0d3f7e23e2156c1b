// Bindings for discreet.patterns: mining, and the lattice of itemsets.
#include <nanobind/stl/pair.h>

#include <limits>

#include "bindings.hpp"
#include "bitmaps.hpp"
#include "interval_channels.hpp"
#include "lattice.hpp"
#include "maximal.hpp"
#include "mining.hpp"
#include "python_arrays.hpp"

namespace discreet {

namespace {

Target target_named(const std::string& name) {
    return name == "all" ? Target::all : name == "closed" ? Target::closed : Target::maximal;
}

RowLayout layout_named(const std::string& name) {
    return name == "bitmaps" ? RowLayout::bitmaps : name == "lists" ? RowLayout::lists : RowLayout::automatic;
}

// Mines while Python hears of progress and of Ctrl-C.
Mined watched_mine(const MiningTask& task, Watch& watch, const nb::object& progress) {
    const auto tick = [&] {
        nb::gil_scoped_acquire acquire;
        check_signals();
        if (!progress.is_none()) progress(static_cast<double>(watch.done) / watch.total, watch.found.load());
    };
    return released([&] { return mine(task, watch, tick); });
}

void bind_mining(nb::module_& m) {
    nb::exception<TooLarge>(m, "TooLarge", PyExc_ValueError);
    bind_numbered<TooMany, &TooMany::found>(m, "TooMany");
    m.def(
        "mine",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total, std::int64_t sigma,
           std::size_t labels, const std::string& target, std::size_t cap, std::uint64_t max_patterns,
           std::uint64_t max_bytes, unsigned threads, const std::string& layout, nb::object progress) {
            Watch watch;
            Mined mined = watched_mine({rows, view(weights), total, sigma, labels, target_named(target), cap,
                                        max_patterns, max_bytes, threads, layout_named(layout)},
                                       watch, progress);
            return nb::make_tuple(give(std::move(mined.itemsets)), give(std::move(mined.supports)));
        },
        "rows"_a, "weights"_a.none(), "total"_a, "sigma"_a, "labels"_a, "target"_a, "cap"_a, "max_patterns"_a,
        "max_bytes"_a, "threads"_a, "layout"_a, "progress"_a.none());
    m.def(
        "count_closed",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total, std::int64_t sigma,
           std::size_t labels, std::uint64_t max_patterns, std::uint64_t most_singly, unsigned threads,
           const std::string& layout, nb::object progress) {
            Watch watch;
            constexpr std::size_t no_cap = std::numeric_limits<std::size_t>::max();
            constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
            watched_mine({rows, view(weights), total, sigma, labels, Target::closed, no_cap, max_patterns, no_limit,
                          threads, layout_named(layout), false, most_singly},
                         watch, progress);
            return watch.found.load();
        },
        "rows"_a, "weights"_a.none(), "total"_a, "sigma"_a, "labels"_a, "max_patterns"_a, "most_singly"_a, "threads"_a,
        "layout"_a, "progress"_a.none());
    m.def("cpu", [] { return bitmap_loops().name; });
}

void bind_lattice(nb::module_& m) {
    m.def(
        "closed_under_intersection",
        [](const Rows& itemsets, In<std::int64_t> supports, std::size_t labels) {
            return released([&] { return closed_under_intersection(itemsets, view(supports), labels); });
        },
        "itemsets"_a, "supports"_a, "labels"_a);
    nb::exception<LatticeTooLarge>(m, "LatticeTooLarge", PyExc_ValueError);
    m.def(
        "one_item_less",
        [](const Rows& itemsets, std::size_t labels) {
            return give(released([&] { return one_item_less(itemsets, labels); }));
        },
        "itemsets"_a, "labels"_a);
    m.def(
        "find_contradiction",
        [](const Rows& itemsets, In<std::int64_t> lows, In<std::int64_t> highs,
           std::size_t labels) -> std::optional<std::pair<std::int32_t, std::int32_t>> {
            const Contradiction found =
                released([&] { return find_contradiction(itemsets, view(lows), view(highs), labels, check_signals); });
            if (found.larger == not_listed) return std::nullopt;
            return std::pair(found.larger, found.smaller);
        },
        "itemsets"_a, "lows"_a, "highs"_a, "labels"_a);
    m.def(
        "find_maximal",
        [](const Rows& itemsets, std::size_t labels) {
            return give(released([&] { return find_maximal(itemsets, labels); }));
        },
        "itemsets"_a, "labels"_a);
    m.def(
        "find_lowest_maximal",
        [](const Rows& itemsets, In<std::int32_t> levels, std::size_t labels) {
            return give(released([&] { return find_lowest_maximal(itemsets, view(levels), labels); }));
        },
        "itemsets"_a, "levels"_a, "labels"_a);
    m.def(
        "find_closed",
        [](const Rows& itemsets, In<std::int64_t> supports, std::size_t labels) {
            return give(released([&] { return find_closed(itemsets, view(supports), labels); }));
        },
        "itemsets"_a, "supports"_a, "labels"_a);
    m.def(
        "find_border",
        [](const Rows& itemsets, std::size_t labels, std::size_t most, std::optional<In<std::int64_t>> item_supports,
           std::int64_t total) {
            std::int64_t passed_over = 0;
            OwnedRows border =
                released([&] { return find_border(itemsets, labels, most, view(item_supports), total, passed_over); });
            return nb::make_tuple(give(std::move(border)), passed_over);
        },
        "itemsets"_a, "labels"_a, "most"_a, "item_supports"_a.none(), "total"_a);
    m.def(
        "find_interval_channels",
        [](const Rows& itemsets, std::size_t labels, In<std::int64_t> lows, In<std::int64_t> highs, std::int64_t total,
           std::int64_t k, bool exact) {
            IntervalChannels channels = released(
                [&] { return find_interval_channels(itemsets, labels, view(lows), view(highs), total, k, exact); });
            return nb::make_tuple(give(std::move(channels.fulls)), give(std::move(channels.bases)),
                                  give(std::move(channels.lows)), give(std::move(channels.highs)));
        },
        "itemsets"_a, "labels"_a, "lows"_a, "highs"_a, "total"_a, "k"_a, "exact"_a);
}

}  // namespace

void bind_patterns(nb::module_& m) {
    bind_mining(m);
    bind_lattice(m);
}

}  // namespace discreet
