// What discreet.channels calls to attack a publication.
#include "attack.hpp"
#include "attack_constraints.hpp"
#include "attack_proof.hpp"
#include "bindings.hpp"
#include "python_arrays.hpp"

namespace discreet {

namespace {

// The layers of what is known, with concatenated itemsets. Keeps the arrays alive.
struct KnownArrays {
    HeldRows itemsets;
    In<std::int64_t> lows;
    In<std::int64_t> highs;
    In<std::int64_t> starts;  // where each layer begins, and where the last ends
    In<std::int64_t> totals;
    In<std::int64_t> ceilings;
    In<std::int64_t> longest;
    In<std::int32_t> markers;
    In<std::uint8_t> closed;
    In<std::uint8_t> of_rows;
    HeldRows exclusive;
    std::size_t labels;
};

// The offsets of one layer start at 0, as Rows require.
struct Layered {
    std::vector<std::vector<std::int64_t>> offsets;
    Knowledge known;

    explicit Layered(const KnownArrays& arrays) {
        known.labels = arrays.labels;
        known.exclusive = arrays.exclusive.rows();
        const auto starts = view(arrays.starts);
        const auto every = view(arrays.itemsets.offsets);
        for (std::size_t layer = 0; layer + 1 < starts.size(); ++layer) {
            const std::size_t from = starts[layer], to = starts[layer + 1];
            std::vector<std::int64_t> own(every.begin() + from, every.begin() + to + 1);
            for (std::int64_t& offset : own) offset -= every[from];
            offsets.push_back(std::move(own));
        }
        for (std::size_t layer = 0; layer < offsets.size(); ++layer) {
            const std::size_t from = starts[layer], count = offsets[layer].size() - 1;
            Layer one;
            one.itemsets = {offsets[layer], view(arrays.itemsets.items).subspan(every[from], offsets[layer].back())};
            one.lows = view(arrays.lows).subspan(from, count);
            one.highs = view(arrays.highs).subspan(from, count);
            one.total = view(arrays.totals)[layer];
            one.ceiling = view(arrays.ceilings)[layer];
            one.longest = view(arrays.longest)[layer];
            one.marker = view(arrays.markers)[layer];
            one.closed = view(arrays.closed)[layer] != 0;
            one.of_rows = view(arrays.of_rows)[layer] != 0;
            known.layers.push_back(one);
        }
    }
};

nb::tuple give_groups(const FoundGroups& groups) {
    return nb::make_tuple(give(groups.windows), nb::make_tuple(give(groups.present_offsets), give(groups.present)),
                          nb::make_tuple(give(groups.absent_offsets), give(groups.absent)), give(groups.lows),
                          give(groups.highs));
}

nb::tuple give_conclusions(const FoundGroups& groups) {
    return nb::make_tuple(give_groups(groups), give(groups.items), give(groups.having_lows), give(groups.having_highs));
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
    return nb::make_tuple(give(starts), give(above), give(below), give(figures), give(ceilings),
                          nb::make_tuple(give(offsets), give(items)), give(bounds_above), give(bounds_below));
}

}  // namespace

void bind_attack(nb::module_& m) {
    nb::class_<KnownArrays>(m, "Known")
        .def(
            "__init__",
            [](KnownArrays* self, HeldRows itemsets, In<std::int64_t> lows, In<std::int64_t> highs,
               In<std::int64_t> starts, In<std::int64_t> totals, In<std::int64_t> ceilings, In<std::int64_t> longest,
               In<std::int32_t> markers, In<std::uint8_t> closed, In<std::uint8_t> of_rows, HeldRows exclusive,
               std::size_t labels) {
                new (self) KnownArrays{itemsets, lows,    highs,  starts,  totals,    ceilings,
                                       longest,  markers, closed, of_rows, exclusive, labels};
            },
            "itemsets"_a, "lows"_a, "highs"_a, "starts"_a, "totals"_a, "ceilings"_a, "longest"_a, "markers"_a,
            "closed"_a, "of_rows"_a, "exclusive"_a, "labels"_a);
    m.def(
        "attack",
        [](const KnownArrays& arrays, const std::optional<HeldRows>& rows, std::optional<In<std::int64_t>> weights,
           const Rows& windows, std::optional<In<std::uint8_t>> asked, std::int64_t k, std::int64_t steps,
           std::size_t cells, std::size_t groups, bool exact, unsigned threads, nb::object progress,
           std::optional<In<std::uint8_t>> sensitive, std::int64_t above, std::int64_t below, std::size_t most) {
            const Layered layered(arrays);
            const DataSet data = rows ? DataSet{rows->rows(), view(weights)} : no_data;
            std::atomic<bool> stop{false};
            std::atomic<std::size_t> looked_at{0};
            std::atomic<double> done{0.0};
            const std::function<void()> tick = [&] {
                nb::gil_scoped_acquire acquire;
                check_signals();
                if (!progress.is_none()) progress(done.load(), looked_at.load());
            };
            const Conclude conclude{view(sensitive), above, below, most};
            const Attack found = released([&] {
                return attack({layered.known, data, rows.has_value(), windows, view(asked), k, steps, cells, groups,
                               exact, threads, stop, tick, looked_at, done, sensitive ? &conclude : nullptr});
            });
            if (sensitive)
                return nb::make_tuple(give_conclusions(found.found), give_conclusions(found.open), give(found.states),
                                      found.candidates, found.programs);
            return nb::make_tuple(give_groups(found.found), give_groups(found.open), give(found.states),
                                  found.candidates, found.programs);
        },
        "known"_a, "rows"_a.none(), "weights"_a.none(), "windows"_a, "asked"_a.none(), "k"_a, "steps"_a, "cells"_a,
        "groups"_a, "exact"_a, "threads"_a, "progress"_a.none(), "sensitive"_a.none() = nb::none(), "above"_a = 0,
        "below"_a = 1, "most"_a = 0);
    m.def(
        "prove",
        [](const KnownArrays& arrays, const Rows& windows, const Rows& present, const Rows& absent,
           In<std::uint8_t> high, In<std::int64_t> bounds, bool shortest, unsigned threads) {
            const Layered layered(arrays);
            std::atomic<bool> stop{false};
            const std::function<void()> tick = check_signals;
            return give_proofs(released([&] {
                return prove(layered.known, {windows, present, absent, view(high), view(bounds)}, shortest, threads,
                             stop, tick);
            }));
        },
        "known"_a, "windows"_a, "present"_a, "absent"_a, "high"_a, "bounds"_a, "shortest"_a, "threads"_a);
    m.def(
        "window_program",
        [](const KnownArrays& arrays, In<std::int32_t> window) {
            const Layered layered(arrays);
            const Program program = released([&] { return window_program(layered.known, view(window)); });
            return nb::make_tuple(give(program.cells), give(program.masks), give(program.lows), give(program.highs),
                                  program.impossible);
        },
        "known"_a, "window"_a);
}

}  // namespace discreet
