// Bindings for discreet.uncertainty: the search for sensitive rules, and the ways to conceal them.
#include "bindings.hpp"
#include "python_arrays.hpp"
#include "uncertainty_check.hpp"
#include "uncertainty_cut.hpp"
#include "uncertainty_endangered.hpp"
#include "uncertainty_levels.hpp"
#include "uncertainty_topdown.hpp"

namespace discreet {

namespace {

// Runs `work` on its own thread, without the GIL, while this one watches for Ctrl-C and calls `watch` a few times a
// second. An exception from `watch` ends the work.
template <typename Work>
void run_watched(Work work, const nb::object& watch = nb::none()) {
    std::atomic<bool> stop{false};
    const std::function<void()> tick = [&] {
        nb::gil_scoped_acquire acquire;
        check_signals();
        if (!watch.is_none()) watch();
    };
    released([&] { run_crew(1, stop, tick, [&](unsigned) { work(Halt{&stop}); }); });
}

std::vector<Share> limits_of(const In<std::int64_t>& parts, const In<std::int64_t>& wholes) {
    std::vector<Share> limits;
    for (std::size_t code = 0; code < view(parts).size(); ++code)
        limits.push_back({view(parts)[code], view(wholes)[code]});
    return limits;
}

nb::list choices(std::span<const Choice> chosen) {
    nb::list given;
    for (const Choice& choice : chosen) given.append(nb::make_tuple(choice.code, choice.rules, choice.cost));
    return given;
}

nb::tuple as_tuple(const Split& split) {
    return nb::make_tuple(split.node, split.gain, split.cost, choices(split.chosen));
}

void bind_check(nb::module_& m) {
    m.def(
        "find_worst_rule",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total,
           In<std::uint8_t> sensitive) -> nb::object {
            SensitiveRule rule;
            run_watched([&](Halt halt) {
                const FoldedRows folded = fold_all(rows, view(weights), total, view(sensitive), {}, nullptr);
                rule = RuleSearch(folded, halt).worst();
            });
            if (rule.consequent < 0) return nb::none();
            return nb::make_tuple(give(rule.antecedent), rule.consequent, rule.together, rule.holding);
        },
        "rows"_a, "weights"_a.none(), "total"_a, "sensitive"_a);
    m.def(
        "find_affected",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total, In<std::uint8_t> sensitive,
           In<std::int64_t> rho_part, In<std::int64_t> rho_whole) {
            Buffer<std::uint8_t> exposed(rows.count());
            Affected found;
            run_watched([&](Halt halt) {
                std::vector<std::uint32_t> which;
                const FoldedRows folded = fold_all(rows, view(weights), total, view(sensitive), {}, &which);
                found = RuleSearch(folded, halt).affected(limits_of(rho_part, rho_whole));
                for (std::size_t r = 0; r < which.size(); ++r) exposed[r] = found.rows[which[r]];
            });
            return nb::make_tuple(give(found.items), give(std::move(exposed)));
        },
        "rows"_a, "weights"_a.none(), "total"_a, "sensitive"_a, "rho_part"_a, "rho_whole"_a);
    m.def(
        "find_endangered",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total, In<std::uint8_t> sensitive,
           In<std::int64_t> rho_part, In<std::int64_t> rho_whole, bool every, bool staged, std::size_t steps) {
            Buffer<std::uint8_t> endangered(rows.items.size());
            const std::vector<Share> limits = limits_of(rho_part, rho_whole);
            run_watched([&](Halt halt) {
                std::vector<std::uint32_t> which;
                const FoldedRows folded = fold_all(rows, view(weights), total, view(sensitive), {}, &which);
                const std::vector<std::uint8_t> found =
                    EndangeredSearch(folded, limits, halt).find(every, staged, steps);
                for (std::size_t r = 0; r < which.size(); ++r)
                    std::copy_n(found.begin() + folded.offsets[which[r]], rows.row(r).size(),
                                endangered.data() + rows.offsets[r]);
            });
            return give(std::move(endangered));
        },
        "rows"_a, "weights"_a.none(), "total"_a, "sensitive"_a, "rho_part"_a, "rho_whole"_a, "every"_a,
        "staged"_a = false, "steps"_a = 16);
}

