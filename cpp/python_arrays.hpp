// How arrays pass between Python and the kernel: views of NumPy's on the way in, owned buffers on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>

#include "buffer.hpp"
#include "rows.hpp"

namespace discreet {

namespace nb = nanobind;
using namespace nb::literals;

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

template <typename T>
std::span<const T> view(const std::optional<In<T>>& array) {
    return array ? view(*array) : std::span<const T>{};
}

template <typename T>
Out<T> give(Buffer<T>& buffer) {
    const std::size_t size = buffer.size();
    T* data = buffer.release();
    nb::capsule owner(data, [](void* block) noexcept { std::free(block); });
    return Out<T>(data, {size}, owner);
}

template <typename T>
Buffer<T> copy(std::span<const T> values) {
    Buffer<T> buffer(values.size());
    std::copy(values.begin(), values.end(), buffer.data());
    return buffer;
}

inline Rows rows_of(const In<std::int64_t>& offsets, const In<std::int32_t>& items) {
    return {view(offsets), view(items)};
}

inline nb::tuple give(OwnedRows& rows) {
    return nb::make_tuple(give(rows.offsets), give(rows.items));
}

inline void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace discreet
