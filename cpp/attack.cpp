#include "attack.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <tuple>
#include <utility>

#include "attack_constraints.hpp"
#include "attack_window.hpp"
#include "crew.hpp"

namespace discreet {

namespace {

constexpr std::size_t windows_at_once = 16;
constexpr std::size_t windows_at_once_of_all = 1024;  // no budget to share out
constexpr std::chrono::milliseconds between_ticks{100};
constexpr std::int64_t least_steps = 200;  // for one of several windows
constexpr std::size_t step_entries = 2048;
constexpr std::size_t pivot_entries = 1 << 12;  // conclusions need more pivots than bounds, so these are counted

// A step is at most so many entries of a program changed, or cells of candidates looked at: programs that take
// unusually many pivots, and candidates that are unusually many, count for more than a step. A hundred thousand steps
// are then less than half a minute, whatever the data.
constexpr std::int64_t step_work = std::int64_t{1} << 18;

constexpr std::int64_t never_reached = std::numeric_limits<std::int64_t>::max() / step_work;
constexpr std::int64_t never_enough = std::numeric_limits<std::int64_t>::min() / 2;

__extension__ using Wide = __int128;

// Items whose groups are examined, and of a conclusion the item that it is about.
struct Target {
    Subset both;
    Subset item = 0;
};

struct Candidate {
    Subset present;
    Subset both;
    Subset item = 0;
    bool fraction_only = false;  // only a solution with fractional rows rules it out
};

struct WindowAnswer {
    WindowState state = not_reached;
    std::int64_t candidates = 0;
    std::int64_t programs = 0;
    std::int64_t steps = 1;
    struct Group {
        Subset present;
        Subset both;
        std::int64_t low = 0;
        std::int64_t high = 0;
        Subset item = 0;
        std::int64_t having_low = 0;
        std::int64_t having_high = 0;
    };
    std::vector<Group> found;
    std::vector<Group> open;
};

// Examines the candidates of one window.
class WindowSearch {
public:
    WindowSearch(const AttackTask& task, const PublicationIndex& index, WindowScratch& scratch)
        : task_(task), index_(index), scratch_(scratch) {}

    WindowAnswer search(std::span<const std::int32_t> items, std::int64_t steps) {
        WindowAnswer answer;
        answer.state = too_large;
        if (items.size() > widest_window) return answer;
        work_ = 1;
        for (std::size_t item = 0; item < items.size(); ++item) work_ *= 3;  // a window visits subsets of its subsets
        answer.steps += work_ / step_work;
        window_ = open_window(index_, items, scratch_);
        if (window_.impossible) {
            answer.state = impossible;
            return answer;
        }
        if (window_.cells.size() > task_.cells) return answer;
        const WindowAnswer start = answer;
        try {
            look<std::int32_t>(answer, steps);
        } catch (const TooLargeNumbers&) {
            answer = start;
            try {
                look<std::int64_t>(answer, steps);
            } catch (const TooLargeNumbers&) {
                answer = start;
            }
        }
        return answer;
    }

private:
    template <typename Entry>
    void look(WindowAnswer& answer, std::int64_t steps) {
        find_targets();
        candidates_.clear();
        if (task_.data_given) from_data();
        answer.candidates = static_cast<std::int64_t>(candidates_.size());
        answer.state = looked_at;
        if (task_.data_given ? candidates_.empty() : targets_.empty()) return;
        const std::vector<Constraint> constraints = fewest_equations(window_);
        Simplex<Entry> program = program_of<Entry>(window_, constraints);
        // A program counts one step per thousand entries: large ones take longer.
        entries_ = constraints.size() * window_.cells.size();
        cost_ = 1 + static_cast<std::int64_t>(entries_ / step_entries);
        if (steps >= 0 && steps < never_reached)
            program.limit(static_cast<std::size_t>(steps * step_work) / std::max<std::size_t>(1, weighed<Entry>()) + 1);
        try {
            solve(program, answer, steps);
        } catch (const TooManyPivots&) {
            // What was found before still follows. Without a first solution smaller windows are worth more.
            answer.state = answer.programs > 1 ? not_reached : too_large;
        }
        answer.steps = steps_so_far(program, answer);
    }

    template <typename Entry>
    void solve(Simplex<Entry>& program, WindowAnswer& answer, std::int64_t steps) {
        count_program(answer);
        if (!program.start()) {
            answer.state = impossible;
            return;
        }
        if (task_.data_given) {
            rule_out(program);
        } else {
            from_solution(program);
            answer.candidates = static_cast<std::int64_t>(candidates_.size());
        }
        ask_all(program, answer, steps);
    }

    template <typename Entry>
    std::int64_t steps_so_far(const Simplex<Entry>& program, const WindowAnswer& answer) const {
        const auto pivoted = static_cast<std::int64_t>(program.pivots() * weighed<Entry>());
        return std::max(answer.steps, (pivoted + work_) / step_work);
    }

