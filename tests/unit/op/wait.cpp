// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A wait whose word cannot be read, or changes between two readings; the rest is in engine.cpp.

#include "engine/op/wait.hpp"

#include <vector>

#include "tests/unit/on_fibres.hpp"

namespace phutex::op {
namespace {

/// Reads as the given results, one after the other, and counts the readings.
class ScriptedWord {
 public:
  using Value = std::uint32_t;
  explicit ScriptedWord(std::vector<Result<Value>>& script) : script_(&script) {}
  Result<Value> load() const {
    const Result<Value> next = script_->front();
    if (script_->size() > 1) script_->erase(script_->begin());
    return next;
  }
  std::uintptr_t identity() const { return 16; }

 private:
  std::vector<Result<Value>>* script_;
};

template <class C>
class WaitTest : public testing::Test {
 protected:
  WaitTest() { EXPECT_TRUE(scheme_.prepare()); }

  Errno wait(std::vector<Result<std::uint32_t>> script) {
    return op::wait<Direct, typename C::Mismatch>(scheme_, ScriptedWord{script}, 0, kMatchAny,
                                                  kSoon)
        .error();
  }
  /// Expected values up to the announcement, then `last`.
  static std::vector<Result<std::uint32_t>> then(Result<std::uint32_t> last) {
    constexpr bool kLooksEarly = std::is_same_v<typename C::Mismatch, mismatch::Early>;
    std::vector<Result<std::uint32_t>> script(kLooksEarly ? 2 : 1, 0U);
    script.push_back(last);
    return script;
  }

  bool is_anybody_announced() { return static_cast<bool>(scheme_.lock_if_waiting(Key{16})); }

  typename C::Scheme scheme_{Table<Direct>::create(2)};
};

TYPED_TEST_SUITE(WaitTest, AllConfigs, ConfigNames);

TYPED_TEST(WaitTest, ReportsAWordThatCannotBeRead) {
  on_fibres([this] {
    EXPECT_EQ(this->wait({Errno::fault}), Errno::fault);
    EXPECT_FALSE(this->is_anybody_announced());
  });
}

TYPED_TEST(WaitTest, WaitsForABusyBucketOnlyIfItMustLookUnderItsLock) {
  if (std::is_same_v<typename TypeParam::Mismatch, mismatch::Locked>) return;
  on_fibres([this] {
    const auto busy = this->scheme_.lock(Key{16});
    EXPECT_EQ(this->wait({1U}), Errno::again);
  });
}

TYPED_TEST(WaitTest, TakesItsAnnouncementBackWhenTheWordCannotBeReadAnyMore) {
  on_fibres([this] {
    EXPECT_EQ(this->wait(this->then(Errno::fault)), Errno::fault);
    EXPECT_FALSE(this->is_anybody_announced());
  });
}

TYPED_TEST(WaitTest, TakesItsAnnouncementBackWhenTheWordHasChanged) {
  on_fibres([this] {
    EXPECT_EQ(this->wait(this->then(1U)), Errno::again);
    EXPECT_FALSE(this->is_anybody_announced());
  });
}

TYPED_TEST(WaitTest, GivesItsParkerBackWhateverEndsIt) {
  on_fibres([this] {
    EXPECT_EQ(this->wait({0U}), Errno::timed_out);
    fibers::DirectMemory::storage.left = 0;
    EXPECT_EQ(this->wait(this->then(1U)), Errno::again);
    EXPECT_EQ(this->wait(this->then(Errno::fault)), Errno::fault);
    EXPECT_EQ(this->wait({0U}), Errno::timed_out);
    fibers::DirectMemory::storage.left = SIZE_MAX;
  });
}

}  // namespace
}  // namespace phutex::op
