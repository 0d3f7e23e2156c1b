// What discreet.twoparty calls: the one loop of its engine that NumPy has no name for.
#include "bindings.hpp"
#include "python_arrays.hpp"
#include "twoparty_transpose.hpp"

namespace discreet {

void bind_twoparty(nb::module_& m) {
    m.def(
        "transpose_columns",
        [](In<std::uint8_t> columns) {
            Buffer<std::uint64_t> rows(columns.size() / 8);
            {
                nb::gil_scoped_release release;
                transpose_columns(columns.data(), columns.size() / kTransferColumns,
                                  reinterpret_cast<std::uint8_t*>(rows.data()));
            }
            return give(rows);
        },
        "columns"_a);
}

}  // namespace discreet
