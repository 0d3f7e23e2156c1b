#include "attack.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <numeric>

#include "crew.hpp"

namespace discreet {

namespace {

using Mask = std::uint32_t;

constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t windows_at_once = 16;
constexpr std::int64_t least_steps = 200;  // for one of several windows
constexpr std::size_t step_entries = 2048;
constexpr std::size_t largest_tableau = std::size_t{1} << 19;
constexpr std::size_t most_terms = 40;
constexpr std::size_t quick_items = 7;
constexpr std::int64_t no_offsets[1] = {0};
constexpr DataSet no_data{{std::span<const std::int64_t>(no_offsets), {}}, {}};

// Where each item occurs.
class Places {
public:
    Places(const Rows& rows, std::size_t labels) : starts_(labels + 1) {
        for (const std::int32_t item : rows.items) ++starts_[item + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        numbers_.resize(rows.items.size());
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        for (std::size_t row = 0; row < rows.count(); ++row) {
            for (const std::int32_t item : rows.row(row)) numbers_[next[item]++] = static_cast<std::uint32_t>(row);
        }
    }
    std::span<const std::uint32_t> of(std::int32_t item) const {
        return {numbers_.data() + starts_[item], starts_[item + 1] - starts_[item]};
    }

private:
    std::vector<std::size_t> starts_;
    std::vector<std::uint32_t> numbers_;
};

// Rows seen through a window: which of its items each row that meets it holds.
class Projector {
public:
    Projector(const Rows& rows, std::size_t labels) : places_(rows, labels), codes_(rows.count()) {}

    // Calls visit(row, mask) for every row that holds an item of the window.
    template <typename Visit>
    void visit(std::span<const std::int32_t> window, std::vector<Mask>& codes, std::vector<std::uint32_t>& met,
               Visit visit) const {
        codes.resize(codes_);
        met.clear();
        for (std::size_t bit = 0; bit < window.size(); ++bit) {
            for (const std::uint32_t row : places_.of(window[bit])) {
                if (codes[row] == 0) met.push_back(row);
                codes[row] |= Mask{1} << bit;
            }
        }
        for (const std::uint32_t row : met) {
            visit(row, codes[row]);
            codes[row] = 0;
        }
    }

private:
    Places places_;
    std::size_t codes_;
};

struct Scratch {
    std::vector<std::vector<Mask>> codes;  // by layer, and one more for the data
    std::vector<std::uint32_t> met;
    std::vector<std::int64_t> best;
};

// What all windows share: where the items occur.
struct Ground {
    const Knowledge& known;
    std::vector<Projector> layers;
    Projector data;
    const DataSet& rows;

    Ground(const Knowledge& knowledge, const DataSet& data_set)
        : known(knowledge), data(data_set.rows, knowledge.labels), rows(data_set) {
        for (const Layer& layer : known.layers) layers.emplace_back(layer.itemsets, known.labels);
    }
};

// A window: bounds on the support of every subset of its items, and the cells that rows can be in.
struct Window {
    std::span<const std::int32_t> items;
    std::vector<std::int64_t> low;
    std::vector<std::int64_t> high;
    std::vector<std::uint8_t> ceiling;  // whether `high` is a layer's ceiling rather than a support
    std::vector<std::uint8_t> settled;  // whether all subsets are known exactly, so that the groups on it are
    std::vector<std::uint8_t> excluded;
    std::vector<Mask> maximal;  // of those settled
    std::vector<Mask> cells;
    bool impossible = false;

