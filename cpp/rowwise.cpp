#include "rowwise.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

namespace discreet {

namespace {

using Mask = std::uint64_t;  // some of the candidates of a kind

constexpr std::size_t most_candidates = 64;
constexpr std::size_t most_options = 64;
constexpr std::size_t most_trials = 20'000;  // partial sets looked at for one kind
constexpr std::int64_t unit = std::int64_t{1} << 36;
constexpr int most_quiet_passes = 2;  // passes at the smallest reach that save nothing
constexpr int most_rounds = 6;        // times that the reach is widened again

// Rows with the same patterns.
struct Kind {
    std::vector<std::int32_t> patterns;
    std::vector<std::int32_t> candidates;  // the items of the patterns, ascending
    std::vector<Mask> breaking;            // for each pattern, its items
    // For each set of patterns that must be broken, the minimal sets of candidates that break them; where costs are
    // equal the first is best.
    std::map<Mask, std::vector<Mask>> options;
    bool fixed = false;  // too large to choose for: its rows lose what the first victims take

    Mask bit(std::int32_t item) const {
        return Mask{1} << (std::ranges::lower_bound(candidates, item) - candidates.begin());
    }
    Mask all() const { return patterns.size() == 64 ? ~Mask{0} : (Mask{1} << patterns.size()) - 1; }
};

struct Loss {
    std::int64_t itemsets = 0, items = 0;  // itemsets lost, items removed
    auto operator<=>(const Loss&) const = default;
};

class Kinds {
public:
    explicit Kinds(const RowChoice& task) : task_(task) {}

    std::size_t number(std::vector<std::int32_t> patterns) {
        const auto [place, is_new] = known_.try_emplace(std::move(patterns), kinds_.size());
        if (is_new) kinds_.push_back(make(place->first));
        return place->second;
    }
    const Kind& operator[](std::size_t number) const { return kinds_[number]; }

    const std::vector<Mask>& options(std::size_t number, Mask required) {
        Kind& kind = kinds_[number];
        const auto [place, is_new] = kind.options.try_emplace(required);
        if (is_new) place->second = find_options(kind, required);
        return place->second;
    }

    // What the given victims, one per pattern, remove: a pattern that is broken already needs no second victim.
    Mask removed_by(const Kind& kind, std::span<const std::int32_t> victims) const {
        Mask removed = 0;
        for (std::size_t at = 0; at < kind.patterns.size(); ++at)
            if (!(removed & kind.breaking[at])) removed |= kind.bit(victims[kind.patterns[at]]);
        return removed;
    }

private:
    Kind make(const std::vector<std::int32_t>& patterns) const {
        Kind kind;
        kind.patterns = patterns;
        std::set<std::int32_t> items;
        for (const std::int32_t p : patterns) items.insert(task_.patterns.row(p).begin(), task_.patterns.row(p).end());
        kind.fixed = items.size() > most_candidates || patterns.size() > most_candidates;
        if (kind.fixed) {
            std::set<std::int32_t> removed;
            for (const std::int32_t p : patterns)
                if (std::ranges::none_of(task_.patterns.row(p), [&](auto item) { return removed.contains(item); }))
                    removed.insert(task_.starts.row(0)[p]);
            kind.candidates.assign(removed.begin(), removed.end());
            return kind;
        }
        kind.candidates.assign(items.begin(), items.end());
        for (const std::int32_t p : patterns) {
            Mask mask = 0;
            for (const std::int32_t item : task_.patterns.row(p)) mask |= kind.bit(item);
            kind.breaking.push_back(mask);
        }
        return kind;
    }

    std::vector<Mask> find_options(const Kind& kind, Mask required) const {
        std::vector<Mask> breaking;
        for (Mask left = required; left; left &= left - 1) breaking.push_back(kind.breaking[std::countr_zero(left)]);
        std::set<Mask> found;
        for (std::size_t s = 0; s < task_.starts.count(); ++s)
            found.insert(smallest(breaking, removed_by(kind, task_.starts.row(s))));
        std::size_t trials = 0;
        for (std::size_t size = 0; size <= breaking.size() && found.size() < most_options && trials < most_trials;
             ++size)
            extend(breaking, 0, size, found, trials);
        std::vector<Mask> options(found.begin(), found.end());
        std::ranges::sort(options, {}, [&](Mask mask) { return standing(kind, mask); });
        if (options.size() > most_options) options.resize(most_options);
        return options;
    }

