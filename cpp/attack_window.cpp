#include "attack_window.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace discreet {

Projector::Projector(const Rows& rows, std::size_t labels) : rows_(rows.count()), starts_(labels + 1) {
    for (const std::int32_t item : rows.items) ++starts_[item + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    holders_.resize(rows.items.size());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        for (const std::int32_t item : rows.row(row)) holders_[next[item]++] = static_cast<std::uint32_t>(row);
    }
}

PublicationIndex::PublicationIndex(const Knowledge& knowledge, const DataSet& data_set)
    : known(knowledge), data(data_set.rows, knowledge.labels) {
    for (const Layer& layer : known.layers) layers.emplace_back(layer.itemsets, known.labels);
}

namespace {

void set_high(Window& window, Subset subset, std::int64_t value, bool ceiling) {
    if (value >= window.high[subset]) return;
    window.high[subset] = value;
    window.ceiling[subset] = ceiling;
}

// From how many rows hold each subset and nothing else of the window, its support; 0 if that was not published.
void count_published(std::vector<std::int64_t>& rows, std::size_t items, std::int64_t ceiling) {
    for (std::size_t bit = 0; bit < items; ++bit) {
        const Subset one = Subset{1} << bit;
        for (Subset subset = 0; subset < rows.size(); ++subset) {
            if (!(subset & one)) rows[subset] += rows[subset | one];
        }
    }
    std::ranges::replace_if(rows, [&](std::int64_t support) { return support <= ceiling; }, 0);
}

// For every subset of the window, the best support of an itemset that contains it; of rows, its own if it was
// published. For a layer that is not closed, also which subsets are listed, whose supports are upper bounds.
std::vector<std::uint8_t> find_best(Window& window, const Layer& layer, const Projector& places, WindowScratch& scratch,
                                    std::size_t number, Subset marked) {
    const std::size_t size = window.low.size();
    std::vector<std::int64_t>& best = scratch.best;
    best.assign(size, 0);
    std::vector<std::uint8_t> listed(layer.closed ? 0 : size);
    places.visit(window.items, scratch.codes[number], scratch.met, [&](std::uint32_t set, Subset subset) {
        if ((subset & marked) != marked) return;
        if (layer.of_rows) {
            best[subset] += layer.lows[set];
            return;
        }
        best[subset] = std::max(best[subset], layer.lows[set]);
        if (layer.closed || layer.itemsets.row(set).size() != static_cast<std::size_t>(std::popcount(subset))) return;
        listed[subset] = 1;
        set_high(window, subset, layer.highs[set], false);
    });
    if (layer.of_rows) count_published(best, window.items.size(), layer.ceiling);
    if (layer.total >= 0) best[marked] = std::max(best[marked], layer.total);
    // an itemset that contains a set contains its subsets
    for (std::size_t bit = 0; bit < window.items.size(); ++bit) {
        const Subset one = Subset{1} << bit;
        for (Subset subset = 0; subset < size; ++subset) {
            if (!(subset & one)) best[subset] = std::max(best[subset], best[subset | one]);
        }
    }
    return listed;
}

// Whether a set of items would be listed if it were frequent. The number of rows, the empty set's, may not be said.
bool would_be_listed(const Layer& layer, Subset subset) {
    return layer.ceiling >= 0 && subset != 0 && (layer.longest < 0 || std::popcount(subset) <= layer.longest);
}

// Narrows the window's bounds by one layer.
void learn(Window& window, const Layer& layer, const Projector& places, WindowScratch& scratch, std::size_t number) {
    Subset marked = 0;
    if (layer.marker >= 0) {
        const auto at = std::find(window.items.begin(), window.items.end(), layer.marker);
        if (at == window.items.end()) return;
        marked = Subset{1} << (at - window.items.begin());
    }
    const std::vector<std::uint8_t> listed = find_best(window, layer, places, scratch, number, marked);
    const std::vector<std::int64_t>& best = scratch.best;
    for (Subset subset = 0; subset < window.low.size(); ++subset) {
        window.low[subset] = std::max(window.low[subset], best[subset]);
        if ((subset & marked) != marked) continue;
        const bool known = layer.closed ? best[subset] > 0 : listed[subset] != 0;
        if (layer.closed && known) set_high(window, subset, best[subset], false);
        if (subset == marked && layer.total >= 0)
            set_high(window, subset, layer.total, false);
        else if (!known && would_be_listed(layer, subset & ~marked))
            set_high(window, subset, layer.ceiling, true);
    }
}

void find_excluded(Window& window, const Rows& exclusive) {
    window.excluded.assign(window.low.size(), 0);
    for (std::size_t set = 0; set < exclusive.count(); ++set) {
        Subset held = 0;
        const auto items = exclusive.row(set);
        for (std::size_t bit = 0; bit < window.items.size(); ++bit) {
            if (std::binary_search(items.begin(), items.end(), window.items[bit])) held |= Subset{1} << bit;
        }
        if (std::popcount(held) < 2) continue;
        for (Subset subset = 0; subset < window.low.size(); ++subset) {
            if (std::popcount(subset & held) > 1) window.excluded[subset] = 1;
        }
    }
}

// Applies the exclusions to the bounds, and detects contradictory bounds.
void check_bounds(Window& window) {
    for (Subset subset = 0; subset < window.low.size(); ++subset) {
        if (window.excluded[subset]) {
            if (window.low[subset] > 0) window.impossible = true;
            window.high[subset] = 0;
        }
        if (window.low[subset] > window.high[subset]) window.impossible = true;
    }
}

void find_settled(Window& window) {
    const std::size_t size = window.low.size();
    window.settled.assign(size, 0);
    for (Subset subset = 0; subset < size; ++subset) {
        bool settled = window.exact(subset);
        for (Subset rest = subset; settled && rest; rest &= rest - 1) {
            settled = window.settled[subset & ~(rest & -rest)];
        }
        window.settled[subset] = settled;
    }
    window.maximal.clear();
    for (Subset subset = 0; subset < size; ++subset) {
        if (!window.settled[subset]) continue;
        bool top = true;
        for (Subset rest = window.whole() & ~subset; top && rest; rest &= rest - 1) {
            top = !window.settled[subset | (rest & -rest)];
        }
        if (top) window.maximal.push_back(subset);
    }
}

// Marks the cells without rows: those with items that exclude each other, and those of an empty group.
void rule_out_cells(Window& window, std::vector<std::uint8_t>& dead) {
    const std::size_t size = window.low.size();
    for (Subset subset = 0; subset < size; ++subset) {
        if (window.high[subset] != 0) continue;
        for (Subset cell = subset; cell < size; cell = (cell + 1) | subset) dead[cell] = 1;
    }
    std::vector<std::int64_t> groups;
    for (const Subset set : window.maximal) {
        find_groups(window, set, groups);
        for (Subset cell = 0; cell < size; ++cell) {
            const std::int64_t rows = groups[cell & set];
            if (rows < 0) window.impossible = true;
            if (rows == 0) dead[cell] = 1;
        }
    }
}

}  // namespace

