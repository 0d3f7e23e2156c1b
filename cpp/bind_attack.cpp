// What discreet.channels calls to attack a publication.
#include "attack.hpp"
#include "bindings.hpp"
#include "python_arrays.hpp"

namespace discreet {

namespace {

// The layers of what is known, their itemsets one after the other. Holds on to the arrays it looks into.
struct KnownArrays {
    In<std::int64_t> offsets;
    In<std::int32_t> items;
    In<std::int64_t> lows;
    In<std::int64_t> highs;
    In<std::int64_t> starts;  // where each layer begins, and where the last ends
    In<std::int64_t> totals;
    In<std::int64_t> ceilings;
    In<std::int32_t> markers;
    In<std::uint8_t> closed;
    In<std::int64_t> exclusive_offsets;
    In<std::int32_t> exclusive_items;
    std::size_t labels;
};

// Offsets of one layer start at 0, as Rows want it.
struct Layered {
    std::vector<std::vector<std::int64_t>> offsets;
    Knowledge known;

    explicit Layered(const KnownArrays& arrays) {
        known.labels = arrays.labels;
        known.exclusive = rows_of(arrays.exclusive_offsets, arrays.exclusive_items);
        const auto starts = view(arrays.starts);
        const auto every = view(arrays.offsets);
        for (std::size_t layer = 0; layer + 1 < starts.size(); ++layer) {
            const std::size_t from = starts[layer], to = starts[layer + 1];
            std::vector<std::int64_t> own(every.begin() + from, every.begin() + to + 1);
            for (std::int64_t& offset : own) offset -= every[from];
            offsets.push_back(std::move(own));
        }
        for (std::size_t layer = 0; layer < offsets.size(); ++layer) {
            const std::size_t from = starts[layer], count = offsets[layer].size() - 1;
            Layer one;
            one.itemsets = {offsets[layer], view(arrays.items).subspan(every[from], offsets[layer].back())};
            one.lows = view(arrays.lows).subspan(from, count);
            one.highs = view(arrays.highs).subspan(from, count);
            one.total = view(arrays.totals)[layer];
            one.ceiling = view(arrays.ceilings)[layer];
            one.marker = view(arrays.markers)[layer];
            one.closed = view(arrays.closed)[layer] != 0;
            known.layers.push_back(one);
        }
    }
};

template <typename T>
Out<T> give_vector(const std::vector<T>& values) {
    Buffer<T> buffer = copy(std::span<const T>(values));
    return give(buffer);
}

nb::tuple give_groups(const FoundGroups& groups) {
    return nb::make_tuple(give_vector(groups.windows), give_vector(groups.present_offsets), give_vector(groups.present),
                          give_vector(groups.absent_offsets), give_vector(groups.absent), give_vector(groups.lows),
                          give_vector(groups.highs));
}

nb::tuple give_proofs(const std::vector<Proof>& proofs) {
    std::vector<std::int64_t> starts{0}, above, below, figures, offsets{0}, bounds_above, bounds_below;
    std::vector<std::int32_t> items;
    std::vector<std::uint8_t> ceilings;
    for (const Proof& proof : proofs) {
        for (const ProofTerm& term : proof.terms) {
            above.push_back(term.times.above);
            below.push_back(term.times.below);
            figures.push_back(term.figure);
            ceilings.push_back(term.ceiling);
            items.insert(items.end(), term.items.begin(), term.items.end());
            offsets.push_back(static_cast<std::int64_t>(items.size()));
        }
        starts.push_back(static_cast<std::int64_t>(above.size()));
        bounds_above.push_back(proof.bound.above);
        bounds_below.push_back(proof.bound.below);
    }
    return nb::make_tuple(give_vector(starts), give_vector(above), give_vector(below), give_vector(figures),
                          give_vector(ceilings), give_vector(offsets), give_vector(items), give_vector(bounds_above),
                          give_vector(bounds_below));
}

}  // namespace

void bind_attack(nb::module_& m) {
    nb::class_<KnownArrays>(m, "Known")
        .def(
            "__init__",
            [](KnownArrays* self, In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> lows,
               In<std::int64_t> highs, In<std::int64_t> starts, In<std::int64_t> totals, In<std::int64_t> ceilings,
               In<std::int32_t> markers, In<std::uint8_t> closed, In<std::int64_t> exclusive_offsets,
               In<std::int32_t> exclusive_items, std::size_t labels) {
                new (self) KnownArrays{offsets,         items,    lows,    highs,  starts,
                                       totals,          ceilings, markers, closed, exclusive_offsets,
                                       exclusive_items, labels};
            },
            "offsets"_a, "items"_a, "lows"_a, "highs"_a, "starts"_a, "totals"_a, "ceilings"_a, "markers"_a, "closed"_a,
            "exclusive_offsets"_a, "exclusive_items"_a, "labels"_a);
    m.def(
        "attack",
        [](const KnownArrays& arrays, std::optional<In<std::int64_t>> row_offsets,
           std::optional<In<std::int32_t>> row_items, std::optional<In<std::int64_t>> weights,
           In<std::int64_t> window_offsets, In<std::int32_t> window_items, std::optional<In<std::uint8_t>> asked,
           std::int64_t k, std::int64_t steps, std::size_t cells, std::size_t groups, bool exact, unsigned threads) {
            const Layered layered(arrays);
            static constexpr std::int64_t no_offsets[1] = {0};
            DataSet data{{std::span<const std::int64_t>(no_offsets), {}}, {}};
            if (row_offsets) data = {rows_of(*row_offsets, *row_items), view(weights)};
            std::atomic<bool> stop{false};
            const std::function<void()> tick = check_signals;
            Attack found;
            {
                nb::gil_scoped_release release;
                found = attack({layered.known, data, row_offsets.has_value(), rows_of(window_offsets, window_items),
                                view(asked), k, steps, cells, groups, exact, threads, stop, tick});
            }
            return nb::make_tuple(give_groups(found.found), give_groups(found.open), give_vector(found.states),
                                  found.candidates, found.programs);
        },
        "known"_a, "row_offsets"_a.none(), "row_items"_a.none(), "weights"_a.none(), "window_offsets"_a,
        "window_items"_a, "asked"_a.none(), "k"_a, "steps"_a, "cells"_a, "groups"_a, "exact"_a, "threads"_a);
    m.def(
        "prove",
        [](const KnownArrays& arrays, In<std::int64_t> window_offsets, In<std::int32_t> window_items,
           In<std::int64_t> present_offsets, In<std::int32_t> present, In<std::int64_t> absent_offsets,
           In<std::int32_t> absent, In<std::uint8_t> high, In<std::int64_t> bounds, bool shortest, unsigned threads) {
            const Layered layered(arrays);
            std::atomic<bool> stop{false};
            const std::function<void()> tick = check_signals;
            std::vector<Proof> proofs;
            {
                nb::gil_scoped_release release;
                proofs = prove(layered.known,
                               {rows_of(window_offsets, window_items), rows_of(present_offsets, present),
                                rows_of(absent_offsets, absent), view(high), view(bounds)},
                               shortest, threads, stop, tick);
            }
            return give_proofs(proofs);
        },
        "known"_a, "window_offsets"_a, "window_items"_a, "present_offsets"_a, "present"_a, "absent_offsets"_a,
        "absent"_a, "high"_a, "bounds"_a, "shortest"_a, "threads"_a);
    m.def(
        "window_program",
        [](const KnownArrays& arrays, In<std::int32_t> window) {
            const Layered layered(arrays);
            Program program;
            {
                nb::gil_scoped_release release;
                program = window_program(layered.known, view(window));
            }
            return nb::make_tuple(give_vector(program.cells), give_vector(program.masks), give_vector(program.lows),
                                  give_vector(program.highs), program.impossible);
        },
        "known"_a, "window"_a);
}

}  // namespace discreet