    // Adds the minimal sets that contain `mask` and have at most `room` items more.
    static void extend(const std::vector<Mask>& breaking, Mask mask, std::size_t room, std::set<Mask>& found,
                       std::size_t& trials) {
        if (++trials > most_trials) return;
        for (const Mask pattern : breaking) {
            if (mask & pattern) continue;
            if (room == 0) return;
            for (Mask left = pattern; left; left &= left - 1)
                extend(breaking, mask | (left & -left), room - 1, found, trials);
            return;
        }
        if (smallest(breaking, mask) == mask) found.insert(mask);
    }

    // Leaves out items that no pattern needs, the last ones first.
    static Mask smallest(const std::vector<Mask>& breaking, Mask mask) {
        for (Mask left = mask; left;) {
            const Mask last = std::bit_floor(left);
            left ^= last;
            if (std::ranges::all_of(breaking, [&](Mask pattern) { return (mask & ~last & pattern) != 0; }))
                mask &= ~last;
        }
        return mask;
    }

    std::tuple<int, std::int64_t, Mask> standing(const Kind& kind, Mask mask) const {
        std::int64_t spared = 0;
        Mask turned = 0;  // sets that have a smaller item come first
        for (Mask left = mask; left; left &= left - 1) {
            spared += task_.spared[kind.candidates[std::countr_zero(left)]];
            turned |= Mask{1} << (63 - std::countr_zero(left));
        }
        return {std::popcount(mask), spared, ~turned};
    }

    const RowChoice& task_;
    std::map<std::vector<std::int32_t>, std::size_t> known_;
    std::vector<Kind> kinds_;
};

class Chooser {
public:
    Chooser(const RowChoice& task, const Tick& tick)
        : task_(task), tick_(tick), kinds_(task), removed_(task.rows.size(), 0) {
        const OwnedRows turned = invert(task.found, task.all_rows, tick);
        for (const std::int32_t row : task.rows) {
            const std::int32_t* all = turned.items.data();
            kind_of_.push_back(kinds_.number({all + turned.offsets[row], all + turned.offsets[row + 1]}));
        }
        for (std::size_t p = 0; p < task.counts.size(); ++p) {
            spare_.push_back(-task.counts[p]);
            some_stay_ |= std::size_t(task.counts[p]) < task.found.row(p).size();
        }
        for (std::size_t g = 0; g < task.slacks.size(); ++g) {
            groups_.push_back({task.slacks[g], task.weights[g]});
            highest_ = std::max(highest_, task.slacks[g]);
        }
        lowest_ = -static_cast<std::int64_t>(task.rows.size()) - 1;
        share_candidates();
    }

    Removals choose() {
        begin();
        keep_best();
        exchange_victims();
        keep_best();
        const State consistent = best_;
        descend(1);
        restore(consistent);
        for (int round = 0; round < most_rounds && steps_ < task_.steps; ++round) {
            const Loss before = best_loss_;
            descend(std::max<std::int64_t>(1, task_.sigma >> (1 + 2 * round)));
            if (round > 1 && !(best_loss_ < before)) break;
            restore(best_);
        }
        restore(best_);
        return removals();
    }

private:
    using State = std::vector<Mask>;  // for each row, the candidates removed from it
    struct Group {
        std::int64_t slack, weight;  // how many rows more it can lose, and its itemsets
    };

    // Notes for each pair of a row and a group the candidates of the row that the group contains.
    void share_candidates() {
        std::vector<Mask> bits(task_.labels, 0);
        shared_.resize(task_.groups.items.size());
        for (std::size_t r = 0; r < removed_.size(); ++r) {
            const Kind& kind = kinds_[kind_of_[r]];
            for (std::size_t c = 0; c < kind.candidates.size(); ++c)
                bits[kind.candidates[c]] = kind.fixed ? Mask{1} : Mask{1} << c;
            for (std::int64_t at = task_.groups.offsets[r]; at < task_.groups.offsets[r + 1]; ++at) {
                Mask mask = 0;
                for (const std::int32_t item : task_.touched.row(task_.groups.items[at])) mask |= bits[item];
                shared_[at] = mask;
            }
            for (const std::int32_t item : kind.candidates) bits[item] = 0;
        }
    }