    Mask whole() const { return static_cast<Mask>(low.size() - 1); }
    bool exact(Mask mask) const { return low[mask] == high[mask]; }
};

void learn(Window& window, const Layer& layer, const Projector& places, Scratch& scratch, std::size_t number) {
    const std::size_t size = window.low.size();
    Mask marked = 0;
    if (layer.marker >= 0) {
        const auto at = std::find(window.items.begin(), window.items.end(), layer.marker);
        if (at == window.items.end()) return;
        marked = Mask{1} << (at - window.items.begin());
    }
    std::vector<std::int64_t>& best = scratch.best;
    best.assign(size, 0);
    const auto set_low = [&](Mask mask, std::int64_t value) { window.low[mask] = std::max(window.low[mask], value); };
    const auto set_high = [&](Mask mask, std::int64_t value, bool ceiling) {
        if (value >= window.high[mask]) return;
        window.high[mask] = value;
        window.ceiling[mask] = ceiling;
    };
    std::vector<std::uint8_t> listed(layer.closed ? 0 : size);
    places.visit(window.items, scratch.codes[number], scratch.met, [&](std::uint32_t set, Mask mask) {
        if ((mask & marked) != marked) return;
        best[mask] = std::max(best[mask], layer.lows[set]);
        if (layer.closed || layer.itemsets.row(set).size() != static_cast<std::size_t>(std::popcount(mask))) return;
        listed[mask] = 1;
        set_high(mask, layer.highs[set], false);
    });
    if (layer.total >= 0) best[marked] = std::max(best[marked], layer.total);
    // what holds a set holds its subsets
    for (std::size_t bit = 0; bit < window.items.size(); ++bit) {
        const Mask one = Mask{1} << bit;
        for (Mask mask = 0; mask < size; ++mask) {
            if (!(mask & one)) best[mask] = std::max(best[mask], best[mask | one]);
        }
    }
    for (Mask mask = 0; mask < size; ++mask) {
        set_low(mask, best[mask]);
        if ((mask & marked) != marked) continue;
        const bool known = layer.closed ? best[mask] > 0 : listed[mask] != 0;
        if (layer.closed && known) set_high(mask, best[mask], false);
        if (mask == marked && layer.total >= 0)
            set_high(mask, layer.total, false);
        else if (!known && layer.ceiling >= 0)
            set_high(mask, layer.ceiling, true);
    }
}

void find_settled(Window& window) {
    const std::size_t size = window.low.size();
    window.settled.assign(size, 0);
    for (Mask mask = 0; mask < size; ++mask) {
        bool settled = window.exact(mask);
        for (Mask rest = mask; settled && rest; rest &= rest - 1) settled = window.settled[mask & ~(rest & -rest)];
        window.settled[mask] = settled;
    }
    window.maximal.clear();
    for (Mask mask = 0; mask < size; ++mask) {
        if (!window.settled[mask]) continue;
        bool top = true;
        for (Mask rest = window.whole() & ~mask; top && rest; rest &= rest - 1) {
            top = !window.settled[mask | (rest & -rest)];
        }
        if (top) window.maximal.push_back(mask);
    }
}

// The numbers of rows with each subset of a settled set and nothing else of it, at the subsets' places.
void find_groups(const Window& window, Mask set, std::vector<std::int64_t>& groups) {
    groups.resize(window.low.size());
    Mask mask = set;
    while (true) {
        groups[mask] = window.low[mask];
        if (mask == 0) break;
        mask = (mask - 1) & set;
    }
    for (Mask rest = set; rest; rest &= rest - 1) {
        const Mask one = rest & -rest;
        Mask part = set & ~one;
        while (true) {
            groups[part] -= groups[part | one];
            if (part == 0) break;
            part = (part - 1) & (set & ~one);
        }
    }
}

void find_excluded(Window& window, const Rows& exclusive) {
    window.excluded.assign(window.low.size(), 0);
    for (std::size_t set = 0; set < exclusive.count(); ++set) {
        Mask held = 0;
        const auto items = exclusive.row(set);
        for (std::size_t bit = 0; bit < window.items.size(); ++bit) {
            if (std::binary_search(items.begin(), items.end(), window.items[bit])) held |= Mask{1} << bit;
        }
        if (std::popcount(held) < 2) continue;
        for (Mask mask = 0; mask < window.low.size(); ++mask) {
            if (std::popcount(mask & held) > 1) window.excluded[mask] = 1;
        }
    }
}

// The cells that rows can be in: none with two exclusive items, with items that never meet, or of a group of no rows.
// With `all`, only exclusive items count: then every other conclusion has to be drawn from the figures themselves.
void find_cells(Window& window, bool all) {
    const std::size_t size = window.low.size();
    std::vector<std::uint8_t> dead(window.excluded);
    if (!all) {
        for (Mask mask = 0; mask < size; ++mask) {
            if (window.high[mask] != 0) continue;
            for (Mask cell = mask; cell < size; cell = (cell + 1) | mask) dead[cell] = 1;
        }
        std::vector<std::int64_t> groups;
        for (const Mask set : window.maximal) {
            find_groups(window, set, groups);
            for (Mask cell = 0; cell < size; ++cell) {
                const std::int64_t rows = groups[cell & set];
                if (rows < 0) window.impossible = true;
                if (rows == 0) dead[cell] = 1;
            }
        }
    }
    window.cells.clear();
    for (Mask cell = 0; cell < size; ++cell) {
        if (!dead[cell]) window.cells.push_back(cell);
    }
}

Window open_window(const Ground& ground, std::span<const std::int32_t> items, Scratch& scratch, bool all = false) {
    Window window;
    window.items = items;
    const std::size_t size = std::size_t{1} << items.size();
    window.low.assign(size, 0);
    window.high.assign(size, no_bound);
    window.ceiling.assign(size, 0);
    scratch.codes.resize(ground.layers.size() + 1);
    for (std::size_t number = 0; number < ground.layers.size(); ++number) {
        learn(window, ground.known.layers[number], ground.layers[number], scratch, number);
    }
    find_excluded(window, ground.known.exclusive);
    for (Mask mask = 0; mask < size; ++mask) {
        if (window.excluded[mask]) {
            if (window.low[mask] > 0) window.impossible = true;
            window.high[mask] = 0;
        }
        if (window.low[mask] > window.high[mask]) window.impossible = true;
    }
    find_settled(window);
    find_cells(window, all);
    return window;
}

// One equation or bound on the sum of the cells that hold `mask` (or, on `within`, of those that hold nothing else of
// it).
struct Constraint {
    Mask mask;
    Mask within;  // 0: the support of mask
    int side;     // 0 equal, 1 at most, -1 at least
    std::int64_t figure;
};

// Bounds that no other bound gives already.
void add_bounds(const Window& window, std::vector<Constraint>& constraints) {
    for (Mask mask = 0; mask < window.low.size(); ++mask) {
        if (window.exact(mask) || window.excluded[mask]) continue;
        bool high = window.high[mask] != no_bound, low = window.low[mask] > 0;
        for (Mask rest = mask; high && rest; rest &= rest - 1) {
            high = window.high[mask & ~(rest & -rest)] > window.high[mask];
        }
        for (Mask rest = window.whole() & ~mask; low && rest; rest &= rest - 1) {
            low = window.low[mask | (rest & -rest)] < window.low[mask];
        }
        if (high) constraints.push_back({mask, 0, 1, window.high[mask]});
        if (low) constraints.push_back({mask, 0, -1, window.low[mask]});
    }
}

std::vector<Constraint> all_figures(const Window& window) {
    std::vector<Constraint> constraints;
    for (Mask mask = 0; mask < window.low.size(); ++mask) {
        if (!window.exact(mask) || window.excluded[mask]) continue;
        constraints.push_back({mask, 0, window.ceiling[mask] ? 1 : 0, window.high[mask]});
    }
    add_bounds(window, constraints);
    return constraints;
}

// The same in fewer or simpler equations: the groups on each maximal settled set, where those are not more.
std::vector<Constraint> fewest_equations(const Window& window) {
    std::vector<Constraint> constraints;
    std::size_t exact = 0;
    for (Mask mask = 0; mask < window.low.size(); ++mask) exact += window.exact(mask) && !window.excluded[mask];
    std::vector<std::int64_t> groups;
    for (const Mask set : window.maximal) {
        find_groups(window, set, groups);
        Mask part = set;
        while (true) {
            if (groups[part] > 0) constraints.push_back({part, set, 0, groups[part]});
            if (part == 0 || constraints.size() > exact) break;
            part = (part - 1) & set;
        }
    }
    if (constraints.size() > exact || window.maximal.empty()) return all_figures(window);
    for (Mask mask = 0; mask < window.low.size(); ++mask) {
        if (window.exact(mask) && !window.settled[mask] && !window.excluded[mask]) {
            constraints.push_back({mask, 0, 0, window.low[mask]});
        }
    }
    add_bounds(window, constraints);
    return constraints;
}

bool holds(Mask cell, const Constraint& constraint) {
    return constraint.within ? (cell & constraint.within) == constraint.mask
                             : (cell & constraint.mask) == constraint.mask;
}

template <typename Entry>
Simplex<Entry> program_of(const Window& window, std::span<const Constraint> constraints, bool traced = false) {
    std::size_t slacks = 0;
    for (const Constraint& constraint : constraints) slacks += constraint.side != 0;
    const std::size_t columns = window.cells.size() + slacks;
    if (constraints.size() * columns > largest_tableau) throw TooLargeNumbers{};
    Simplex<Entry> program(constraints.size(), columns, traced);
    std::size_t slack = window.cells.size();
    for (std::size_t row = 0; row < constraints.size(); ++row) {
        const Constraint& constraint = constraints[row];
        for (std::size_t c = 0; c < window.cells.size(); ++c) {
            if (holds(window.cells[c], constraint)) program.at(row, c) = 1;
        }
        program.right(row) = constraint.figure;
        if (constraint.side == 0) continue;
        program.at(row, slack) = constraint.side;
        if (constraint.side > 0) program.starts_with(row, slack);
        ++slack;
    }
    return program;
}

struct Candidate {
    Mask present;
    Mask both;
    bool fraction_only = false;  // ruled out by a solution with fractions of rows
};

struct WindowAnswer {
    WindowState state = not_reached;
    std::int64_t candidates = 0;
    std::int64_t programs = 0;
    std::int64_t steps = 1;
    struct Group {
        Mask present;
        Mask both;
        std::int64_t low;
        std::int64_t high;
    };
    std::vector<Group> found;
    std::vector<Group> open;
};

// Goes through the candidates of one window.
class WindowSearch {
public:
    WindowSearch(const AttackTask& task, const Ground& ground, Scratch& scratch)
        : task_(task), ground_(ground), scratch_(scratch) {}

