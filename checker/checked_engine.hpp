// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The engine's operations, whatever it is made of, and a look inside.
//
// Scenarios are many and configurations are many, so a scenario is compiled once and calls the
// engine through this. It calls the operations, not phutex::Engine, whose scheme nobody may touch.

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "checker/platform.hpp"
#include "engine/engine.hpp"

namespace phutex::checker {

class CheckedEngine {
 public:
  virtual ~CheckedEngine() = default;

  virtual Result<void> wait(const Word& word, Word::Value expected, Bitset bitset = kMatchAny,
                            const Deadline& deadline = Deadline::never()) = 0;
  virtual int wake(const Word& word, int limit, Bitset bitset = kMatchAny) = 0;
  virtual Result<void> resize(std::size_t buckets) = 0;
  virtual void freeze() = 0;
  virtual std::size_t bucket_count() = 0;

  /// How many are queued on the word, in the table that is current.
  virtual std::size_t waiting(const Word& word) = 0;

  /// Are all queues and counts of the current table as they must be whenever a bucket's lock can
  /// be had? At any time.
  virtual bool is_sound() = 0;

  /// An engine lives in the storage of its run, which may be abandoned.
  struct Destroy {
    void operator()(CheckedEngine* engine) const noexcept { engine->~CheckedEngine(); }
  };
  using Owner = std::unique_ptr<CheckedEngine, Destroy>;
};

template <IsConfig Config>
class CheckedEngineOf : public CheckedEngine {
 public:
  using Platform = typename Config::Platform;

  explicit CheckedEngineOf(std::size_t buckets) : scheme_(Table<Platform>::create(buckets)) {
    PHUTEX_CHECK(scheme_.prepare(), "a run begins with enough memory");
  }

  Result<void> wait(const Word& word, Word::Value expected, Bitset bitset,
                    const Deadline& deadline) override {
    return op::wait<Platform, typename Config::Mismatch>(scheme_, WordReference{word}, expected,
                                                         bitset, deadline);
  }
  int wake(const Word& word, int limit, Bitset bitset) override {
    return op::wake<Platform>(scheme_, word.key(), limit, bitset);
  }
  Result<void> resize(std::size_t buckets) override { return scheme_.resize(buckets); }
  void freeze() override { scheme_.freeze(); }
  std::size_t bucket_count() override { return scheme_.bucket_count(); }

  std::size_t waiting(const Word& word) override {
    std::size_t count = 0;
    auto locked = scheme_.lock(word.key());
    locked->queue().for_each_key([&](Key each, std::uint32_t length) {
      if (each == word.key()) count = length;
    });
    return count;
  }

  bool is_sound() override {
    bool is_everything_sound = true;
    scheme_.with_table(Patience::waits, [&](Table<Platform>& table, const ReplacementHistory&) {
      for (std::size_t index = 0; index < table.bucket_count(); ++index) {
        is_everything_sound = is_everything_sound && is_sound(table, table.bucket_at(index));
      }
    });
    return is_everything_sound;
  }

 protected:
  typename Config::Scheme scheme_;  // a test's broken engine may want it

 private:
  static bool is_sound(Table<Platform>& table, Bucket<Platform>& bucket) {
    const auto locked = bucket.lock();
    bool is_anybody_here = false;
    bool is_everybody_right_here = true;
    locked.queue().for_each_key([&](Key key, std::uint32_t) {
      is_anybody_here = true;
      is_everybody_right_here = is_everybody_right_here && &table.bucket_of(key) == &bucket;
    });
    return locked.queue().is_sound() && is_everybody_right_here &&
           bucket.maybe_waiting() == is_anybody_here;
  }
};

/// A configuration, by name.
struct EngineKind {
  std::string_view scheme;
  std::string_view mismatch;
  CheckedEngine::Owner (*make)(std::size_t buckets);
};

template <class Engine>
CheckedEngine::Owner make_engine(std::size_t buckets) {
  void* const storage = World::current().runtime().arena().allocate(sizeof(Engine));
  return CheckedEngine::Owner{new (storage) Engine(buckets)};
}

template <IsConfig Config>
constexpr EngineKind engine_kind() noexcept {
  return {kName<typename Config::Scheme>, kName<typename Config::Mismatch>,
          make_engine<CheckedEngineOf<Config>>};
}

/// All of Configurations.
std::span<const EngineKind> engine_kinds();

}  // namespace phutex::checker