    // The entries that a pivot changes; those of 64 bits take longer.
    template <typename Entry>
    std::size_t weighed() const {
        return entries_ * (sizeof(Entry) / sizeof(std::int32_t));
    }

    void count_program(WindowAnswer& answer) const {
        ++answer.programs;
        answer.steps += cost_;
    }

    template <typename Entry>
    void ask_all(Simplex<Entry>& program, WindowAnswer& answer, std::int64_t steps) {
        while (!candidates_.empty()) {
            if (task_.stop.load(std::memory_order_relaxed)) throw Stopped{};
            if (steps >= 0 && steps_so_far(program, answer) >= steps) {
                answer.state = not_reached;  // not complete
                return;
            }
            if (task_.conclude && answer.found.size() >= task_.conclude->most) return;
            const Candidate one = candidates_.back();
            if (one.fraction_only) {  // only candidates of this kind are left: they come last
                answer.open.push_back({one.present, one.both, 0, 0, one.item});
                candidates_.pop_back();
            } else if (one.item && within_pure(one)) {
                candidates_.pop_back();
            } else if (one.item) {
                conclude(one, program, answer);
            } else {
                ask(one, program, answer);
            }
        }
    }

    // Whether a group is small in every solution; if not, the solution that shows it rules out others as well.
    template <typename Entry>
    void ask(const Candidate& one, Simplex<Entry>& program, WindowAnswer& answer) {
        weigh(one, 1, 1);
        count_program(answer);
        if (program.optimize(weights_, 0) == Outcome::enough) return rule_out(program);
        const std::int64_t low = program.value(weights_).ceil();
        weigh(one, -1, -1);
        count_program(answer);
        const Outcome outcome = program.optimize(weights_, -task_.k);
        if (outcome == Outcome::enough) return rule_out(program);
        candidates_.pop_back();
        if (outcome == Outcome::unbounded) return;  // there is no upper bound on the rows
        const std::int64_t high = -program.value(weights_).ceil();
        answer.found.push_back({one.present, one.both, low, high});
    }

    // Weights for the rows of a group with its item, and for those without it.
    void weigh(const Candidate& one, std::int64_t with, std::int64_t without) {
        weights_.assign(window_.cells.size(), 0);
        for (std::size_t c = 0; c < window_.cells.size(); ++c) {
            if ((window_.cells[c] & one.both) == one.present)
                weights_[c] = window_.cells[c] & one.item ? with : without;
        }
    }

    // Whether a larger group already has no rows without the item, so that this one adds nothing.
    bool within_pure(const Candidate& one) const {
        const auto pure = [&](Subset present, Subset both) {
            return std::ranges::all_of(window_.cells,
                                       [&](Subset cell) { return (cell & both) != present || (cell & one.item); });
        };
        if (!pure(one.present, one.both)) return false;
        for (Subset rest = one.both; rest; rest &= rest - 1) {
            const Subset bit = rest & -rest;
            if (pure(one.present & ~bit, one.both & ~bit)) return true;
        }
        return false;
    }

    // Whether a group has rows, and the share of them with the item, in every solution; bounds if so.
    template <typename Entry>
    void conclude(const Candidate& one, Simplex<Entry>& program, WindowAnswer& answer) {
        const std::int64_t above = task_.conclude->above, below = task_.conclude->below;
        const auto least = [&](std::int64_t with, std::int64_t without, std::int64_t enough, bool strictly = false) {
            weigh(one, with, without);
            const std::size_t before = program.pivots();
            const Outcome outcome = program.optimize(weights_, enough, strictly);
            ++answer.programs;
            answer.steps += 1 + static_cast<std::int64_t>((program.pivots() - before) * entries_ / pivot_entries);
            return outcome;
        };
        const auto value = [&] { return program.value(weights_).ceil(); };
        if (least(below - above, -above, 0, true) == Outcome::enough) return rule_out(program);
        if (least(1, 1, 0) == Outcome::enough) return rule_out(program);
        WindowAnswer::Group group{one.present, one.both, value(), 0, one.item};
        candidates_.pop_back();
        if (least(-1, -1, never_enough) != Outcome::best) return;  // there is no upper bound on the rows
        group.high = -value();
        if (least(1, 0, never_enough) != Outcome::best) return;
        group.having_low = value();
        if (least(-1, 0, never_enough) != Outcome::best) return;
        group.having_high = -value();
        answer.found.push_back(group);
    }

