// A growing array whose memory can be handed to NumPy without a copy.
//
// std::vector keeps the old block while it fills a new one, three times the data at its peak. realloc moves pages of
// large blocks instead of bytes, and pages that were never touched cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace discreet {

// The first touch of a page costs more than filling it, so large blocks request pages of two megabytes. Returns nullptr
// if the block is small or there are no such pages.
inline void* allocate_large(std::size_t size) {
#if defined(__linux__)
    constexpr std::size_t page = std::size_t{1} << 21;
    if (size < page) return nullptr;
    void* block = std::aligned_alloc(page, (size + page - 1) / page * page);
    if (block) madvise(block, size, MADV_HUGEPAGE);  // only a hint
    return block;
#else
    static_cast<void>(size);
    return nullptr;
#endif
}

template <typename T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    explicit Buffer(std::size_t size) { resize(size); }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }

    void push_back(T value) {
        if (size_ == capacity_) grow(size_ + 1);
        data_[size_++] = value;
    }

    // Makes room for `count` more values and returns their address; the caller fills all of them.
    T* extend(std::size_t count) {
        if (size_ + count > capacity_) grow(size_ + count);
        T* place = data_ + size_;
        size_ += count;
        return place;
    }

    void resize(std::size_t size) {
        if (size > capacity_) reallocate(size);
        size_ = size;
    }

    // Reserves room for this many values in total, before the first; untouched pages cost nothing.
    void reserve(std::size_t capacity) {
        if (void* block = allocate_large(capacity * sizeof(T))) {
            std::free(std::exchange(data_, static_cast<T*>(block)));
            capacity_ = capacity;
        } else if (capacity > capacity_) {
            reallocate(capacity);
        }
    }

    void shrink_to_fit() {
        if (size_ < capacity_) reallocate(size_);
    }

    // Releases ownership of the memory; free it with std::free.
    T* release() {
        shrink_to_fit();
        size_ = capacity_ = 0;
        return std::exchange(data_, nullptr);
    }

private:
    void grow(std::size_t least) {
        std::size_t capacity = capacity_ + capacity_ / 2 + 1024 / sizeof(T) + 1;
        reallocate(capacity < least ? least : capacity);
    }

    void reallocate(std::size_t capacity) {
        void* block = std::realloc(data_, (capacity ? capacity : 1) * sizeof(T));
        if (!block) throw std::bad_alloc();
        data_ = static_cast<T*>(block);
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace discreet
