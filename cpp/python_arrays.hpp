// What is between Python and the kernel: views of NumPy arrays on the way in, owned buffers on the way out, and the
// GIL released around the work.
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
#include <vector>

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

// Itemsets from Python: any object with the arrays `offsets` and `items`. Keeps both alive.
struct HeldRows {
    In<std::int64_t> offsets;
    In<std::int32_t> items;

    Rows rows() const { return {view(offsets), view(items)}; }
};

template <typename T>
Out<T> give(Buffer<T>&& buffer) {
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

template <typename T>
Out<T> give(const std::vector<T>& values) {
    return give(copy(std::span<const T>(values)));
}

inline nb::tuple give(OwnedRows&& rows) {
    return nb::make_tuple(give(std::move(rows.offsets)), give(std::move(rows.items)));
}

// What `work` returns, computed without the GIL.
template <typename Work>
auto released(Work work) {
    nb::gil_scoped_release release;
    return work();
}

inline void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Binds an exception with a number, which Python finds as the only argument, `error.args[0]`.
template <typename Error, auto number>
void bind_numbered(nb::module_& m, const char* name) {
    const nb::exception<Error> type(m, name, PyExc_ValueError);
    nb::register_exception_translator(  // tried before the one that nb::exception registers
        [](const std::exception_ptr& thrown, void* payload) {
            try {
                std::rethrow_exception(thrown);
            } catch (const Error& error) {
                PyErr_SetObject(static_cast<PyObject*>(payload), nb::int_(error.*number).ptr());
            }
        },
        type.ptr());
}

}  // namespace discreet

namespace nanobind::detail {

template <>
struct type_caster<discreet::HeldRows> {
    NB_TYPE_CASTER(discreet::HeldRows, const_name("discreet.itemsets.Itemsets"))

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        return take(source, "offsets", value.offsets, flags, cleanup) &&
               take(source, "items", value.items, flags, cleanup);
    }

private:
    template <typename Array>
    static bool take(handle source, const char* name, Array& array, std::uint32_t flags,
                     cleanup_list* cleanup) noexcept {
        const object attribute = steal(PyObject_GetAttrString(source.ptr(), name));
        if (!attribute.is_valid()) {
            PyErr_Clear();
            return false;
        }
        make_caster<Array> caster;
        if (!caster.from_python(attribute, flags_for_local_caster<Array>(flags), cleanup)) return false;
        array = std::move(caster.value);
        return true;
    }
};

// The view alone, for the duration of a call.
template <>
struct type_caster<discreet::Rows> {
    NB_TYPE_CASTER(discreet::Rows, make_caster<discreet::HeldRows>::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        if (!held.from_python(source, flags, cleanup)) return false;
        value = held.value.rows();
        return true;
    }

private:
    make_caster<discreet::HeldRows> held;
};

}  // namespace nanobind::detail
