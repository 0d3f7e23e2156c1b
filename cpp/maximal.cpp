#include "maximal.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "lattice.hpp"

namespace discreet {

namespace {

// Filters itemsets of a collection: keeps those that none of the others contains.
class MaximalFilter {
public:
    MaximalFilter(const Rows& collection, std::size_t labels) : collection_(collection), holding_(labels) {}

    // `places` ascend, so the longest come last.
    void filter(std::vector<std::uint32_t>& places) {
        std::size_t first = places.size();
        for (std::size_t at = places.size(); at-- > 0;) {
            const auto itemset = collection_.row(places[at]);
            // the empty itemset is inside any other
            if (itemset.empty() ? first < places.size() : inside_another(itemset)) continue;
            for (std::int32_t item : itemset) holding_[item].push_back({signature(itemset), places[at]});
            places[--first] = places[at];
        }
        places.erase(places.begin(), places.begin() + first);
        for (const std::uint32_t place : places)
            for (std::int32_t item : collection_.row(place)) holding_[item].clear();
    }

private:
    struct Kept {
        std::uint64_t bits;
        std::uint32_t place;
    };

    // A superset is among those that contain any given item.
    bool inside_another(std::span<const std::int32_t> itemset) const {
        const std::uint64_t bits = signature(itemset);
        const std::int32_t chosen =
            *std::ranges::min_element(itemset, {}, [&](std::int32_t item) { return holding_[item].size(); });
        return std::ranges::any_of(holding_[chosen], [&](const Kept& larger) {
            return !(bits & ~larger.bits) && std::ranges::includes(collection_.row(larger.place), itemset);
        });
    }

    const Rows& collection_;
    std::vector<std::vector<Kept>> holding_;
};

}  // namespace

Buffer<std::uint8_t> find_maximal(const Rows& collection, std::size_t labels) {
    Buffer<std::uint8_t> maximal(collection.count());
    std::ranges::fill(maximal, 0);
    std::vector<std::uint32_t> places(collection.count());
    std::iota(places.begin(), places.end(), 0u);
    MaximalFilter(collection, labels).filter(places);
    for (const std::uint32_t place : places) maximal[place] = 1;
    return maximal;
}

// An itemset that is not maximal at one level is not maximal at any lower one, so each level starts from the result of
// the next higher one.
Buffer<std::int32_t> find_lowest_maximal(const Rows& collection, std::span<const std::int32_t> levels,
                                         std::size_t labels) {
    std::vector<std::vector<std::uint32_t>> arriving;
    Buffer<std::int32_t> lowest(collection.count());
    for (std::size_t s = 0; s < collection.count(); ++s) {
        lowest[s] = levels[s] + 1;
        if (static_cast<std::size_t>(levels[s]) >= arriving.size()) arriving.resize(levels[s] + 1);
        arriving[levels[s]].push_back(static_cast<std::uint32_t>(s));
    }
    MaximalFilter maximal(collection, labels);
    std::vector<std::uint32_t> places;
    for (std::size_t level = arriving.size(); level-- > 0;) {
        const std::size_t before = places.size();
        places.insert(places.end(), arriving[level].begin(), arriving[level].end());
        std::ranges::inplace_merge(places, places.begin() + before);
        maximal.filter(places);
        for (const std::uint32_t place : places) lowest[place] = static_cast<std::int32_t>(level);
    }
    return lowest;
}

}  // namespace discreet