    WindowAnswer search(std::span<const std::int32_t> items, std::int64_t steps) {
        WindowAnswer answer;
        answer.state = too_large;
        if (items.size() > widest_window) return answer;
        window_ = open_window(ground_, items, scratch_);
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
        const bool data = task_.data_given;
        if (data) {
            from_data();
            answer.candidates = static_cast<std::int64_t>(candidates_.size());
            answer.state = looked_at;
            if (candidates_.empty()) return;
        } else if (targets_.empty()) {
            answer.state = looked_at;
            return;
        }
        const std::vector<Constraint> constraints = fewest_equations(window_);
        Simplex<Entry> program = program_of<Entry>(window_, constraints);
        // A program counts for as many steps as it has entries, in thousands: large ones take longer.
        const std::int64_t cost =
            1 + static_cast<std::int64_t>(constraints.size() * window_.cells.size() / step_entries);
        const auto solved = [&] {
            ++answer.programs;
            answer.steps += cost;
        };
        solved();
        if (!program.start()) {
            answer.state = impossible;
            return;
        }
        if (!data) {
            from_solution(program);
            answer.candidates = static_cast<std::int64_t>(candidates_.size());
        } else {
            rule_out(program);
        }
        answer.state = looked_at;
        std::vector<Candidate> open;
        while (!candidates_.empty()) {
            if (task_.stop.load(std::memory_order_relaxed)) throw Stopped{};
            if (steps >= 0 && answer.steps >= steps) {
                answer.state = not_reached;  // not to the end
                break;
            }
            const Candidate one = candidates_.back();
            if (one.fraction_only) {  // all that are left are of this kind: they stand last in line
                open.push_back(one);
                candidates_.pop_back();
                continue;
            }
            ask(one, program, answer, solved);
        }
        for (const Candidate& one : open) answer.open.push_back({one.present, one.both, 0, 0});
    }

