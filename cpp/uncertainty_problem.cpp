#include "uncertainty_problem.hpp"

#include <algorithm>
#include <bit>

namespace discreet {

Problem::Problem(const ProblemInput& input)
    : leaf_of_(input.leaf_of.begin(), input.leaf_of.end()),
      parent_(input.parent.begin(), input.parent.end()),
      leaves_below_(input.leaves_below.begin(), input.leaves_below.end()),
      limits_(input.limits.begin(), input.limits.end()),
      children_(parent_.size()),
      code_of_node_(parent_.size()),
      node_of_code_(leaf_of_.size() + parent_.size(), -1),
      occurrences_(leaf_of_.size() + parent_.size(), 0),
      sensitive_(leaf_of_.size() + parent_.size(), 0) {
    const auto nodes = static_cast<std::int32_t>(parent_.size());
    limits_.resize(codes(), {1, 1});
    for (std::int32_t node = 0; node < nodes; ++node) code_of_node_[node] = static_cast<std::int32_t>(items()) + node;
    for (std::size_t item = 0; item < items(); ++item) {
        if (leaf_of_[item] < 0)
            sensitive_[item] = 1;
        else
            code_of_node_[leaf_of_[item]] = static_cast<std::int32_t>(item);
    }
    rows_ = fold_all(input.rows, input.weights, input.total, std::span(sensitive_).first(items()), {}, nullptr);
    for (std::size_t item = 0; item < rows_.labels; ++item) occurrences_[rows_.code_of[item]] = rows_.supports[item];
    for (std::int32_t node = 0; node < nodes; ++node) {
        node_of_code_[code_of(node)] = node;
        leaf_count_ += is_leaf(node);
        if (parent_[node] < 0) continue;
        children_[parent_[node]].push_back(node);
        occurrences_[code_of(parent_[node])] += occurrences_[code_of(node)];  // children come before their parents
    }
    for (auto& below : children_) std::ranges::sort(below, {}, [&](std::int32_t node) { return code_of(node); });
}

std::int64_t Problem::dropping(std::int32_t code) const {
    const std::int32_t node = node_of(code);
    if (node < 0) return occurrences_[code] * std::max<std::int64_t>(1, leaf_count_);
    return occurrences_[code] * (leaf_count_ - leaves_below_[node]);
}

std::size_t Problem::place_of(std::int32_t child_code, std::int32_t node) const {
    const auto& all = children_[node];
    return std::ranges::lower_bound(all, child_code, {}, [&](std::int32_t c) { return code_of(c); }) - all.begin();
}

std::vector<std::uint32_t> Problem::rows_below_root() const {
    std::vector<std::uint32_t> below;
    for (std::uint32_t r = 0; r < rows_.count(); ++r)
        if (std::ranges::any_of(rows_.row(r), [&](std::int32_t item) { return !rows_.sensitive[item]; }))
            below.push_back(r);
    return below;
}

Branch Problem::branch(std::int32_t node, std::span<const std::uint32_t> rows) const {
    Branch found{node, generalizing(node), {rows.begin(), rows.end()}, {}, {}};
    std::vector<std::int32_t> child_of(items(), -1);
    for (const std::int32_t child : children_[node]) {
        found.gain -= generalizing(child);
        for_items_below(child, [&](std::int32_t item) { child_of[item] = code_of(child); });
    }
    RowFolder sets(codes(), sensitive_);
    sets.begin();
    std::vector<std::int32_t> held;
    for (const std::uint32_t r : rows) {
        held.clear();
        for (const std::int32_t item : rows_.row(r))
            if (const std::int32_t child = child_of[rows_.code_of[item]]; child >= 0) held.push_back(child);
        std::ranges::sort(held);
        held.erase(std::unique(held.begin(), held.end()), held.end());
        found.sets.push_back(sets.add(held, 0));
    }
    for (std::uint32_t set = 0; set < sets.count(); ++set) {
        const auto codes_of_set = sets.row(set);
        found.children.emplace_back(codes_of_set.begin(), codes_of_set.end());
    }
    return found;
}

std::vector<std::vector<std::uint32_t>> Problem::rows_below(const Branch& branch) const {
    std::vector<std::vector<std::uint32_t>> below(children_[branch.node].size());
    for (std::size_t i = 0; i < branch.rows.size(); ++i)
        for (const std::int32_t child : branch.children[branch.sets[i]])
            below[place_of(child, branch.node)].push_back(branch.rows[i]);
    return below;
}

class PublishedRows::PairNumbers {
public:
    explicit PairNumbers(std::size_t most) : table_(std::bit_ceil(2 * most + 2), {0, 0}), mask_(table_.size() - 1) {}

