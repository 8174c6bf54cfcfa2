// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One futex subsystem: a hash of waiters and the operations on it.
//
// Flow  an operation's arguments are checked where they enter (request.hpp, phutex.hpp); here they
//       are what the operation's own header says they must be.

#include <utility>

#include "engine/config.hpp"
#include "engine/op/wait.hpp"
#include "engine/op/wake.hpp"
#include "engine/snapshot.hpp"

namespace phutex {

template <IsConfig C>
class Engine {
 public:
  using Configuration = C;
  using Platform = typename C::Platform;
  using Scheme = typename C::Scheme;

  /// Takes the first table over. An engine is used only after prepare() has said true.
  explicit Engine(typename Table<Platform>::Owner table) noexcept : scheme_(std::move(table)) {}

  /// False if there is no memory for what the scheme needs.
  [[nodiscard]] bool prepare() noexcept { return scheme_.prepare(); }

  /// op/wait.hpp
  template <IsWord Word>
  Result<void> wait(Word word, typename Word::Value expected, Bitset bitset = kMatchAny,
                    const Deadline& deadline = Deadline::never()) noexcept {
    return op::wait<Platform, typename C::Mismatch>(scheme_, word, expected, bitset, deadline,
                                                    watcher_);
  }

  /// op/wake.hpp
  int wake(Key key, int limit, Bitset bitset = kMatchAny) noexcept {
    return op::wake<Platform>(scheme_, key, limit, bitset);
  }

  /// IsScheme
  Result<void> resize(std::size_t buckets) noexcept { return scheme_.resize(buckets); }
  void freeze() noexcept { scheme_.freeze(); }
  std::size_t bucket_count() noexcept { return scheme_.bucket_count(); }

  /// snapshot.hpp
  Snapshot snapshot(Patience patience = Patience::waits) noexcept {
    return snapshot_of<Platform>(scheme_, patience);
  }

  /// Before any wait.
  void watch(const op::Watcher& watcher) noexcept { watcher_ = watcher; }

  /// The number of waiters asleep on `key`. A hint as soon as it is returned.
  std::size_t waiting(Key key) noexcept {
    std::size_t count = 0;
    scheme_.lock(key)->queue().for_each_key([&](Key each, std::uint32_t length) {
      if (each == key) count = length;
    });
    return count;
  }

 private:
  Scheme scheme_;
  op::Watcher watcher_;
};

}  // namespace phutex
