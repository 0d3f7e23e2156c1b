// Finds the rows that are in any of some groups.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

// Groups: the rows that contain all of a base and nothing else of its full set.
struct NamedGroups {
    Rows fulls;
    std::span<const std::int64_t> which;  // each group's full set
    Rows bases;                           // and its base
};

// 1 for every row that is in any of the groups.
Buffer<std::uint8_t> find_exposed(const Rows& rows, const NamedGroups& groups, std::size_t labels, unsigned threads,
                                  std::atomic<bool>& stop, const std::function<void()>& tick);

}  // namespace discreet