void bind_levels(nb::module_& m) {
    m.def(
        "suppress_by_level",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total, In<std::uint8_t> sensitive,
           In<std::int64_t> costs, In<std::int64_t> rho_part, In<std::int64_t> rho_whole) {
            std::vector<LevelStep> steps;
            run_watched([&](Halt halt) {
                std::vector<Slice> all(1);
                all[0].rows = fold_all(rows, view(weights), total, view(sensitive), {}, nullptr);
                steps = suppress_by_level(all, 0, limits_of(rho_part, rho_whole), view(costs), view(sensitive),
                                          std::numeric_limits<std::int64_t>::max(), halt);
            });
            nb::list given;
            for (const LevelStep& step : steps)
                given.append(nb::make_tuple(step.size, step.rules, choices(step.chosen)));
            return given;
        },
        "rows"_a, "weights"_a.none(), "total"_a, "sensitive"_a, "costs"_a, "rho_part"_a, "rho_whole"_a);
}

void bind_top_down(nb::module_& m) {
    nb::class_<TopDown>(m, "TopDown")
        .def(
            "__init__",
            [](TopDown* place, const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total,
               In<std::int32_t> leaf_of, In<std::int32_t> parent, In<std::int64_t> leaves_below,
               In<std::int64_t> rho_part, In<std::int64_t> rho_whole, const nb::object& watch) {
                std::optional<TopDown> made;
                const auto make = [&](Halt halt) {
                    made.emplace(ProblemInput{rows, view(weights), total, view(leaf_of), view(parent),
                                              view(leaves_below), limits_of(rho_part, rho_whole)},
                                 halt);
                };
                run_watched(make, watch);
                new (place) TopDown(std::move(*made));
            },
            "rows"_a, "weights"_a.none(), "total"_a, "leaf_of"_a, "parent"_a, "leaves_below"_a, "rho_part"_a,
            "rho_whole"_a, "watch"_a.none())
        .def(
            "step",
            [](TopDown& self, bool explain, const nb::object& watch) -> nb::object {
                std::optional<SplitStep> step;
                run_watched([&](Halt halt) { step = self.step(explain, halt); }, watch);
                if (!step) return nb::none();
                nb::list evaluated;
                for (const Split& split : step->evaluated) evaluated.append(as_tuple(split));
                return nb::make_tuple(as_tuple(step->made), evaluated);
            },
            "explain"_a, "watch"_a.none())
        .def_prop_ro("start", [](const TopDown& self) { return choices(self.start()); })
        .def_prop_ro("loss", &TopDown::loss)
        .def("node_of", [](const TopDown& self) { return give(self.node_of()); })
        .def("dropped", [](const TopDown& self) { return give(self.dropped()); });
}

void bind_cut(nb::module_& m) {
    nb::class_<CutProblem>(m, "UncertaintyProblem")
        .def(
            "__init__",
            [](CutProblem* place, const Rows& rows, std::optional<In<std::int64_t>> weights, std::int64_t total,
               In<std::int32_t> leaf_of, In<std::int32_t> parent, In<std::int64_t> leaves_below,
               In<std::int64_t> rho_part, In<std::int64_t> rho_whole, bool one_cut) {
                released([&] {
                    new (place) CutProblem(ProblemInput{rows, view(weights), total, view(leaf_of), view(parent),
                                                        view(leaves_below), limits_of(rho_part, rho_whole)},
                                           one_cut);
                });
            },
            "rows"_a, "weights"_a.none(), "total"_a, "leaf_of"_a, "parent"_a, "leaves_below"_a, "rho_part"_a,
            "rho_whole"_a, "one_cut"_a = false);
    nb::class_<Cut>(m, "UncertaintyCut")
        .def(
            "__init__",
            [](Cut* place, const CutProblem& problem, In<std::uint8_t> split) {
                released([&] { new (place) Cut(problem, view(split)); });
            },
            "problem"_a, "split"_a);
    m.def(
        "keep_at_cut",
        [](const CutProblem& problem, const Cut& cut, In<std::int32_t> order, std::uint64_t most_work, bool others_stay,
           const nb::object& watch) {
            KeptAtCut kept;
            run_watched([&](Halt halt) { kept = keep_at_cut(problem, cut, view(order), most_work, others_stay, halt); },
                        watch);
            return nb::make_tuple(kept.loss, give(kept.kept), kept.work);
        },
        "problem"_a, "cut"_a, "order"_a, "most_work"_a, "others_stay"_a = false, "watch"_a.none());
}

}  // namespace

void bind_uncertainty(nb::module_& m) {
    bind_check(m);
    bind_levels(m);
    bind_top_down(m);
    bind_cut(m);
}

}  // namespace discreet
