// What discreet.uncertainty calls: the search for sensitive rules, and the ways to conceal them.
#include "bindings.hpp"
#include "python_arrays.hpp"
#include "uncertainty_check.hpp"

namespace discreet {

namespace {

// Runs `work` on a thread of its own, without the GIL, while this one watches for Ctrl-C.
template <typename Work>
void run_watched(Work work) {
    std::atomic<bool> stop{false};
    const std::function<void()> tick = check_signals;
    nb::gil_scoped_release release;
    run_crew(1, stop, tick, [&](unsigned) { work(Halt{stop}); });
}

template <typename T>
Out<T> give(const std::vector<T>& values) {
    Buffer<T> buffer = copy(std::span<const T>(values));
    return give(buffer);
}

void bind_check(nb::module_& m) {
    m.def(
        "find_worst_rule",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           std::int64_t total, In<std::uint8_t> sensitive) -> nb::object {
            SensitiveRule rule;
            run_watched([&](Halt halt) {
                const FoldedRows rows =
                    fold_all(rows_of(offsets, items), view(weights), total, view(sensitive), {}, nullptr);
                rule = RuleSearch(rows, halt).worst();
            });
            if (rule.consequent < 0) return nb::none();
            return nb::make_tuple(give(rule.antecedent), rule.consequent, rule.together, rule.holding);
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "total"_a, "sensitive"_a);
    m.def(
        "find_affected",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           std::int64_t total, In<std::uint8_t> sensitive, std::int64_t rho_part, std::int64_t rho_whole) {
            Buffer<std::uint8_t> exposed(offsets.size() - 1);
            Affected found;
            run_watched([&](Halt halt) {
                std::vector<std::uint32_t> which;
                const FoldedRows rows =
                    fold_all(rows_of(offsets, items), view(weights), total, view(sensitive), {}, &which);
                found = RuleSearch(rows, halt).affected({rho_part, rho_whole});
                for (std::size_t r = 0; r < which.size(); ++r) exposed[r] = found.rows[which[r]];
            });
            return nb::make_tuple(give(found.items), give(exposed));
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "total"_a, "sensitive"_a, "rho_part"_a, "rho_whole"_a);
}

}  // namespace

void bind_uncertainty(nb::module_& m) {
    bind_check(m);
}

}  // namespace discreet