    // Takes what the row removes from the slacks (by = -1) or gives it back (by = 1).
    void apply(std::size_t r, int by) {
        const Mask removed = removed_[r];
        if (!removed) return;
        const std::int64_t end = task_.groups.offsets[r + 1];
        steps_ += end - task_.groups.offsets[r];
        for (std::int64_t at = task_.groups.offsets[r]; at < end; ++at)
            if (shared_[at] & removed) groups_[task_.groups.items[at]].slack += by;
        const Kind& kind = kinds_[kind_of_[r]];
        removed_items_ -= by * (kind.fixed ? std::int64_t(kind.candidates.size()) : std::popcount(removed));
        for (std::size_t at = 0; at < kind.patterns.size(); ++at)
            if (kind.fixed || (kind.breaking[at] & removed)) spare_[kind.patterns[at]] -= by;
    }

    void set(std::size_t r, Mask removed) {
        if (removed_[r] == removed) return;
        apply(r, 1);
        removed_[r] = removed;
        apply(r, -1);
    }

    void restore(const State& state) {
        for (std::size_t r = 0; r < removed_.size(); ++r) set(r, state[r]);
    }

    Loss loss() const {
        Loss lost{0, removed_items_};
        for (const Group& group : groups_)
            if (group.slack < 0) lost.itemsets += group.weight;
        return lost;
    }

    void keep_best() {
        const Loss now = loss();
        if (!best_.empty() && !(now < best_loss_)) return;
        best_ = removed_;
        best_loss_ = now;
    }

    // One victim per pattern

    void begin() {
        Loss least;
        for (std::size_t s = 0; s < task_.starts.count(); ++s) {
            const auto victims = task_.starts.row(s);
            for (std::size_t r = 0; r < removed_.size(); ++r) set_victims(r, victims);
            const Loss now = loss();
            if (s > 0 && !(now < least)) continue;
            least = now;
            victims_.assign(victims.begin(), victims.end());
        }
        for (std::size_t r = 0; r < removed_.size(); ++r) set_victims(r, victims_);
    }

    void set_victims(std::size_t r, std::span<const std::int32_t> victims) {
        const Kind& kind = kinds_[kind_of_[r]];
        set(r, kind.fixed ? Mask{1} : kinds_.removed_by(kind, victims));
    }

    void exchange_victims() {
        std::vector<std::int32_t> place(task_.all_rows, -1);
        for (std::size_t r = 0; r < task_.rows.size(); ++r) place[task_.rows[r]] = static_cast<std::int32_t>(r);
        const auto set_all = [&](std::size_t p, std::int32_t item) {
            victims_[p] = item;
            for (const std::int32_t row : task_.found.row(p)) set_victims(place[row], victims_);
        };
        const std::int64_t limit = task_.steps / 3;
        Loss least = loss();
        for (bool better = true; better;) {
            better = false;
            for (std::size_t p = 0; p < task_.patterns.count(); ++p) {
                for (const std::int32_t item : task_.patterns.row(p)) {
                    if (steps_ >= limit) return;
                    tick_();
                    const std::int32_t before = victims_[p];
                    if (item == before) continue;
                    set_all(p, item);
                    if (const Loss now = loss(); now < least) {
                        least = now;
                        better = true;
                    } else {
                        set_all(p, before);
                    }
                }
            }
        }
    }

    // Row by row

    void descend(std::int64_t reach) {
        for (int quiet = 0; quiet < most_quiet_passes && steps_ < task_.steps;) {
            price(reach);
            const Loss before = best_loss_;
            pass();
            keep_best();
            if (reach > 1) {
                reach = std::max<std::int64_t>(1, reach / 2);
            } else {
                quiet = best_loss_ < before ? 0 : quiet + 1;
            }
        }
    }

