// Exact linear programs in whole numbers: no bound computed here is ever rounded.
//
// The tableau is kept in integers over one common denominator, the determinant of the basis (Edmonds' integer pivoting:
// every division is exact). The programs of `attack` have matrices of 0, 1 and -1, whose determinants mostly stay
// small, so that 32 bits hold the entries. Otherwise TooLargeNumbers is thrown: try 64 bits, or conclude nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace discreet {

struct TooLargeNumbers {};
struct TooManyPivots {};

// A fraction; `below` is positive.
struct Fraction {
    std::int64_t above = 0;
    std::int64_t below = 1;

    std::int64_t floor() const { return above >= 0 ? above / below : -((-above + below - 1) / below); }
    std::int64_t ceil() const { return above >= 0 ? (above + below - 1) / below : -(-above / below); }
};

enum class Outcome { best, enough, unbounded };

template <typename Entry>  // std::int32_t, or std::int64_t: slower, and for larger determinants
class Simplex {
public:
    // Equations in `columns` nonnegative unknowns. Entries and right-hand sides start as 0; right-hand sides must not
    // be negative. With `traced`, the multipliers of the equations are available afterwards.
    Simplex(std::size_t rows, std::size_t columns, bool traced = false);

    Entry& at(std::size_t row, std::size_t column) { return entries_[row * width_ + column]; }
    std::int64_t& right(std::size_t row) { return right_[row]; }
    // Declares that a column occurs in this row alone, with coefficient 1: the row starts with it.
    void starts_with(std::size_t row, std::size_t column) { basis_[row] = static_cast<std::int32_t>(column); }

    // Throws TooManyPivots instead of a pivot beyond these, in all programs together.
    void limit(std::size_t pivots) { most_pivots_ = pivots; }

    // Finds a solution; false if there is none. Must be called once, before `optimize`.
    bool start();

    // Moves to a solution with the least weighted sum of unknowns, or stops at one of at most `enough`; with
    // `strictly`, of less.
    Outcome optimize(std::span<const std::int64_t> weights, std::int64_t enough, bool strictly = false);

    // For the last solution: the weighted sum, and each basic unknown's value over `denominator`.
    Fraction value(std::span<const std::int64_t> weights) const;
    std::size_t rows() const { return basis_.size(); }
    std::size_t pivots() const { return pivots_; }  // so far
    std::int32_t basic(std::size_t row) const { return basis_[row]; }
    std::int64_t amount(std::size_t row) const { return right_[row]; }
    std::int64_t denominator() const { return denominator_; }
    bool whole() const;  // whether every unknown is a whole number

    // The multiplier of an equation (by its original index) in the proof of the last optimal value.
    Fraction multiplier(std::size_t row) const;

private:
    void pivot(std::size_t row, std::size_t column);
    void reduce(Entry* target, const Entry* source, std::int64_t factor, std::int64_t pivot);
    std::ptrdiff_t entering(bool first_one) const;
    std::ptrdiff_t leaving(std::size_t column) const;
    void price(std::span<const std::int64_t> weights);
    template <typename Sum>
    void price_in(std::span<const std::int64_t> weights);
    void drop(std::size_t row);

    std::size_t columns_;  // unknowns
    std::size_t width_;    // unknowns and, if traced, one column for every equation
    std::size_t traces_;
    std::vector<Entry> entries_;
    std::vector<std::int64_t> right_;
    std::vector<std::int32_t> basis_;  // -1: none yet
    std::vector<Entry> cost_;
    std::int64_t denominator_ = 1;
    std::size_t pivots_ = 0;
    std::size_t most_pivots_ = ~std::size_t{0};
};

extern template class Simplex<std::int32_t>;
extern template class Simplex<std::int64_t>;

}  // namespace discreet