    // Whether a group is small in every solution; if not, the solution that says so rules out others, too.
    template <typename Entry, typename Solved>
    void ask(const Candidate& one, Simplex<Entry>& program, WindowAnswer& answer, Solved solved) {
        weights_.assign(window_.cells.size(), 0);
        for (std::size_t c = 0; c < window_.cells.size(); ++c) {
            weights_[c] = (window_.cells[c] & one.both) == one.present;
        }
        solved();
        if (program.optimize(weights_, 0) == Outcome::enough) return rule_out(program);
        const std::int64_t low = program.value(weights_).ceil();
        for (std::int8_t& weight : weights_) weight = -weight;
        solved();
        switch (program.optimize(weights_, -task_.k)) {
            case Outcome::enough:
                return rule_out(program);
            case Outcome::unbounded:  // as many rows as one likes
                candidates_.pop_back();
                return;
            case Outcome::best:
                break;
        }
        const std::int64_t high = -program.value(weights_).ceil();
        answer.found.push_back({one.present, one.both, low, high});
        candidates_.pop_back();
    }

    // Sets of items the groups on which are not known.
    void find_targets() {
        Mask asked = window_.whole();
        if (!task_.asked.empty()) {
            for (std::size_t bit = 0; bit < window_.items.size(); ++bit) {
                if (!task_.asked[window_.items[bit]]) asked &= ~(Mask{1} << bit);
            }
        }
        targets_.clear();
        for (Mask mask = 1; mask < window_.low.size(); ++mask) {
            if (mask & ~asked) continue;
            // Where all subsets are published, the groups are channels, which were looked for before.
            const bool published = window_.settled[mask] && !window_.excluded[mask] && !window_.ceiling[mask];
            if (published && task_.known.layers.size() == 1) continue;
            if (static_cast<std::size_t>(std::popcount(mask)) > task_.groups) continue;
            targets_.push_back(mask);
        }
    }

