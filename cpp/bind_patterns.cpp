// What discreet.patterns calls: mining, and the lattice of itemsets.
#include <nanobind/stl/pair.h>

#include "bindings.hpp"
#include "bitmaps.hpp"
#include "lattice.hpp"
#include "mining.hpp"
#include "python_arrays.hpp"

namespace discreet {

namespace {

void bind_mining(nb::module_& m) {
    nb::exception<TooLarge>(m, "TooLarge", PyExc_ValueError);
    m.def(
        "mine",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           std::int64_t total, std::int64_t sigma, std::size_t labels, const std::string& target, std::size_t cap,
           std::uint64_t max_patterns, std::uint64_t max_bytes, unsigned threads, const std::string& layout,
           nb::object progress) -> nb::object {
            const MiningTask task{rows_of(offsets, items),
                                  view(weights),
                                  total,
                                  sigma,
                                  labels,
                                  target == "all"      ? Target::all
                                  : target == "closed" ? Target::closed
                                                       : Target::maximal,
                                  cap,
                                  max_patterns,
                                  max_bytes,
                                  threads,
                                  layout == "bitmaps" ? RowLayout::bitmaps
                                  : layout == "lists" ? RowLayout::lists
                                                      : RowLayout::automatic};
            Watch watch;
            const auto tick = [&] {
                nb::gil_scoped_acquire acquire;
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                if (!progress.is_none()) progress(static_cast<double>(watch.done) / watch.total, watch.found.load());
            };
            Itemsets result;
            try {
                nb::gil_scoped_release release;
                result = mine(task, watch, tick);
            } catch (const TooMany&) {
                return nb::int_(watch.found.load());
            }
            return nb::make_tuple(give(result.offsets), give(result.items), give(result.supports));
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "total"_a, "sigma"_a, "labels"_a, "target"_a, "cap"_a,
        "max_patterns"_a, "max_bytes"_a, "threads"_a, "layout"_a, "progress"_a.none());
    m.def("cpu", [] { return bitmap_loops().name; });
}

void bind_lattice(nb::module_& m) {
    m.def(
        "closed_under_intersection",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> supports, std::size_t labels) {
            nb::gil_scoped_release release;
            return closed_under_intersection(rows_of(offsets, items), view(supports), labels);
        },
        "offsets"_a, "items"_a, "supports"_a, "labels"_a);
    nb::exception<LatticeTooLarge>(m, "LatticeTooLarge", PyExc_ValueError);
    m.def(
        "one_item_less",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::size_t labels) {
            Buffer<std::int32_t> less;
            {
                nb::gil_scoped_release release;
                less = one_item_less(rows_of(offsets, items), labels);
            }
            return give(less);
        },
        "offsets"_a, "items"_a, "labels"_a);
    m.def(
        "find_contradiction",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> lows, In<std::int64_t> highs,
           std::size_t labels) -> std::optional<std::pair<std::int32_t, std::int32_t>> {
            Contradiction found;
            {
                nb::gil_scoped_release release;
                found = find_contradiction(rows_of(offsets, items), view(lows), view(highs), labels, check_signals);
            }
            if (found.larger == not_listed) return std::nullopt;
            return std::pair(found.larger, found.smaller);
        },
        "offsets"_a, "items"_a, "lows"_a, "highs"_a, "labels"_a);
    m.def(
        "find_maximal",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::size_t labels) {
            Buffer<std::uint8_t> maximal;
            {
                nb::gil_scoped_release release;
                maximal = find_maximal(rows_of(offsets, items), labels);
            }
            return give(maximal);
        },
        "offsets"_a, "items"_a, "labels"_a);
    m.def(
        "find_lowest_maximal",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int32_t> levels, std::size_t labels) {
            Buffer<std::int32_t> lowest;
            {
                nb::gil_scoped_release release;
                lowest = find_lowest_maximal(rows_of(offsets, items), view(levels), labels);
            }
            return give(lowest);
        },
        "offsets"_a, "items"_a, "levels"_a, "labels"_a);
    m.def(
        "find_closed",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> supports, std::size_t labels) {
            Buffer<std::uint8_t> closed;
            {
                nb::gil_scoped_release release;
                closed = find_closed(rows_of(offsets, items), view(supports), labels);
            }
            return give(closed);
        },
        "offsets"_a, "items"_a, "supports"_a, "labels"_a);
    m.def(
        "find_border",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::size_t labels, std::size_t most,
           std::optional<In<std::int64_t>> item_supports, std::int64_t total) {
            OwnedRows border;
            std::int64_t passed_over = 0;
            {
                nb::gil_scoped_release release;
                border = find_border(rows_of(offsets, items), labels, most, view(item_supports), total, passed_over);
            }
            return nb::make_tuple(give(border.offsets), give(border.items), passed_over);
        },
        "offsets"_a, "items"_a, "labels"_a, "most"_a, "item_supports"_a.none(), "total"_a);
    m.def(
        "find_interval_channels",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::size_t labels, In<std::int64_t> lows,
           In<std::int64_t> highs, std::int64_t total, std::int64_t k, bool exact) {
            IntervalChannels channels;
            {
                nb::gil_scoped_release release;
                channels =
                    find_interval_channels(rows_of(offsets, items), labels, view(lows), view(highs), total, k, exact);
            }
            return nb::make_tuple(give(channels.fulls), give(channels.offsets), give(channels.bases),
                                  give(channels.lows), give(channels.highs));
        },
        "offsets"_a, "items"_a, "labels"_a, "lows"_a, "highs"_a, "total"_a, "k"_a, "exact"_a);
}

}  // namespace

void bind_patterns(nb::module_& m) {
    bind_mining(m);
    bind_lattice(m);
}

}  // namespace discreet
