#include "simplex.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <type_traits>

namespace discreet {

namespace {

// GCC and clang have 128 bits on every 64-bit machine, enough for any product of a right-hand side and an entry.
__extension__ using Wide = __int128;

template <typename Entry>
constexpr Entry largest_entry = std::numeric_limits<Entry>::max() / 2;
constexpr std::int64_t largest_right = std::numeric_limits<std::int64_t>::max() / 4;
template <typename Entry>
using Product = std::conditional_t<sizeof(Entry) == 4, std::int64_t, Wide>;
constexpr std::size_t patience = 50;  // pivots without progress before Bland's rule, which cannot cycle

// Divides numbers that are multiples of the divisor. Odd numbers have an inverse modulo 2^64, so what is left after
// shifting is a product: many times faster than a division.
class ExactDivisor {
public:
    explicit ExactDivisor(std::int64_t divisor)
        : shift_(std::countr_zero(static_cast<std::uint64_t>(divisor))), inverse_(1) {
        const auto odd = static_cast<std::uint64_t>(divisor >> shift_);
        for (unsigned bits = 1; bits < 64; bits *= 2)
            inverse_ *= 2 - odd * inverse_;  // Newton: twice as many each time
    }
    std::int64_t operator()(std::int64_t multiple) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(multiple >> shift_) * inverse_);
    }

private:
    int shift_;
    std::uint64_t inverse_;
};

// Whether no product of a factor and one of the numbers, nor the sum of two such products, is beyond 64 bits.
template <typename Entry>
bool fits(std::span<const Entry> numbers, std::int64_t factor) {
    if constexpr (sizeof(Entry) == 4) return true;  // numbers and factors are entries, of less than 31 bits
    std::uint64_t magnitude = 0;
    for (Entry number : numbers) magnitude |= static_cast<std::uint64_t>(std::abs(number));
    return std::bit_width(magnitude) + std::bit_width(static_cast<std::uint64_t>(std::abs(factor))) <= 62;
}

std::int64_t narrow(Wide value) {
    if (value > largest_right || value < -largest_right) throw TooLargeNumbers{};
    return static_cast<std::int64_t>(value);
}

}  // namespace

template <typename Entry>
Simplex<Entry>::Simplex(std::size_t rows, std::size_t columns, bool traced)
    : columns_(columns),
      width_(columns + (traced ? rows : 0)),
      traces_(traced ? rows : 0),
      entries_(rows * width_),
      right_(rows),
      basis_(rows, -1) {
    for (std::size_t row = 0; row < traces_; ++row) at(row, columns_ + row) = 1;
}

template <typename Entry>
bool Simplex<Entry>::whole() const {
    if (denominator_ == 1) return true;
    return std::all_of(right_.begin(), right_.end(), [this](std::int64_t b) { return b % denominator_ == 0; });
}

template <typename Entry>
Fraction Simplex<Entry>::value(std::span<const std::int64_t> weights) const {
    Wide sum = 0;
    for (std::size_t row = 0; row < basis_.size(); ++row) {
        if (static_cast<std::size_t>(basis_[row]) < weights.size()) sum += Wide(weights[basis_[row]]) * right_[row];
    }
    return {narrow(sum), denominator_};
}

// One row of the new tableau: (target * pivot - factor * source) / denominator, which leaves no remainder.
template <typename Entry>
void Simplex<Entry>::reduce(Entry* target, const Entry* source, std::int64_t factor, std::int64_t pivot) {
    constexpr Entry most = largest_entry<Entry>;
    if (pivot == 1 && denominator_ == 1 && (factor == 1 || factor == -1)) {
        Entry grown = 0;
        const auto sign = static_cast<Entry>(factor);
        for (std::size_t c = 0; c < width_; ++c) {
            target[c] -= sign * source[c];
            grown |= std::abs(target[c]);
        }
        if (grown > most) throw TooLargeNumbers{};
        return;
    }
    if (fits<Entry>({target, width_}, pivot) && fits<Entry>({source, width_}, factor)) {
        const ExactDivisor divide(denominator_);
        std::int64_t furthest = 0;
        for (std::size_t c = 0; c < width_; ++c) {
            const std::int64_t value = divide(target[c] * pivot - factor * source[c]);
            furthest = std::max(furthest, std::abs(value));
            target[c] = static_cast<Entry>(value);
        }
        if (furthest > most) throw TooLargeNumbers{};
        return;
    }
    const Product<Entry> times = pivot, less = factor, over = denominator_;
    for (std::size_t c = 0; c < width_; ++c) {
        if (target[c] == 0 && source[c] == 0) continue;
        Product<Entry> value = target[c] * times - less * source[c];
        if (over != 1) value /= over;
        if (value > most || value < -most) throw TooLargeNumbers{};
        target[c] = static_cast<Entry>(value);
    }
}

template <typename Entry>
void Simplex<Entry>::pivot(std::size_t row, std::size_t column) {
    if (pivots_ >= most_pivots_) throw TooManyPivots{};
    const std::int64_t by = at(row, column);
    const Entry* source = &at(row, 0);
    for (std::size_t other = 0; other < basis_.size(); ++other) {
        if (other == row) continue;
        const std::int64_t factor = at(other, column);
        if (factor == 0 && by == denominator_) continue;
        reduce(&at(other, 0), source, factor, by);
        right_[other] = narrow((Wide(right_[other]) * by - Wide(factor) * right_[row]) / denominator_);
    }
    if (!cost_.empty()) {
        const std::int64_t factor = cost_[column];
        if (factor != 0 || by != denominator_) reduce(cost_.data(), source, factor, by);
    }
    ++pivots_;
    denominator_ = by;
    basis_[row] = static_cast<std::int32_t>(column);
}