void find_groups(const Window& window, Subset set, std::vector<std::int64_t>& groups) {
    groups.resize(window.low.size());
    for_each_subset(set, [&](Subset part) { groups[part] = window.low[part]; });
    for (Subset rest = set; rest; rest &= rest - 1) {
        const Subset one = rest & -rest;
        for_each_subset(set & ~one, [&](Subset part) { groups[part] -= groups[part | one]; });
    }
}

Window open_window(const PublicationIndex& index, std::span<const std::int32_t> items, WindowScratch& scratch,
                   bool all_cells) {
    Window window;
    window.items = items;
    const std::size_t size = std::size_t{1} << items.size();
    window.low.assign(size, 0);
    window.high.assign(size, no_bound);
    window.ceiling.assign(size, 0);
    scratch.codes.resize(index.layers.size() + 1);
    for (std::size_t number = 0; number < index.layers.size(); ++number) {
        learn(window, index.known.layers[number], index.layers[number], scratch, number);
    }
    find_excluded(window, index.known.exclusive);
    check_bounds(window);
    find_settled(window);
    std::vector<std::uint8_t> dead(window.excluded);
    if (!all_cells) rule_out_cells(window, dead);
    for (Subset cell = 0; cell < size; ++cell) {
        if (!dead[cell]) window.cells.push_back(cell);
    }
    return window;
}

}  // namespace discreet