    // The number of a pair, and whether it is new.
    std::pair<std::uint32_t, bool> number(std::uint32_t row, std::uint32_t set) {
        const std::uint64_t key = static_cast<std::uint64_t>(row) << 32 | set;
        std::size_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & mask_;
        while (table_[slot].number && table_[slot].key != key) slot = (slot + 1) & mask_;
        if (table_[slot].number) return {table_[slot].number - 1, false};
        table_[slot] = {key, ++count_};
        return {count_ - 1, true};
    }

private:
    struct Entry {
        std::uint64_t key;
        std::uint32_t number;  // + 1; 0: empty
    };
    std::vector<Entry> table_;
    std::size_t mask_;
    std::uint32_t count_ = 0;
};

namespace {

// `row` without `gone`, with `added` (ascending) in its place.
void replace(std::span<const std::int32_t> row, std::int32_t gone, std::span<const std::int32_t> added,
             std::vector<std::int32_t>& result) {
    result.clear();
    std::ranges::merge(row, added, std::back_inserter(result));
    std::erase(result, gone);
}

}  // namespace

PublishedRows::PublishedRows(const Problem& problem, std::span<const std::uint8_t> dropped)
    : problem_(&problem), distinct_(problem.codes(), problem.sensitive()), now_(problem.rows().count()) {
    const FoldedRows& rows = problem.rows();
    distinct_.begin();
    std::vector<std::int32_t> row;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        row.clear();
        bool other = false;
        for (const std::int32_t item : rows.row(r)) {
            const std::int32_t code = rows.code_of[item];
            if (!problem.sensitive()[code])
                other = true;
            else if (!dropped[code])
                row.push_back(code);
        }
        if (other) {
            const std::int32_t root = problem.code_of(problem.root());
            row.insert(std::ranges::lower_bound(row, root), root);
        }
        now_[r] = distinct_.add(row, 0);
    }
}

std::vector<Slice> PublishedRows::slices_of(const Branch& branch) const {
    PairNumbers numbers(branch.rows.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<std::int64_t> weights;
    for (std::size_t i = 0; i < branch.rows.size(); ++i) {
        const std::uint32_t now = now_[branch.rows[i]];
        const auto [number, fresh] = numbers.number(now, branch.sets[i]);
        if (fresh) {
            pairs.emplace_back(now, branch.sets[i]);
            weights.push_back(0);
        }
        weights[number] += problem_->rows().weights[branch.rows[i]];
    }
    const auto& children = problem_->children(branch.node);
    std::vector<std::vector<std::uint32_t>> holding(children.size());
    std::vector<std::uint8_t> matters(children.size(), 0);
    for (std::uint32_t pair = 0; pair < pairs.size(); ++pair) {
        const auto row = distinct_.row(pairs[pair].first);
        const bool secret = std::ranges::any_of(row, [&](std::int32_t code) { return problem_->sensitive()[code]; });
        for (const std::int32_t child : branch.children[pairs[pair].second]) {
            const std::size_t place = problem_->place_of(child, branch.node);
            holding[place].push_back(pair);
            matters[place] |= secret;
        }
    }
    std::vector<Slice> slices;
    RowFolder folder(problem_->codes(), problem_->sensitive());
    std::vector<std::int32_t> row;
    for (std::size_t c = 0; c < children.size(); ++c) {
        if (!matters[c]) continue;
        const std::int32_t child = problem_->code_of(children[c]);
        folder.begin();
        std::int64_t total = 0;
        for (const std::uint32_t pair : holding[c]) {
            const auto& held = branch.children[pairs[pair].second];
            const auto later = std::ranges::upper_bound(held, child);
            replace(distinct_.row(pairs[pair].first), problem_->code_of(branch.node), {later, held.end()}, row);
            folder.add(row, weights[pair]);
            total += weights[pair];
        }
        slices.push_back({folder.finish(total), child});
    }
    return slices;
}

FoldedRows PublishedRows::folded() const {
    const FoldedRows& rows = problem_->rows();
    std::vector<std::int64_t> weights(distinct_.count(), 0);
    for (std::size_t r = 0; r < now_.size(); ++r) weights[now_[r]] += rows.weights[r];
    RowFolder folder(problem_->codes(), problem_->sensitive());
    folder.begin();
    for (std::uint32_t row = 0; row < weights.size(); ++row)
        if (weights[row]) folder.add(distinct_.row(row), weights[row]);
    return folder.finish(rows.total);
}

void PublishedRows::split(const Branch& branch) {
    PairNumbers numbers(branch.rows.size());
    std::vector<std::uint32_t> becomes;
    std::vector<std::int32_t> row;
    for (std::size_t i = 0; i < branch.rows.size(); ++i) {
        std::uint32_t& now = now_[branch.rows[i]];
        const auto [number, fresh] = numbers.number(now, branch.sets[i]);
        if (fresh) {
            replace(distinct_.row(now), problem_->code_of(branch.node), branch.children[branch.sets[i]], row);
            becomes.push_back(distinct_.add(row, 0));
        }
        now = becomes[number];
    }
    if (distinct_.count() > 2 * now_.size() + 1024) compact({});
}

void PublishedRows::drop(std::span<const std::uint8_t> dropped) {
    compact(dropped);
}

// Keeps only the rows that occur, without what is dropped.
void PublishedRows::compact(std::span<const std::uint8_t> dropped) {
    RowFolder kept(problem_->codes(), problem_->sensitive());
    kept.begin();
    constexpr std::uint32_t unknown = ~0u;
    std::vector<std::uint32_t> becomes(distinct_.count(), unknown);
    std::vector<std::int32_t> row;
    for (std::uint32_t& now : now_) {
        if (becomes[now] == unknown) {
            row.clear();
            for (const std::int32_t code : distinct_.row(now))
                if (dropped.empty() || !dropped[code]) row.push_back(code);
            becomes[now] = kept.add(row, 0);
        }
        now = becomes[now];
    }
    distinct_ = std::move(kept);
}

}  // namespace discreet
