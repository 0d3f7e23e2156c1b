// The door between Python and the kernel: arrays in, arrays out, the GIL released in between.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bitmaps.hpp"
#include "cover.hpp"
#include "groups.hpp"
#include "lattice.hpp"
#include "mining.hpp"
#include "rows.hpp"
#include "text.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace discreet;

namespace {

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

template <typename T>
std::span<const T> view(const std::optional<In<T>>& array) {
    return array ? view(*array) : std::span<const T>{};
}

template <typename T>
Out<T> give(Buffer<T>& buffer) {
    const std::size_t size = buffer.size();
    T* data = buffer.release();
    nb::capsule owner(data, [](void* block) noexcept { std::free(block); });
    return Out<T>(data, {size}, owner);
}

template <typename T>
Buffer<T> copy(std::span<const T> values) {
    Buffer<T> buffer(values.size());
    std::copy(values.begin(), values.end(), buffer.data());
    return buffer;
}

Rows rows_of(const In<std::int64_t>& offsets, const In<std::int32_t>& items) {
    return {view(offsets), view(items)};
}

nb::tuple give(OwnedRows& rows) {
    return nb::make_tuple(give(rows.offsets), give(rows.items));
}

void bind_rows(nb::module_& m) {
    m.def(
        "check_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::int64_t labels) {
            const char* fault;
            {
                nb::gil_scoped_release release;
                fault = find_fault(rows_of(offsets, items), labels);
            }
            if (fault) throw nb::value_error(fault);
        },
        "offsets"_a, "items"_a, "labels"_a);

    m.def(
        "canonical_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> codes, std::optional<In<std::int32_t>> renumber) {
            OwnedRows rows;
            {
                nb::gil_scoped_release release;
                rows = {copy(view(offsets)), copy(view(codes))};
                make_canonical(rows, view(renumber));
            }
            return give(rows);
        },
        "offsets"_a, "codes"_a, "renumber"_a.none());

    m.def(
        "item_supports",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           std::size_t labels) {
            Buffer<std::int64_t> supports(labels);
            {
                nb::gil_scoped_release release;
                std::fill(supports.begin(), supports.end(), 0);
                item_supports(rows_of(offsets, items), view(weights), {supports.data(), labels});
            }
            return give(supports);
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "labels"_a);

    m.def(
        "fold_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights) {
            Folded folded;
            {
                nb::gil_scoped_release release;
                folded = fold(rows_of(offsets, items), view(weights));
            }
            return nb::make_tuple(give(folded.firsts), give(folded.weights));
        },
        "offsets"_a, "items"_a, "weights"_a.none());

    m.def(
        "select_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> chosen) {
            OwnedRows rows;
            {
                nb::gil_scoped_release release;
                rows = select(rows_of(offsets, items), view(chosen));
            }
            return give(rows);
        },
        "offsets"_a, "items"_a, "chosen"_a);
}

void bind_text(nb::module_& m) {
    nb::exception<ParseError>(m, "ParseError", PyExc_ValueError);
    nb::class_<TextParser>(m, "TextParser")
        .def(nb::init<bool>(), "headers"_a)
        .def(
            "feed",
            [](TextParser& parser, nb::bytes chunk) {
                const char* data = chunk.c_str();
                const std::size_t size = chunk.size();
                nb::gil_scoped_release release;
                parser.feed(data, size);
            },
            "chunk"_a)
        .def("finish",
             [](TextParser& parser) {
                 {
                     nb::gil_scoped_release release;
                     parser.finish();
                 }
                 return nb::make_tuple(give(parser.rows().offsets), give(parser.rows().items), parser.labels());
             })
        .def_prop_ro("line", &TextParser::line)
        .def_prop_ro("header", [](const TextParser& parser) { return parser.header(); });
    m.def(
        "format_text",
        [](In<std::int64_t> offsets, In<std::int32_t> items, const std::vector<std::string>& labels, std::size_t first,
           std::size_t last) {
            std::string text;
            {
                nb::gil_scoped_release release;
                text = format_text(rows_of(offsets, items), labels, first, last);
            }
            return nb::bytes(text.data(), text.size());
        },
        "offsets"_a, "items"_a, "labels"_a, "first"_a, "last"_a);
}

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

void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

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
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           std::int64_t total, std::size_t labels, In<std::int64_t> target_offsets, In<std::int32_t> target_items,
           std::int64_t below) {
            std::atomic<bool> stop{false};
            const std::function<void()> tick = check_signals;
            const GroupTask task{rows_of(target_offsets, target_items), below, 1, stop, tick};
            Buffer<std::uint8_t> exposed;
            {
                nb::gil_scoped_release release;
                exposed = find_exposed(rows_of(offsets, items), view(weights), total, labels, task);
            }
            return give(exposed);
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "total"_a, "labels"_a, "target_offsets"_a, "target_items"_a,
        "below"_a);
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
                                         rows_of(full_offsets, full_items), most_steps});
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
                merged = merge_in_order(rows_of(base_offsets, base_items), rows_of(full_offsets, full_items));
            }
            return give(merged);
        },
        "base_offsets"_a, "base_items"_a, "full_offsets"_a, "full_items"_a);
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

NB_MODULE(_kernel, m) {
    // At exit Python may drop modules in any order; what is left then is no leak, and no user of ours can mend it.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled kernel: plain arrays in, plain arrays out, no checks inside.";
    bind_rows(m);
    bind_text(m);
    bind_mining(m);
    bind_groups(m);
    bind_lattice(m);
    bind_blocking(m);
}
