// Bindings for discreet.twoparty: the one loop of its engine that NumPy lacks.
#include "bindings.hpp"
#include "python_arrays.hpp"
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
}

}  // namespace discreet