    // Sets of items whose groups are not known.
    void find_targets() {
        Subset asked = window_.whole();
        if (!task_.asked.empty()) {
            for (std::size_t bit = 0; bit < window_.items.size(); ++bit) {
                if (!task_.asked[window_.items[bit]]) asked &= ~(Subset{1} << bit);
            }
        }
        targets_.clear();
        if (task_.conclude) {
            for (std::size_t bit = 0; bit < window_.items.size(); ++bit) {
                const Subset item = Subset{1} << bit;
                if (!task_.conclude->items[window_.items[bit]]) continue;
                for_each_subset(asked & ~item, [&](Subset both) { add_target(both, item); });
            }
            // The last is examined first: large groups, of few items.
            std::ranges::stable_sort(targets_, std::greater{},
                                     [](const Target& target) { return std::popcount(target.both); });
            return;
        }
        for (Subset subset = 1; subset < window_.low.size(); ++subset) {
            if (!(subset & ~asked)) add_target(subset, 0);
        }
    }

    void add_target(Subset both, Subset item) {
        // If all subsets are published, the groups were found before, by counting.
        const Subset whole = both | item;
        const bool published = window_.settled[whole] && !window_.excluded[whole] && !window_.ceiling[whole];
        if (published && task_.known.layers.size() == 1) return;
        if (static_cast<std::size_t>(std::popcount(both)) <= task_.groups) targets_.push_back({both, item});
    }

    void from_data() {
        std::vector<std::int64_t>& counts = scratch_.best;
        counts.assign(window_.low.size(), 0);
        std::int64_t met = 0;
        const auto weight = [&](std::size_t row) { return task_.data.weights.empty() ? 1 : task_.data.weights[row]; };
        index_.data.visit(window_.items, scratch_.codes.back(), scratch_.met, [&](std::uint32_t row, Subset subset) {
            counts[subset] += weight(row);
            met += weight(row);
        });
        counts[0] = data_total() - met;
        rows_.clear();
        for (Subset held = 0; held < counts.size(); ++held) {
            if (counts[held]) rows_.emplace_back(held, counts[held]);
        }
        collect(1);
    }

    std::int64_t data_total() {
        if (data_total_ < 0) {
            data_total_ = 0;
            for (std::size_t row = 0; row < task_.data.rows.count(); ++row) {
                data_total_ += task_.data.weights.empty() ? 1 : task_.data.weights[row];
            }
        }
        return data_total_;
    }

    template <typename Entry>
    void from_solution(const Simplex<Entry>& program) {
        find_rows(program);
        collect(program.denominator());
        if (!program.whole() && task_.exact) add_fractions();
    }

    // Groups that only fractional rows rule out are not candidates of the programs, but not settled either.
    void add_fractions() {
        std::vector<Candidate> small;
        std::swap(small, candidates_);
        const auto before = [](const Candidate& a, const Candidate& b) {
            return std::tie(a.both, a.present, a.item) < std::tie(b.both, b.present, b.item);
        };
        std::sort(small.begin(), small.end(), before);
        for (const auto& [both, item] : targets_) {
            for_each_subset(both, [&, both = both, item = item](Subset present) {
                const Candidate one{present, both, item, true};
                if (!std::binary_search(small.begin(), small.end(), one, before)) candidates_.push_back(one);
            });
        }
        candidates_.insert(candidates_.end(), small.begin(), small.end());
    }

    // The cells with rows in the current solution.
    template <typename Entry>
    void find_rows(const Simplex<Entry>& program) {
        rows_.clear();
        for (std::size_t row = 0; row < program.rows(); ++row) {
            const auto cell = static_cast<std::size_t>(program.basic(row));
            if (cell < window_.cells.size() && program.amount(row)) {
                rows_.emplace_back(window_.cells[cell], program.amount(row));
            }
        }
    }

    // Makes candidates of the groups that are as asked here.
    void collect(std::int64_t denominator) {
        std::vector<std::int64_t> counts(window_.low.size()), having(window_.low.size());
        for (const auto& [both, item] : targets_) {
            for (const auto& [subset, count] : rows_) {
                counts[subset & both] += count;
                if (subset & item) having[subset & both] += count;
            }
            for (const auto& [subset, count] : rows_) {
                const Subset present = subset & both;
                if (as_asked(counts[present], having[present], denominator)) {
                    candidates_.push_back({present, both, item});
                }
                counts[present] = having[present] = 0;
            }
        }
    }

    // Whether a group of so many rows is small, or a share of them with an item is large. Amounts are over a
    // denominator.
    bool as_asked(std::int64_t count, std::int64_t having, std::int64_t denominator) const {
        if (count <= 0) return false;
        if (!task_.conclude) return count < task_.k * denominator;
        return Wide(having) * task_.conclude->below >= Wide(count) * task_.conclude->above;
    }

