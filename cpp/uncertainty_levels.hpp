// All sensitive rules of one length that are too certain, and which items to drop so that none of them is left: the two
// halves of SuppressControl (cao2010, Algorithm 1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "uncertainty_rows.hpp"

namespace discreet {

// Rows that all contained `base`, without it: a rule found here has it in its antecedent. -1: all rows, and no such
// item.
struct Slice {
    FoldedRows rows;
    std::int32_t base = -1;
};

// Rules of one length as codes: the antecedent, then the consequent.
struct RuleTable {
    std::size_t width = 0;
    Buffer<std::int32_t> codes;

    std::size_t count() const { return width ? codes.size() / width : 0; }
    std::span<const std::int32_t> rule(std::size_t r) const { return {codes.data() + r * width, width}; }
};

// Every rule that reaches the limit of its consequent and whose antecedent has `size` items, bases included.
RuleTable find_rules(std::span<const Slice> slices, std::size_t size, Limits limits, Halt halt);

// A chosen item: it concealed `rules` rules at this cost.
struct Choice {
    std::int32_t code;
    std::int64_t rules;
    std::int64_t cost;
};

// Chooses the item with the most rules per cost until every rule has lost one; ties by code. An item of zero cost is
// never chosen; every rule must have another.
std::vector<Choice> choose_items(const RuleTable& rules, std::span<const std::int64_t> costs, Halt halt);

struct LevelStep {
    std::size_t size;   // of the antecedents
    std::size_t rules;  // that were too certain
    std::vector<Choice> chosen;
};

// Processes the lengths of antecedents, one after another, until no rule of any length reaches its limit. Stops early,
// with the last step incomplete, once the cost exceeds `most_cost`. The chosen items are removed from `slices`.
std::vector<LevelStep> suppress_by_level(std::vector<Slice>& slices, std::size_t first_size, Limits limits,
                                         std::span<const std::int64_t> costs, std::span<const std::uint8_t> sensitive,
                                         std::int64_t most_cost, Halt halt);

}  // namespace discreet