    // What it costs an itemset to lose one row more, by its slack: the loss counts half at the border, and is felt
    // within `reach` rows on both sides of it.
    void price(std::int64_t reach) {
        const auto share = [&](std::int64_t slack) {
            const std::int64_t near = unit * reach / (2 * (reach + (slack < 0 ? -slack - 1 : slack + 1)));
            return slack < 0 ? unit - near : near;
        };
        prices_.resize(highest_ - lowest_ + 1);
        for (std::int64_t slack = lowest_; slack <= highest_; ++slack)
            prices_[slack - lowest_] = std::max<std::int64_t>(0, share(slack - 1) - share(slack));
    }

    void pass() {
        std::vector<std::size_t> order(removed_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (some_stay_) {
            std::vector<std::int64_t> gains(removed_.size(), 0);
            for (const std::size_t r : order) visit(r, false);
            for (const std::size_t r : order) gains[r] = weigh(r), apply(r, -1);
            std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
        }
        for (std::size_t at = 0; at < order.size(); ++at) {
            if (at % 256 == 0) tick_();
            if (steps_ >= task_.steps && !some_stay_) return;
            visit(order[at], some_stay_);
        }
    }

    // Gives back what the row removes, and prices the groups at stake in it; returns what the removal costs.
    std::int64_t weigh(std::size_t r) {
        apply(r, 1);
        weighed_.clear();
        std::int64_t cost = 0;
        for (std::int64_t at = task_.groups.offsets[r]; at < task_.groups.offsets[r + 1]; ++at) {
            const Group& group = groups_[task_.groups.items[at]];
            const std::int64_t price = prices_[group.slack - lowest_] * group.weight;
            weighed_.push_back({shared_[at], price});
            if (shared_[at] & removed_[r]) cost += price;
        }
        return cost;
    }

    std::int64_t cost_of(Mask removed) const {
        std::int64_t cost = 0;
        for (const auto& [mask, price] : weighed_) cost += (mask & removed) ? price : 0;
        return cost;
    }

    void visit(std::size_t r, bool may_keep) {
        const Kind& kind = kinds_[kind_of_[r]];
        if (kind.fixed) return;
        weigh(r);
        Mask required = kind.all();
        if (may_keep) {
            for (std::size_t at = 0; at < kind.patterns.size(); ++at)
                if (spare_[kind.patterns[at]] >= 0) required &= ~(Mask{1} << at);
        }
        const std::vector<Mask>& options = kinds_.options(kind_of_[r], required);
        std::int64_t least = cost_of(options.front());
        removed_[r] = options.front();
        for (std::size_t o = 1; o < options.size() && least > 0; ++o) {
            if (const std::int64_t cost = cost_of(options[o]); cost < least) {
                least = cost;
                removed_[r] = options[o];
            }
        }
        steps_ += static_cast<std::int64_t>(weighed_.size() * options.size() / 4);
        apply(r, -1);
    }

    Removals removals() const {
        Removals all;
        for (std::size_t r = 0; r < removed_.size(); ++r) {
            const Kind& kind = kinds_[kind_of_[r]];
            for (std::size_t c = 0; c < kind.candidates.size(); ++c) {
                if (!kind.fixed && !(removed_[r] >> c & 1)) continue;
                all.rows.push_back(task_.rows[r]);
                all.items.push_back(kind.candidates[c]);
            }
        }
        return all;
    }

    const RowChoice& task_;
    const Tick& tick_;
    Kinds kinds_;
    std::vector<std::size_t> kind_of_;  // for each row, the patterns in it
    State removed_, best_;
    Loss best_loss_;
    std::vector<Group> groups_;
    std::vector<Mask> shared_;         // for each pair of a row and a group at stake in it
    std::vector<std::int64_t> spare_;  // for each pattern, how many rows more have lost it than must
    std::vector<std::int32_t> victims_;
    std::vector<std::int64_t> prices_;  // by slack, from lowest_ on
    std::vector<std::pair<Mask, std::int64_t>> weighed_;
    std::int64_t lowest_ = 0, highest_ = 0, steps_ = 0, removed_items_ = 0;
    bool some_stay_ = false;
};

}  // namespace

Removals choose_by_row(const RowChoice& task, const Tick& tick) {
    return Chooser(task, tick).choose();
}

}  // namespace discreet