    void from_data() {
        std::vector<std::int64_t>& counts = scratch_.best;
        counts.assign(window_.low.size(), 0);
        std::int64_t met = 0, total = 0;
        const auto weight = [&](std::size_t row) { return task_.data.weights.empty() ? 1 : task_.data.weights[row]; };
        ground_.data.visit(window_.items, scratch_.codes.back(), scratch_.met, [&](std::uint32_t row, Mask mask) {
            counts[mask] += weight(row);
            met += weight(row);
        });
        total = data_total();
        counts[0] = total - met;
        std::vector<std::pair<Mask, std::int64_t>> rows;
        for (Mask mask = 0; mask < counts.size(); ++mask) {
            if (counts[mask]) rows.emplace_back(mask, counts[mask]);
        }
        collect(rows, 1);
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
        std::vector<std::pair<Mask, std::int64_t>> rows;
        for (std::size_t row = 0; row < program.rows(); ++row) {
            const auto cell = static_cast<std::size_t>(program.basic(row));
            if (cell < window_.cells.size() && program.amount(row)) {
                rows.emplace_back(window_.cells[cell], program.amount(row));
            }
        }
        collect(rows, program.denominator());
        if (program.whole() || !task_.exact) return;
        // groups that fractions of rows rule out are not candidates of the programs, but not settled either
        std::vector<Candidate> small;
        std::swap(small, candidates_);
        for (const Mask both : targets_) {
            Mask present = both;
            while (true) {
                candidates_.push_back({present, both, true});
                if (present == 0) break;
                present = (present - 1) & both;
            }
        }
        const auto before = [](const Candidate& a, const Candidate& b) {
            return a.both != b.both ? a.both < b.both : a.present < b.present;
        };
        std::sort(small.begin(), small.end(), before);
        std::vector<Candidate> fractions;
        for (const Candidate& one : candidates_) {
            if (!std::binary_search(small.begin(), small.end(), one, before)) fractions.push_back(one);
        }
        candidates_ = std::move(fractions);
        candidates_.insert(candidates_.end(), small.begin(), small.end());
    }

