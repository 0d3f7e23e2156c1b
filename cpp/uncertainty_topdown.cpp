#include "uncertainty_topdown.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace discreet {

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// Numbers of pairs of row and set of children.
class PairNumbers {
public:
    // Returns the pair's number, and whether it is new.
    std::pair<std::uint32_t, bool> number(std::uint32_t row, std::uint32_t set) {
        const auto key = static_cast<std::uint64_t>(row) << 32 | set;
        const auto [place, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
        return {place->second, fresh};
    }
    void reserve(std::size_t count) { numbers_.reserve(count); }

private:
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

// `row` without `gone`, with `added` (ascending) in its place.
void replace(std::span<const std::int32_t> row, std::int32_t gone, std::span<const std::int32_t> added,
             std::vector<std::int32_t>& result) {
    result.clear();
    std::ranges::merge(row, added, std::back_inserter(result));
    std::erase(result, gone);
}

}  // namespace

TopDown::TopDown(const TopDownTask& task, Halt halt)
    : items_(task.leaf_of.size()),
      leaf_of_(task.leaf_of.begin(), task.leaf_of.end()),
      parent_(task.parent.begin(), task.parent.end()),
      leaves_below_(task.leaves_below.begin(), task.leaves_below.end()),
      rho_(task.rho),
      total_(task.total),
      children_(parent_.size()),
      code_of_node_(parent_.size()),
      node_of_code_(items_ + parent_.size(), -1),
      occurrences_(items_ + parent_.size(), 0),
      costs_(items_ + parent_.size(), 0),
      sensitive_(items_ + parent_.size(), 0),
      dropped_(items_ + parent_.size(), 0),
      published_(items_),
      published_rows_(items_ + parent_.size(), sensitive_) {
    const auto nodes = static_cast<std::int32_t>(parent_.size());
    for (std::int32_t node = 0; node < nodes; ++node) code_of_node_[node] = static_cast<std::int32_t>(items_) + node;
    for (std::size_t item = 0; item < items_; ++item) {
        if (leaf_of_[item] < 0)
            sensitive_[item] = 1;
        else
            code_of_node_[leaf_of_[item]] = static_cast<std::int32_t>(item);
    }
    base_ = fold_all(task.rows, task.weights, task.total, std::span(sensitive_).first(items_), {}, nullptr);
    for (std::size_t item = 0; item < base_.labels; ++item) occurrences_[base_.code_of[item]] = base_.supports[item];
    for (std::int32_t node = 0; node < nodes; ++node) {
        node_of_code_[code_of(node)] = node;
        leaf_count_ += leaves_below_[node] == 0;
        if (parent_[node] < 0) continue;
        children_[parent_[node]].push_back(node);
        occurrences_[code_of(parent_[node])] += occurrences_[code_of(node)];  // children come before their parents
    }
    for (std::size_t code = 0; code < costs_.size(); ++code) {
        const std::int32_t node = node_of_code_[code];
        if (node < 0)
            costs_[code] = occurrences_[code] * std::max<std::int64_t>(1, leaf_count_);
        else if (task.drop_nodes && parent_[node] >= 0)
            costs_[code] = occurrences_[code] * (leaf_count_ - leaves_below_[node]);
    }
    for (auto& below : children_) std::ranges::sort(below, {}, [&](std::int32_t node) { return code_of(node); });

    // Sensitive items alone, then together with the root.
    published_rows_ = RowFolder(costs_.size(), sensitive_);
    const std::int32_t root = nodes ? code_of(nodes - 1) : -1;
    for (std::size_t item = 0; item < items_; ++item)
        published_[item] = sensitive_[item] ? static_cast<std::int32_t>(item) : root;
    RowFolder folder(costs_.size(), sensitive_);
    for (const bool with_root : {false, true}) {
        folder.begin();
        std::vector<std::int32_t> row;
        for (std::size_t r = 0; r < base_.count(); ++r) {
            row.clear();
            bool other = false;
            for (const std::int32_t item : base_.row(r)) {
                const std::int32_t code = base_.code_of[item];
                other |= !sensitive_[code];
                if (sensitive_[code] && !dropped_[code]) row.push_back(code);
            }
            if (with_root && other) row.insert(std::ranges::lower_bound(row, root), root);
            folder.add(row, base_.weights[r]);
        }
        std::vector<Slice> all(1);
        all[0].rows = folder.finish(total_);
        for (const LevelStep& level : suppress_by_level(all, 0, rho_, costs_, sensitive_, no_limit, halt))
            for (const Choice& choice : level.chosen) {
                dropped_[choice.code] = 1;
                start_.push_back(choice);
                loss_ += choice.cost;
            }
    }
    if (!nodes) return;
    loss_ += occurrences_[root] * leaves_below_[nodes - 1];
    std::vector<std::uint32_t> below;
    row_now_.resize(base_.count());
    published_rows_.begin();
    std::vector<std::int32_t> row;
    for (std::size_t r = 0; r < base_.count(); ++r) {
        row.clear();
        for (const std::int32_t item : base_.row(r))
            if (const std::int32_t code = base_.code_of[item]; !dropped_[code]) row.push_back(published_[code]);
        std::ranges::sort(row);
        row.erase(std::ranges::unique(row).begin(), row.end());
        row_now_[r] = published_rows_.add(row, 0);
        if (std::ranges::binary_search(row, root)) below.push_back(static_cast<std::uint32_t>(r));
    }
    if (leaves_below_[nodes - 1]) branches_.push_back(branch(nodes - 1, below));
}

template <typename Use>
void TopDown::for_items_below(std::int32_t node, Use use) const {
    for (const std::int32_t child : children_[node]) for_items_below(child, use);
    if (const std::int32_t code = code_of(node); code < static_cast<std::int32_t>(items_)) use(code);
}

// Where a child stands among those of its node.
std::size_t TopDown::place_of(std::int32_t child, std::int32_t node) const {
    const auto& all = children_[node];
    return std::ranges::lower_bound(all, child, {}, [&](std::int32_t c) { return code_of(c); }) - all.begin();
}

TopDown::Branch TopDown::branch(std::int32_t node, std::span<const std::uint32_t> rows) const {
    Branch found{node, occurrences_[code_of(node)] * leaves_below_[node], {rows.begin(), rows.end()}, {}, {}};
    std::vector<std::int32_t> child_of(items_, -1);
    for (const std::int32_t child : children_[node]) {
        found.gain -= occurrences_[code_of(child)] * leaves_below_[child];
        for_items_below(child, [&](std::int32_t item) { child_of[item] = code_of(child); });
    }
    RowFolder sets(costs_.size(), sensitive_);
    sets.begin();
    std::vector<std::int32_t> held;
    for (const std::uint32_t r : rows) {
        held.clear();
        for (const std::int32_t item : base_.row(r))
            if (const std::int32_t child = child_of[base_.code_of[item]]; child >= 0) held.push_back(child);
        std::ranges::sort(held);
        held.erase(std::ranges::unique(held).begin(), held.end());
        found.sets.push_back(sets.add(held, 0));
    }
    for (std::uint32_t set = 0; set < sets.count(); ++set) {
        const auto codes = sets.row(set);
        found.children.emplace_back(codes.begin(), codes.end());
    }
    return found;
}

// For each child of the node, the rows that would hold it: without it, and without those that came before.
std::vector<Slice> TopDown::slices_of(const Branch& branch) const {
    PairNumbers numbers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<std::int64_t> weights;
    for (std::size_t i = 0; i < branch.rows.size(); ++i) {
        const std::uint32_t now = row_now_[branch.rows[i]];
        const auto [number, fresh] = numbers.number(now, branch.sets[i]);
        if (fresh) {
            pairs.emplace_back(now, branch.sets[i]);
            weights.push_back(0);
        }
        weights[number] += base_.weights[branch.rows[i]];
    }
    std::vector<std::vector<std::uint32_t>> holding(children_[branch.node].size());
    for (std::uint32_t pair = 0; pair < pairs.size(); ++pair)
        for (const std::int32_t child : branch.children[pairs[pair].second])
            holding[place_of(child, branch.node)].push_back(pair);
    std::vector<Slice> slices;
    RowFolder folder(costs_.size(), sensitive_);
    std::vector<std::int32_t> row;
    for (std::size_t c = 0; c < holding.size(); ++c) {
        const std::int32_t child = code_of(children_[branch.node][c]);
        folder.begin();
        std::int64_t total = 0;
        for (const std::uint32_t pair : holding[c]) {
            const auto& held = branch.children[pairs[pair].second];
            const auto later = std::ranges::upper_bound(held, child);
            replace(published_rows_.row(pairs[pair].first), code_of(branch.node), {later, held.end()}, row);
            folder.add(row, weights[pair]);
            total += weights[pair];
        }
        Slice slice{folder.finish(total), child};
        if (std::ranges::find(slice.rows.sensitive, 1) != slice.rows.sensitive.end())
            slices.push_back(std::move(slice));
    }
    return slices;
}

Split TopDown::evaluate(const Branch& branch, std::int64_t most_cost, Halt halt) const {
    Split split{branch.node, branch.gain, 0, {}};
    std::vector<Slice> slices = slices_of(branch);
    for (LevelStep& level : suppress_by_level(slices, 1, rho_, costs_, sensitive_, most_cost, halt))
        for (const Choice& choice : level.chosen) {
            split.chosen.push_back(choice);
            split.cost += choice.cost;
        }
    return split;
}

std::optional<SplitStep> TopDown::step(bool all, std::int64_t least, Halt halt) {
    SplitStep done;
    std::optional<std::size_t> best;
    std::int64_t best_net = least;
    std::ranges::sort(branches_, [&](const Branch& a, const Branch& b) {
        return a.gain != b.gain ? a.gain > b.gain : code_of(a.node) < code_of(b.node);
    });
    for (std::size_t b = 0; b < branches_.size(); ++b) {
        const Branch& branch = branches_[b];
        if (!all && (best ? branch.gain < best_net : branch.gain <= least)) break;  // gain bounds what is left of it
        halt.breathe();
        const std::int64_t most_cost =
            all || best_net == std::numeric_limits<std::int64_t>::min() ? no_limit : branch.gain - best_net;
        Split split = evaluate(branch, most_cost, halt);
        const bool better =
            best ? split.net() > best_net || (split.net() == best_net && code_of(split.node) < code_of(done.made.node))
                 : split.net() > least;
        if (all) done.evaluated.push_back(split);
        if (!better) continue;
        best = b;
        best_net = split.net();
        done.made = std::move(split);
    }
    if (!best) return std::nullopt;
    make(*best, done.made);
    return done;
}

void TopDown::make(std::size_t which, const Split& split) {
    const Branch old = std::move(branches_[which]);
    branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(which));
    loss_ -= split.net();
    PairNumbers numbers;
    std::vector<std::uint32_t> now_of;
    std::vector<std::int32_t> row;
    std::vector<std::vector<std::uint32_t>> below(children_[old.node].size());
    for (std::size_t i = 0; i < old.rows.size(); ++i) {
        const std::uint32_t r = old.rows[i];
        const auto& held = old.children[old.sets[i]];
        const auto [number, fresh] = numbers.number(row_now_[r], old.sets[i]);
        if (fresh) {
            replace(published_rows_.row(row_now_[r]), code_of(old.node), held, row);
            now_of.push_back(published_rows_.add(row, 0));
        }
        row_now_[r] = now_of[number];
        for (const std::int32_t child : held) below[place_of(child, old.node)].push_back(r);
    }
    for (const std::int32_t child : children_[old.node])
        for_items_below(child, [&](std::int32_t item) { published_[item] = code_of(child); });
    for (const Choice& choice : split.chosen) dropped_[choice.code] = 1;
    if (!split.chosen.empty() || published_rows_.count() > 2 * base_.count() + 1024) compact();
    std::erase_if(branches_, [&](const Branch& branch) { return dropped_[code_of(branch.node)]; });
    for (std::size_t c = 0; c < below.size(); ++c) {
        const std::int32_t child = children_[old.node][c];
        if (leaves_below_[child] && !dropped_[code_of(child)] && !below[c].empty())
            branches_.push_back(branch(child, below[c]));
    }
}

// Keeps only the published rows that occur, without what was dropped.
void TopDown::compact() {
    RowFolder kept(costs_.size(), sensitive_);
    kept.begin();
    constexpr std::uint32_t unknown = ~0u;
    std::vector<std::uint32_t> becomes(published_rows_.count(), unknown);
    std::vector<std::int32_t> row;
    for (std::uint32_t& now : row_now_) {
        if (becomes[now] == unknown) {
            row.clear();
            for (const std::int32_t code : published_rows_.row(now))
                if (!dropped_[code]) row.push_back(code);
            becomes[now] = kept.add(row, 0);
        }
        now = becomes[now];
    }
    published_rows_ = std::move(kept);
}

std::vector<std::int32_t> TopDown::node_of() const {
    std::vector<std::int32_t> nodes(items_);
    for (std::size_t item = 0; item < items_; ++item)
        nodes[item] = sensitive_[item] ? -1 : node_of_code_[published_[item]];
    return nodes;
}

std::vector<std::uint8_t> TopDown::dropped() const {
    std::vector<std::uint8_t> items(items_);
    for (std::size_t item = 0; item < items_; ++item) items[item] = dropped_[published_[item]];
    return items;
}

}  // namespace discreet
