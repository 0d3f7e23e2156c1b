#include "attack_proof.hpp"

#include <algorithm>
#include <numeric>

#include "attack_constraints.hpp"
#include "crew.hpp"

namespace discreet {

namespace {

constexpr std::size_t most_terms = 40;  // nobody checks longer proofs by hand
constexpr std::size_t quick_items = 7;

using Items = std::vector<std::int32_t>;

struct Bound {
    bool found = false;
    Fraction value;
    std::vector<std::size_t> needed;  // indices of the constraints with a multiplier
    std::vector<Fraction> times;
};

Subset subset_of(std::span<const std::int32_t> window, std::span<const std::int32_t> items) {
    Subset subset = 0;
    for (const std::int32_t item : items) {
        subset |= Subset{1} << (std::find(window.begin(), window.end(), item) - window.begin());
    }
    return subset;
}

template <typename Value>
std::vector<Value> without(const std::vector<Value>& values, std::size_t place) {
    std::vector<Value> fewer(values);
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(place));
    return fewer;
}

// Proves one bound on one group: first with few items, then with few figures over these items.
class Prover {
public:
    Prover(const PublicationIndex& index, const NamedBounds& named, std::size_t number)
        : index_(index),
          window_(named.windows.row(number)),
          present_(named.present.row(number)),
          absent_(named.absent.row(number)),
          high_(named.high[number] != 0),
          wanted_(named.bounds[number]) {}

    // Returns no terms if there is no proof, or, unless `shortest`, if it would take too long.
    Proof prove(bool shortest) {
        Items items = few_items();
        if (!shortest && items.size() == window_.size() && items.size() > quick_items) return {};
        if (shortest) drop_items(items);
        const Window window = open_window(index_, items, scratch_, true);
        std::vector<Constraint> constraints = all_figures(window);
        Bound bound = bound_in(window, constraints, true);
        if (!suffices(bound)) return {};
        constraints = needed_by(bound, constraints);
        if (shortest && constraints.size() <= most_terms) drop_constraints(window, constraints);
        return written(window, constraints);
    }

private:
    // Items of the window that suffice for the bound: the group's own, then, one by one, the item that helps most.
    // Returns all items if none helps by itself.
    Items few_items() {
        Items items, others;
        for (const std::int32_t item : window_) (in_group(item) ? items : others).push_back(item);
        Bound bound = bound_on(items);
        while (!suffices(bound)) {
            std::size_t best = others.size();
            Items wider;
            for (std::size_t place = 0; place < others.size(); ++place) {
                Items some(items);
                some.insert(std::upper_bound(some.begin(), some.end(), others[place]), others[place]);
                const Bound with = bound_on(some);
                if (!better(with, bound)) continue;
                bound = with;
                best = place;
                wider = std::move(some);
            }
            if (best == others.size()) return {window_.begin(), window_.end()};
            items = std::move(wider);
            others = without(others, best);
        }
        return items;
    }

    void drop_items(Items& items) {
        for (std::size_t place = items.size(); place-- > 0;) {
            if (in_group(items[place])) continue;
            Items fewer = without(items, place);
            if (suffices(bound_on(fewer))) items = std::move(fewer);
        }
    }

    void drop_constraints(const Window& window, std::vector<Constraint>& constraints) const {
        for (std::size_t place = constraints.size(); place-- > 0;) {
            const std::vector<Constraint> fewer = without(constraints, place);
            const Bound bound = bound_in(window, fewer, true);
            if (!suffices(bound)) continue;
            constraints = needed_by(bound, fewer);
            place = std::min(place, constraints.size());
        }
    }

    static std::vector<Constraint> needed_by(const Bound& bound, const std::vector<Constraint>& constraints) {
        std::vector<Constraint> needed;
        for (const std::size_t place : bound.needed) needed.push_back(constraints[place]);
        return needed;
    }