    // Makes candidates of the groups that have 1 to k-1 of some rows.
    void collect(const std::vector<std::pair<Mask, std::int64_t>>& rows, std::int64_t denominator) {
        std::vector<std::int64_t> counts(window_.low.size());
        for (const Mask both : targets_) {
            for (const auto& [mask, count] : rows) counts[mask & both] += count;
            for (const auto& [mask, count] : rows) {
                std::int64_t& here = counts[mask & both];
                if (here > 0 && here < task_.k * denominator) candidates_.push_back({mask & both, both});
                here = 0;
            }
        }
    }

    // Takes out the candidates that are empty, or not small, in the solution reached.
    template <typename Entry>
    void rule_out(const Simplex<Entry>& program) {
        rows_.clear();
        for (std::size_t row = 0; row < program.rows(); ++row) {
            const auto cell = static_cast<std::size_t>(program.basic(row));
            if (cell < window_.cells.size() && program.amount(row)) {
                rows_.emplace_back(window_.cells[cell], program.amount(row));
            }
        }
        const bool whole = program.whole();
        const std::int64_t large = task_.k * program.denominator();
        std::vector<Candidate> fractions, kept;
        for (Candidate& one : candidates_) {
            if (one.fraction_only && !whole) {
                fractions.push_back(one);
                continue;
            }
            std::int64_t count = 0;
            for (const auto& [mask, amount] : rows_) {
                if ((mask & one.both) == one.present) count += amount;
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
    const Ground& ground_;
    Scratch& scratch_;
    Window window_;
    std::vector<Mask> targets_;
    std::vector<Candidate> candidates_;  // those ruled out by fractions first: the last is the next to be asked about
    std::vector<std::int8_t> weights_;
    std::vector<std::pair<Mask, std::int64_t>> rows_;
    std::int64_t data_total_ = -1;
};

void add(FoundGroups& groups, std::size_t number, std::span<const std::int32_t> window,
         const std::vector<WindowAnswer::Group>& found) {
    for (const WindowAnswer::Group& group : found) {
        groups.windows.push_back(static_cast<std::int64_t>(number));
        for (std::size_t bit = 0; bit < window.size(); ++bit) {
            const Mask one = Mask{1} << bit;
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

// Windows are taken a few at a time, so that the steps are counted in the same order however many threads there are.
Attack attack(const AttackTask& task) {
    Attack all;
    all.states.assign(task.windows.count(), not_reached);
    const Ground ground(task.known, task.data);
    std::vector<Scratch> scratch(std::max(1U, task.threads));
    std::int64_t left = task.steps;
    for (std::size_t start = 0; start < task.windows.count(); start += windows_at_once) {
        const std::size_t stop = std::min(task.windows.count(), start + windows_at_once);
        std::vector<WindowAnswer> answers(stop - start);
        // No single window may take it all, where there are others.
        const std::int64_t most =
            task.windows.count() == 1 || left < 0 ? left : std::max(least_steps, left / std::int64_t{windows_at_once});
        std::atomic<std::size_t> next{start};
        run_crew(task.threads, task.stop, task.tick, [&](unsigned number) {
            WindowSearch search(task, ground, scratch[number]);
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
    }
    return all;
}

namespace {

struct Bound {
    bool found = false;
    Fraction value;
    std::vector<std::size_t> needed;  // places of the constraints with a multiplier
    std::vector<Fraction> times;
};

template <typename Entry>
Bound solve(const Window& window, const std::vector<Constraint>& constraints, Mask present, Mask both, bool high,
            bool traced) {
    Bound bound;
    Simplex<Entry> program = program_of<Entry>(window, constraints, traced);
    if (!program.start()) return bound;
    std::vector<std::int8_t> weights(window.cells.size());
    for (std::size_t c = 0; c < window.cells.size(); ++c) {
        weights[c] = (window.cells[c] & both) == present ? (high ? -1 : 1) : 0;
    }
    if (program.optimize(weights, std::numeric_limits<std::int64_t>::min() / 2) != Outcome::best) return bound;
    const Fraction value = program.value(weights);
    bound.value = high ? Fraction{-value.above, value.below} : value;
    bound.found = true;
    if (!traced) return bound;
    for (std::size_t row = 0; row < constraints.size(); ++row) {
        Fraction times = program.multiplier(row);
        if (times.above == 0) continue;
        if (high) times.above = -times.above;
        const std::int64_t divisor = std::gcd(times.above, times.below);
        bound.needed.push_back(row);
        bound.times.push_back({times.above / divisor, times.below / divisor});
    }
    return bound;
}

Bound bound_of(const Window& window, const std::vector<Constraint>& constraints, Mask present, Mask both, bool high,
               bool traced) {
    try {
        return solve<std::int32_t>(window, constraints, present, both, high, traced);
    } catch (const TooLargeNumbers&) {
        return solve<std::int64_t>(window, constraints, present, both, high, traced);
    }
}

bool suffices(const Bound& bound, bool high, std::int64_t wanted) {
    return bound.found && (high ? bound.value.floor() <= wanted : bound.value.ceil() >= wanted);
}

Mask mask_of(std::span<const std::int32_t> window, std::span<const std::int32_t> items) {
    Mask mask = 0;
    for (const std::int32_t item : items) {
        mask |= Mask{1} << (std::find(window.begin(), window.end(), item) - window.begin());
    }
    return mask;
}

bool in_group(std::int32_t item, std::span<const std::int32_t> present, std::span<const std::int32_t> absent) {
    return std::find(present.begin(), present.end(), item) != present.end() ||
           std::find(absent.begin(), absent.end(), item) != absent.end();
}

bool better(const Bound& one, const Bound& other, bool high) {
    if (!one.found || !other.found) return one.found && !other.found;
    const double difference = double(one.value.above) / double(one.value.below) -
                              double(other.value.above) / double(other.value.below);  // only the order of trials
    return high ? difference < 0 : difference > 0;
}

// Items of the window that suffice for the bound: the group's own, and one after the other the one that helps most. All
// of them where none helps by itself.
template <typename Within>
std::vector<std::int32_t> few_items(std::span<const std::int32_t> window, std::span<const std::int32_t> present,
                                    std::span<const std::int32_t> absent, bool high, std::int64_t wanted,
                                    Within within) {
    std::vector<std::int32_t> items, others;
    for (const std::int32_t item : window) (in_group(item, present, absent) ? items : others).push_back(item);
    Bound bound = within(items);
    while (!suffices(bound, high, wanted)) {
        std::size_t best = others.size();
        std::vector<std::int32_t> wider;
        for (std::size_t place = 0; place < others.size(); ++place) {
            std::vector<std::int32_t> some(items);
            some.insert(std::upper_bound(some.begin(), some.end(), others[place]), others[place]);
            const Bound with = within(some);
            if (!better(with, bound, high)) continue;
            bound = with;
            best = place;
            wider = std::move(some);
        }
        if (best == others.size()) return {window.begin(), window.end()};
        items = std::move(wider);
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return items;
}

Proof prove_one(const Ground& ground, std::span<const std::int32_t> window, std::span<const std::int32_t> present,
                std::span<const std::int32_t> absent, bool high, std::int64_t wanted, bool shortest) {
    Scratch scratch;
    const auto within = [&](const std::vector<std::int32_t>& some) {
        const Window window_of_some = open_window(ground, some, scratch);
        const Mask held = mask_of(some, present);
        return bound_of(window_of_some, fewest_equations(window_of_some), held, held | mask_of(some, absent), high,
                        false);
    };
    std::vector<std::int32_t> items = few_items(window, present, absent, high, wanted, within);
    if (!shortest && items.size() == window.size() && items.size() > quick_items) return {};  // it would take too long
    for (std::size_t place = shortest ? items.size() : 0; place-- > 0;) {
        if (in_group(items[place], present, absent)) continue;
        std::vector<std::int32_t> fewer(items);
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(place));
        if (suffices(within(fewer), high, wanted)) items = std::move(fewer);
    }
    const Window last = open_window(ground, items, scratch, true);
    const Mask held = mask_of(items, present), both = held | mask_of(items, absent);
    std::vector<Constraint> constraints = all_figures(last);
    Bound bound = bound_of(last, constraints, held, both, high, true);
    if (!suffices(bound, high, wanted)) return {};
    const auto keep_needed = [&] {
        std::vector<Constraint> needed;
        for (const std::size_t place : bound.needed) needed.push_back(constraints[place]);
        constraints = std::move(needed);
    };
    keep_needed();
    const bool shorten = shortest && constraints.size() <= most_terms;  // longer ones nobody follows with a pencil
    for (std::size_t place = shorten ? constraints.size() : 0; place-- > 0;) {
        std::vector<Constraint> fewer(constraints);
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(place));
        Bound again = bound_of(last, fewer, held, both, high, true);
        if (!suffices(again, high, wanted)) continue;
        constraints = std::move(fewer);
        bound = std::move(again);
        keep_needed();
        place = std::min(place, constraints.size());
    }
    bound = bound_of(last, constraints, held, both, high, true);
    Proof proof;
    proof.bound = bound.value;
    for (std::size_t n = 0; n < bound.needed.size(); ++n) {
        const Constraint& constraint = constraints[bound.needed[n]];
        ProofTerm term;
        term.times = bound.times[n];
        term.figure = constraint.figure;
        term.ceiling = constraint.side > 0 && last.ceiling[constraint.mask];
        for (std::size_t bit = 0; bit < items.size(); ++bit) {
            if (constraint.mask >> bit & 1) term.items.push_back(items[bit]);
        }
        proof.terms.push_back(std::move(term));
    }
    return proof;
}

}  // namespace

std::vector<Proof> prove(const Knowledge& known, const NamedBounds& named, bool shortest, unsigned threads,
                         std::atomic<bool>& stop, const std::function<void()>& tick) {
    const Ground ground(known, no_data);
    std::vector<Proof> proofs(named.bounds.size());
    std::atomic<std::size_t> next{0};
    run_crew(threads, stop, tick, [&](unsigned) {
        for (std::size_t number; (number = next++) < proofs.size();) {
            if (stop.load(std::memory_order_relaxed)) throw Stopped{};
            try {
                proofs[number] =
                    prove_one(ground, named.windows.row(number), named.present.row(number), named.absent.row(number),
                              named.high[number] != 0, named.bounds[number], shortest);
            } catch (const TooLargeNumbers&) {  // then it stays without terms
            }
        }
    });
    return proofs;
}

Program window_program(const Knowledge& known, std::span<const std::int32_t> window) {
    const Ground ground(known, no_data);
    Scratch scratch;
    const Window opened = open_window(ground, window, scratch);
    Program program;
    program.impossible = opened.impossible;
    program.cells.assign(opened.cells.begin(), opened.cells.end());
    for (const Constraint& constraint : all_figures(opened)) {
        program.masks.push_back(constraint.mask);
        program.lows.push_back(constraint.side <= 0 ? constraint.figure : 0);
        program.highs.push_back(constraint.side >= 0 ? constraint.figure : -1);
    }
    return program;
}

}  // namespace discreet
