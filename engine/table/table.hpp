// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A fixed number of buckets, and which of them a key belongs to.
//
// Flow       Scheme -> Table::bucket_of(key) -> Bucket
// Invariant  [I7] Every bucket in which anybody waits is in the list of noted ones, so that a
//            replacement looks at those and not at the whole table.

#include <bit>
#include <cstddef>
#include <memory>
#include <new>

#include "engine/table/bucket.hpp"

namespace phutex {

/// The fewest buckets a table can have, and the most that are tried: beyond, bytes would not be
/// counted right.
inline constexpr std::size_t kBucketsMin = 2;
inline constexpr std::size_t kBucketsMax = std::size_t{1} << 31;

constexpr bool is_bucket_count(std::size_t count) noexcept {
  return count >= kBucketsMin && count <= kBucketsMax && std::has_single_bit(count);
}

template <IsPlatform Platform>
class Table {
 public:
  struct Destroy {
    void operator()(Table* table) const noexcept { table->destroy(); }
  };
  using Owner = std::unique_ptr<Table, Destroy>;

  /// A table of `count` buckets, for which is_bucket_count holds; null if there is no memory.
  /// Allocates; never called with a lock held.
  static Owner create(std::size_t count) noexcept {
    PHUTEX_CHECK(is_bucket_count(count), "a table's bucket count is a power of two, 2 to 2^31");
    void* const storage = Platform::allocate(size_of(count));
    return Owner{storage == nullptr ? nullptr : new (storage) Table(count)};
  }

  Bucket<Platform>& bucket_of(Key key) noexcept { return buckets()[key.hash() >> shift_]; }

  std::size_t bucket_count() const noexcept { return std::size_t{1} << (64U - shift_); }

  Bucket<Platform>& bucket_at(std::size_t index) noexcept { return buckets()[index]; }

  /// Remembers that this bucket of the table is used [I7].
  void note(typename Bucket<Platform>::Locked& locked) noexcept {
    Bucket<Platform>& bucket = *locked.bucket_;
    if (bucket.is_noted_.read()) return;
    bucket.is_noted_.write(true);
    std::uintptr_t top = noted_.load(relaxed<why::LostRace>);
    do {
      bucket.next_noted_.write(reinterpret_cast<Bucket<Platform>*>(top));
    } while (!noted_.compare_exchange(top, reinterpret_cast<std::uintptr_t>(&bucket),
                                      relaxed<why::UsersGone>, relaxed<why::LostRace>));
  }

  /// Calls `visit(Bucket&)` once for every noted bucket, when nobody notes any more.
  template <class Visit>
  void for_each_noted(Visit&& visit) noexcept {
    auto* bucket = reinterpret_cast<Bucket<Platform>*>(noted_.load(relaxed<why::UsersGone>));
    for (; bucket != nullptr; bucket = bucket->next_noted_.read()) visit(*bucket);
  }

  /// The table that the buckets are moved to one by one, for a scheme that does.
  Table& next() const noexcept { return *next_.read(); }
  void set_next(Table& next) noexcept { next_.write(&next); }

 private:
  explicit Table(std::size_t count) noexcept
      : shift_(64U - static_cast<unsigned>(std::countr_zero(count))) {
    for (std::size_t index = 0; index < count; ++index) new (buckets() + index) Bucket<Platform>;
  }
  ~Table() = default;

  void destroy() noexcept {
    const std::size_t count = bucket_count();
    for (std::size_t index = 0; index < count; ++index) buckets()[index].~Bucket();
    this->~Table();
    Platform::deallocate(this, size_of(count));
  }

  // The buckets follow the header, each on its own cache line.
  static constexpr std::size_t header_size() noexcept {
    constexpr std::size_t kLine = alignof(Bucket<Platform>);
    return (sizeof(Table) + kLine - 1) / kLine * kLine;
  }
  static std::size_t size_of(std::size_t count) noexcept {
    return header_size() + count * sizeof(Bucket<Platform>);
  }
  Bucket<Platform>* buckets() noexcept {
    return reinterpret_cast<Bucket<Platform>*>(reinterpret_cast<std::byte*>(this) + header_size());
  }

  const unsigned shift_;  // never changes: read by whoever has the table
  typename Platform::template Plain<Table*> next_{nullptr};  // set before edge::TablePublished
  typename Platform::template Atomic<std::uintptr_t> noted_{0};  // a stack of buckets [I7]
};

}  // namespace phutex