    Proof written(const Window& window, const std::vector<Constraint>& constraints) const {
        const Bound bound = bound_in(window, constraints, true);
        Proof proof;
        proof.bound = bound.value;
        for (std::size_t n = 0; n < bound.needed.size(); ++n) {
            const Constraint& constraint = constraints[bound.needed[n]];
            ProofTerm term;
            term.times = bound.times[n];
            term.figure = constraint.figure;
            term.ceiling = constraint.side > 0 && window.ceiling[constraint.subset];
            for (std::size_t bit = 0; bit < window.items.size(); ++bit) {
                if (constraint.subset >> bit & 1) term.items.push_back(window.items[bit]);
            }
            proof.terms.push_back(std::move(term));
        }
        return proof;
    }

    Bound bound_on(const Items& items) {
        const Window window = open_window(index_, items, scratch_);
        return bound_in(window, fewest_equations(window), false);
    }

    Bound bound_in(const Window& window, const std::vector<Constraint>& constraints, bool traced) const {
        try {
            return solve<std::int32_t>(window, constraints, traced);
        } catch (const TooLargeNumbers&) {
            return solve<std::int64_t>(window, constraints, traced);
        }
    }

    template <typename Entry>
    Bound solve(const Window& window, const std::vector<Constraint>& constraints, bool traced) const {
        Bound bound;
        Simplex<Entry> program = program_of<Entry>(window, constraints, traced);
        if (!program.start()) return bound;
        const Subset present = subset_of(window.items, present_), both = present | subset_of(window.items, absent_);
        std::vector<std::int64_t> weights(window.cells.size());
        for (std::size_t c = 0; c < window.cells.size(); ++c) {
            weights[c] = (window.cells[c] & both) == present ? (high_ ? -1 : 1) : 0;
        }
        if (program.optimize(weights, std::numeric_limits<std::int64_t>::min() / 2) != Outcome::best) return bound;
        const Fraction value = program.value(weights);
        bound.value = high_ ? Fraction{-value.above, value.below} : value;
        bound.found = true;
        if (!traced) return bound;
        for (std::size_t row = 0; row < constraints.size(); ++row) {
            Fraction times = program.multiplier(row);
            if (times.above == 0) continue;
            if (high_) times.above = -times.above;
            const std::int64_t divisor = std::gcd(times.above, times.below);
            bound.needed.push_back(row);
            bound.times.push_back({times.above / divisor, times.below / divisor});
        }
        return bound;
    }

    bool suffices(const Bound& bound) const {
        return bound.found && (high_ ? bound.value.floor() <= wanted_ : bound.value.ceil() >= wanted_);
    }

    bool better(const Bound& one, const Bound& other) const {
        if (!one.found || !other.found) return one.found && !other.found;
        const double difference = double(one.value.above) / double(one.value.below) -
                                  double(other.value.above) / double(other.value.below);  // only the order of trials
        return high_ ? difference < 0 : difference > 0;
    }

    bool in_group(std::int32_t item) const {
        return std::find(present_.begin(), present_.end(), item) != present_.end() ||
               std::find(absent_.begin(), absent_.end(), item) != absent_.end();
    }

    const PublicationIndex& index_;
    const std::span<const std::int32_t> window_, present_, absent_;
    const bool high_;
    const std::int64_t wanted_;
    WindowScratch scratch_;
};

}  // namespace

std::vector<Proof> prove(const Knowledge& known, const NamedBounds& named, bool shortest, unsigned threads,
                         std::atomic<bool>& stop, const std::function<void()>& tick) {
    const PublicationIndex index(known);
    std::vector<Proof> proofs(named.bounds.size());
    std::atomic<std::size_t> next{0};
    run_crew(threads, stop, tick, [&](unsigned) {
        for (std::size_t number; (number = next++) < proofs.size();) {
            if (stop.load(std::memory_order_relaxed)) throw Stopped{};
            try {
                proofs[number] = Prover(index, named, number).prove(shortest);
            } catch (const TooLargeNumbers&) {  // then it has no terms
            }
        }
    });
    return proofs;
}

}  // namespace discreet