    // Removes the candidates that are empty, or not small, in the current solution.
    template <typename Entry>
    void rule_out(const Simplex<Entry>& program) {
        find_rows(program);
        work_ += static_cast<std::int64_t>(candidates_.size() * rows_.size());
        const bool whole = program.whole();
        std::vector<Candidate> fractions, kept;
        for (Candidate& one : candidates_) {
            if (one.fraction_only && !whole) {
                fractions.push_back(one);
                continue;
            }
            std::int64_t count = 0, having = 0;
            for (const auto& [subset, amount] : rows_) {
                if ((subset & one.both) != one.present) continue;
                count += amount;
                if (subset & one.item) having += amount;
            }
            if (as_asked(count, having, program.denominator())) {
                (one.fraction_only ? fractions : kept).push_back(one);
            } else if (!whole && task_.exact) {
                one.fraction_only = true;
                fractions.push_back(one);
            }
        }
        candidates_ = std::move(fractions);
        candidates_.insert(candidates_.end(), kept.begin(), kept.end());
    }

    const AttackTask& task_;
    const PublicationIndex& index_;
    WindowScratch& scratch_;
    Window window_;
    std::vector<Target> targets_;
    std::vector<Candidate> candidates_;  // those ruled out by fractions first: the last is examined next
    std::vector<std::int64_t> weights_;
    std::vector<std::pair<Subset, std::int64_t>> rows_;  // by cell, of the data or of a solution (over its denominator)
    std::size_t entries_ = 0;
    std::int64_t cost_ = 1;  // of a program of this window, in steps
    std::int64_t work_ = 0;  // in this window, beyond pivots
    std::int64_t data_total_ = -1;
};

void add(FoundGroups& groups, std::size_t number, std::span<const std::int32_t> window,
         const std::vector<WindowAnswer::Group>& found) {
    for (const WindowAnswer::Group& group : found) {
        groups.windows.push_back(static_cast<std::int64_t>(number));
        for (std::size_t bit = 0; bit < window.size(); ++bit) {
            const Subset one = Subset{1} << bit;
            if (group.present & one)
                groups.present.push_back(window[bit]);
            else if (group.both & one)
                groups.absent.push_back(window[bit]);
        }
        groups.present_offsets.push_back(static_cast<std::int64_t>(groups.present.size()));
        groups.absent_offsets.push_back(static_cast<std::int64_t>(groups.absent.size()));
        groups.lows.push_back(group.low);
        groups.highs.push_back(group.high);
        if (!group.item) continue;
        groups.items.push_back(window[std::countr_zero(group.item)]);
        groups.having_lows.push_back(group.having_low);
        groups.having_highs.push_back(group.having_high);
    }
}

}  // namespace

// Windows are processed a few at a time, so that steps are counted in the same order for any number of threads.
Attack attack(const AttackTask& task) {
    Attack all;
    all.states.assign(task.windows.count(), not_reached);
    const PublicationIndex index(task.known, task.data);
    std::vector<WindowScratch> scratch(std::max(1U, task.threads));
    std::int64_t left = task.steps;
    auto ticked = std::chrono::steady_clock::now();
    const std::size_t at_once = task.steps < 0 ? windows_at_once_of_all : windows_at_once;
    for (std::size_t start = 0; start < task.windows.count(); start += at_once) {
        const std::size_t stop = std::min(task.windows.count(), start + at_once);
        std::vector<WindowAnswer> answers(stop - start);
        // No single window may use the whole budget if there are others.
        const std::int64_t most =
            task.windows.count() == 1 || left < 0 ? left : std::max(least_steps, left / std::int64_t{windows_at_once});
        std::atomic<std::size_t> next{start};
        run_crew(task.threads, task.stop, task.tick, [&](unsigned number) {
            WindowSearch search(task, index, scratch[number]);
            for (std::size_t window; (window = next++) < stop;) {
                if (task.stop.load(std::memory_order_relaxed)) throw Stopped{};
                answers[window - start] = search.search(task.windows.row(window), most);
            }
        });
        for (std::size_t window = start; window < stop; ++window) {
            const WindowAnswer& answer = answers[window - start];
            if (task.steps >= 0 && left <= 0) return all;
            all.states[window] = answer.state;
            all.candidates += answer.candidates;
            all.programs += answer.programs;
            add(all.found, window, task.windows.row(window), answer.found);
            add(all.open, window, task.windows.row(window), answer.open);
            left -= answer.steps;
        }
        if (task.steps >= 0 && left <= 0) break;
        task.looked_at = stop;
        const double budget = task.steps <= 0 ? 0.0 : 1.0 - static_cast<double>(left) / static_cast<double>(task.steps);
        task.done = std::max(budget, static_cast<double>(stop) / static_cast<double>(task.windows.count()));
        // The crew ticks only while it works, and a few windows are often done before its first tick.
        const auto now = std::chrono::steady_clock::now();
        if (now - ticked > between_ticks) {
            ticked = now;
            task.tick();
        }
    }
    return all;
}

}  // namespace discreet
