#include "uncertainty_topdown.hpp"

#include <algorithm>
#include <limits>

namespace discreet {

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

}  // namespace

TopDown::TopDown(const ProblemInput& input, Halt halt)
    : problem_(std::make_unique<const Problem>(input)),
      costs_(problem_->codes(), 0),
      dropped_(problem_->codes(), 0),
      published_(problem_->items()) {
    const Problem& problem = *problem_;
    for (std::int32_t code = 0; code < static_cast<std::int32_t>(costs_.size()); ++code) {
        const std::int32_t node = problem.node_of(code);
        if (node < 0 || problem.parent(node) >= 0) costs_[code] = problem.dropping(code);
    }
    for (std::size_t item = 0; item < published_.size(); ++item)
        published_[item] =
            problem.sensitive()[item] ? static_cast<std::int32_t>(item) : problem.code_of(problem.root());
    conceal(false, halt);
    if (problem.root() < 0) return;
    conceal(true, halt);
    rows_.emplace(problem, dropped_);
    loss_ += problem.generalizing(problem.root());
    if (!problem.is_leaf(problem.root()))
        branches_.push_back(problem.branch(problem.root(), problem.rows_below_root()));
}

// Drops what can be inferred from sensitive items alone, or from them and the root.
void TopDown::conceal(bool with_root, Halt halt) {
    const FoldedRows& rows = problem_->rows();
    RowFolder folder(problem_->codes(), problem_->sensitive());
    folder.begin();
    std::vector<std::int32_t> row;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        row.clear();
        bool other = false;
        for (const std::int32_t item : rows.row(r)) {
            const std::int32_t code = rows.code_of[item];
            other |= !problem_->sensitive()[code];
            if (problem_->sensitive()[code] && !dropped_[code]) row.push_back(code);
        }
        if (with_root && other) {
            const std::int32_t root = problem_->code_of(problem_->root());
            row.insert(std::ranges::lower_bound(row, root), root);
        }
        folder.add(row, rows.weights[r]);
    }
    std::vector<Slice> all(1);
    all[0].rows = folder.finish(rows.total);
    for (const LevelStep& level :
         suppress_by_level(all, 0, problem_->limits(), costs_, problem_->sensitive(), no_limit, halt))
        for (const Choice& choice : level.chosen) {
            dropped_[choice.code] = 1;
            start_.push_back(choice);
            loss_ += choice.cost;
        }
}

Split TopDown::evaluate(const Branch& branch, std::int64_t most_cost, Halt halt) const {
    Split split{branch.node, branch.gain, 0, {}};
    std::vector<Slice> slices = rows_->slices_of(branch);
    for (LevelStep& level :
         suppress_by_level(slices, 1, problem_->limits(), costs_, problem_->sensitive(), most_cost, halt))
        for (const Choice& choice : level.chosen) {
            split.chosen.push_back(choice);
            split.cost += choice.cost;
        }
    return split;
}

std::optional<SplitStep> TopDown::step(bool explain, Halt halt) {
    SplitStep done;
    std::optional<std::size_t> best;
    std::int64_t best_net = 0;
    std::ranges::sort(branches_, [&](const Branch& a, const Branch& b) {
        return a.gain != b.gain ? a.gain > b.gain : problem_->code_of(a.node) < problem_->code_of(b.node);
    });
    for (std::size_t b = 0; b < branches_.size(); ++b) {
        const Branch& branch = branches_[b];
        if (!explain && branch.gain < std::max<std::int64_t>(best_net, 1)) break;  // the gain bounds the rest
        halt.breathe();
        Split split = evaluate(branch, explain ? no_limit : branch.gain - best_net, halt);
        if (explain) done.evaluated.push_back(split);
        const bool tie = best && split.net() == best_net;
        if (split.net() <= best_net && !(tie && problem_->code_of(split.node) < problem_->code_of(done.made.node)))
            continue;
        best = b;
        best_net = split.net();
        done.made = std::move(split);
    }
    if (!best) return std::nullopt;
    make(*best, done.made);
    return done;
}

void TopDown::make(std::size_t which, const Split& split) {
    const Problem& problem = *problem_;
    const Branch old = std::move(branches_[which]);
    branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(which));
    loss_ -= split.net();
    rows_->split(old);
    for (const std::int32_t child : problem.children(old.node))
        problem.for_items_below(child, [&](std::int32_t item) { published_[item] = problem.code_of(child); });
    for (const Choice& choice : split.chosen) dropped_[choice.code] = 1;
    if (!split.chosen.empty()) rows_->drop(dropped_);
    std::erase_if(branches_, [&](const Branch& branch) { return dropped_[problem.code_of(branch.node)]; });
    const auto below = problem.rows_below(old);
    for (std::size_t c = 0; c < below.size(); ++c) {
        const std::int32_t child = problem.children(old.node)[c];
        if (!problem.is_leaf(child) && !dropped_[problem.code_of(child)] && !below[c].empty())
            branches_.push_back(problem.branch(child, below[c]));
    }
}

std::vector<std::int32_t> TopDown::node_of() const {
    std::vector<std::int32_t> nodes(published_.size());
    for (std::size_t item = 0; item < published_.size(); ++item) nodes[item] = problem_->node_of(published_[item]);
    return nodes;
}

std::vector<std::uint8_t> TopDown::dropped() const {
    std::vector<std::uint8_t> items(published_.size());
    for (std::size_t item = 0; item < published_.size(); ++item) items[item] = dropped_[published_[item]];
    return items;
}

}  // namespace discreet
