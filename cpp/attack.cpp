#include "attack.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "attack_constraints.hpp"
#include "attack_window.hpp"
#include "crew.hpp"

namespace discreet {

namespace {

constexpr std::size_t windows_at_once = 16;
constexpr std::chrono::milliseconds between_ticks{100};
constexpr std::int64_t least_steps = 200;  // for one of several windows
constexpr std::size_t step_entries = 2048;

struct Candidate {
    Subset present;
    Subset both;
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
        std::int64_t low;
        std::int64_t high;
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
        cost_ = 1 + static_cast<std::int64_t>(constraints.size() * window_.cells.size() / step_entries);
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

    void count_program(WindowAnswer& answer) const {
        ++answer.programs;
        answer.steps += cost_;
    }

    template <typename Entry>
    void ask_all(Simplex<Entry>& program, WindowAnswer& answer, std::int64_t steps) {
        while (!candidates_.empty()) {
            if (task_.stop.load(std::memory_order_relaxed)) throw Stopped{};
            if (steps >= 0 && answer.steps >= steps) {
                answer.state = not_reached;  // not complete
                return;
            }
            const Candidate one = candidates_.back();
            if (one.fraction_only) {  // only candidates of this kind are left: they come last
                answer.open.push_back({one.present, one.both, 0, 0});
                candidates_.pop_back();
            } else {
                ask(one, program, answer);
            }
        }
    }

    // Whether a group is small in every solution; if not, the solution that shows it rules out others as well.
    template <typename Entry>
    void ask(const Candidate& one, Simplex<Entry>& program, WindowAnswer& answer) {
        weights_.assign(window_.cells.size(), 0);
        for (std::size_t c = 0; c < window_.cells.size(); ++c) {
            weights_[c] = (window_.cells[c] & one.both) == one.present;
        }
        count_program(answer);
        if (program.optimize(weights_, 0) == Outcome::enough) return rule_out(program);
        const std::int64_t low = program.value(weights_).ceil();
        for (std::int8_t& weight : weights_) weight = -weight;
        count_program(answer);
        const Outcome outcome = program.optimize(weights_, -task_.k);
        if (outcome == Outcome::enough) return rule_out(program);
        candidates_.pop_back();
        if (outcome == Outcome::unbounded) return;  // there is no upper bound on the rows
        const std::int64_t high = -program.value(weights_).ceil();
        answer.found.push_back({one.present, one.both, low, high});
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
        for (Subset subset = 1; subset < window_.low.size(); ++subset) {
            if (subset & ~asked) continue;
            // If all subsets are published, the groups are channels, which were found before.
            const bool published = window_.settled[subset] && !window_.excluded[subset] && !window_.ceiling[subset];
            if (published && task_.known.layers.size() == 1) continue;
            if (static_cast<std::size_t>(std::popcount(subset)) > task_.groups) continue;
            targets_.push_back(subset);
        }
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
            return a.both != b.both ? a.both < b.both : a.present < b.present;
        };
        std::sort(small.begin(), small.end(), before);
        for (const Subset both : targets_) {
            for_each_subset(both, [&](Subset present) {
                const Candidate one{present, both, true};
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

    // Makes candidates of the groups with 1 to k-1 rows.
    void collect(std::int64_t denominator) {
        std::vector<std::int64_t> counts(window_.low.size());
        for (const Subset both : targets_) {
            for (const auto& [subset, count] : rows_) counts[subset & both] += count;
            for (const auto& [subset, count] : rows_) {
                std::int64_t& here = counts[subset & both];
                if (here > 0 && here < task_.k * denominator) candidates_.push_back({subset & both, both});
                here = 0;
            }
        }
    }

    // Removes the candidates that are empty, or not small, in the current solution.
    template <typename Entry>
    void rule_out(const Simplex<Entry>& program) {
        find_rows(program);
        const bool whole = program.whole();
        const std::int64_t large = task_.k * program.denominator();
        std::vector<Candidate> fractions, kept;
        for (Candidate& one : candidates_) {
            if (one.fraction_only && !whole) {
                fractions.push_back(one);
                continue;
            }
            std::int64_t count = 0;
            for (const auto& [subset, amount] : rows_) {
                if ((subset & one.both) == one.present) count += amount;
            }
            if (count > 0 && count < large) {
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
    std::vector<Subset> targets_;
    std::vector<Candidate> candidates_;  // those ruled out by fractions first: the last is examined next
    std::vector<std::int8_t> weights_;
    std::vector<std::pair<Subset, std::int64_t>> rows_;  // by cell, of the data or of a solution (over its denominator)
    std::int64_t cost_ = 1;                              // of a program of this window, in steps
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
    for (std::size_t start = 0; start < task.windows.count(); start += windows_at_once) {
        const std::size_t stop = std::min(task.windows.count(), start + windows_at_once);
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