// The entering column: the steepest, or the first one that gains; -1 if the solution is optimal.
template <typename Entry>
std::ptrdiff_t Simplex<Entry>::entering(bool first_one) const {
    std::ptrdiff_t best = -1;
    Entry steepest = 0;
    for (std::size_t c = 0; c < columns_; ++c) {
        if (cost_[c] < steepest) {
            best = static_cast<std::ptrdiff_t>(c);
            if (first_one) break;
            steepest = cost_[c];
        }
    }
    return best;
}

// The leaving row: the first to become 0 as the column grows; in a tie, one without a basic unknown, then the one with
// the first basic column. -1 if none ever does.
template <typename Entry>
std::ptrdiff_t Simplex<Entry>::leaving(std::size_t column) const {
    std::ptrdiff_t best = -1;
    for (std::size_t row = 0; row < basis_.size(); ++row) {
        const std::int64_t entry = entries_[row * width_ + column];
        if (entry <= 0) continue;
        if (best < 0) {
            best = static_cast<std::ptrdiff_t>(row);
            continue;
        }
        const Wide here = Wide(right_[row]) * entries_[best * width_ + column];
        const Wide there = Wide(right_[best]) * entry;
        if (here < there || (here == there && basis_[row] < basis_[best])) best = static_cast<std::ptrdiff_t>(row);
    }
    return best;
}

template <typename Entry>
void Simplex<Entry>::drop(std::size_t row) {
    const auto from = static_cast<std::ptrdiff_t>(row * width_);
    entries_.erase(entries_.begin() + from, entries_.begin() + from + static_cast<std::ptrdiff_t>(width_));
    right_.erase(right_.begin() + static_cast<std::ptrdiff_t>(row));
    basis_.erase(basis_.begin() + static_cast<std::ptrdiff_t>(row));
}

template <typename Entry>
bool Simplex<Entry>::start() {
    // Minimizes the infeasibility of the rows without a basic unknown.
    cost_.assign(width_, 0);
    for (std::size_t row = 0; row < basis_.size(); ++row) {
        if (basis_[row] >= 0) continue;
        for (std::size_t c = 0; c < columns_; ++c) cost_[c] -= at(row, c);
    }
    const auto lacking = [this] {
        for (std::size_t row = 0; row < basis_.size(); ++row) {
            if (basis_[row] < 0 && right_[row] != 0) return true;
        }
        return false;
    };
    std::size_t still = 0;
    while (lacking()) {
        const std::ptrdiff_t column = entering(still > patience);
        if (column < 0) return false;
        const std::ptrdiff_t row = leaving(column);
        if (row < 0) return false;
        still = right_[row] == 0 ? still + 1 : 0;
        pivot(row, column);
    }
    // Feasible rows without a basic unknown: assign one, or drop the row as redundant.
    for (std::size_t row = 0; row < basis_.size();) {
        if (basis_[row] >= 0) {
            ++row;
            continue;
        }
        std::size_t column = 0;
        while (column < columns_ && at(row, column) == 0) ++column;
        if (column == columns_) {
            drop(row);
            continue;
        }
        if (at(row, column) < 0) {
            for (std::size_t c = 0; c < width_; ++c) at(row, c) = -at(row, c);
        }
        pivot(row, column);
        ++row;
    }
    cost_.clear();
    return true;
}

// Sets the costs of the columns for a sum of weighted unknowns, given the basis.
template <typename Entry>
void Simplex<Entry>::price(std::span<const std::int64_t> weights) {
    const bool light = std::all_of(weights.begin(), weights.end(), [](std::int64_t w) { return std::abs(w) <= 127; });
    if (light)
        price_in<Product<Entry>>(weights);
    else
        price_in<Wide>(weights);  // a sum of heavy weights needs more room than a product
}

template <typename Entry>
template <typename Sum>
void Simplex<Entry>::price_in(std::span<const std::int64_t> weights) {
    std::vector<Sum> cost(width_);
    for (std::size_t c = 0; c < weights.size(); ++c) cost[c] = Sum(weights[c]) * denominator_;
    for (std::size_t row = 0; row < basis_.size(); ++row) {
        const auto basic = static_cast<std::size_t>(basis_[row]);
        const std::int64_t weight = basic < weights.size() ? weights[basic] : 0;
        if (weight == 0) continue;
        const Entry* entry = &at(row, 0);
        for (std::size_t c = 0; c < width_; ++c) cost[c] -= Sum(weight) * entry[c];
    }
    cost_.resize(width_);
    for (std::size_t c = 0; c < width_; ++c) {
        if (cost[c] > largest_entry<Entry> || cost[c] < -largest_entry<Entry>) throw TooLargeNumbers{};
        cost_[c] = static_cast<Entry>(cost[c]);
    }
}

template <typename Entry>
Outcome Simplex<Entry>::optimize(std::span<const std::int64_t> weights, std::int64_t enough, bool strictly) {
    price(weights);
    std::size_t still = 0;
    while (true) {
        const Fraction now = value(weights);
        const Wide left = Wide(now.above) - Wide(enough) * now.below;
        if (strictly ? left < 0 : left <= 0) return Outcome::enough;
        const std::ptrdiff_t column = entering(still > patience);
        if (column < 0) return Outcome::best;
        const std::ptrdiff_t row = leaving(column);
        if (row < 0) return Outcome::unbounded;
        still = right_[row] == 0 ? still + 1 : 0;
        pivot(row, column);
    }
}

template <typename Entry>
Fraction Simplex<Entry>::multiplier(std::size_t row) const {
    return {-static_cast<std::int64_t>(cost_[columns_ + row]), denominator_};
}

template class Simplex<std::int32_t>;
template class Simplex<std::int64_t>;

}  // namespace discreet
