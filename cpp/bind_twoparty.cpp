// Bindings for discreet.twoparty: the loops of its engine that NumPy lacks.
#include "bindings.hpp"
#include "python_arrays.hpp"
#include "twoparty_field.hpp"
#include "twoparty_transpose.hpp"

namespace discreet {

void bind_twoparty(nb::module_& m) {
    m.def(
        "transpose_columns",
        [](In<std::uint8_t> columns) {
            return give(released([&] {
                Buffer<std::uint64_t> rows(columns.size() / 8);
                transpose_columns(columns.data(), columns.size() / kTransferColumns,
                                  reinterpret_cast<std::uint8_t*>(rows.data()));
                return rows;
            }));
        },
        "columns"_a);
    m.def(
        "hash_columns",
        [](In<std::uint8_t> columns, std::size_t count, In<std::uint8_t> key, bool portable) {
            return give(released([&] {
                Buffer<std::uint8_t> hashes(16 * count);
                hash_columns(columns.data(), count, columns.size() / count, key.data(), hashes.data(), portable);
                return hashes;
            }));
        },
        "columns"_a, nb::kw_only(), "count"_a, "key"_a, "portable"_a = false);
    m.def(
        "multiply_elements",
        [](In<std::uint64_t> one, In<std::uint64_t> other, bool portable) {
            return give(released([&] {
                Buffer<std::uint64_t> products(one.size());
                multiply_elements(reinterpret_cast<const std::uint8_t*>(one.data()),
                                  reinterpret_cast<const std::uint8_t*>(other.data()), one.size() / 2,
                                  reinterpret_cast<std::uint8_t*>(products.data()), portable);
                return products;
            }));
        },
        "one"_a, "other"_a, nb::kw_only(), "portable"_a = false);
}

}  // namespace discreet
