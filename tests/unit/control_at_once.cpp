// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two that want a hash of another size at the same time; and what each rule makes of a whole
// process.

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/control.hpp"
#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

using sizing::rule_named;

constexpr sizing::Cpus kMany{.online = 256, .possible = 256};

// How many threads there must be for the kernel's rule to want `buckets` on that many CPUs.
constexpr std::size_t threads_for(std::size_t buckets) {
  return buckets / 4;
}

// An engine whose replacements take as long as the test wants.
struct SlowEngine {
  using Platform = Direct;

  Result<void> resize(std::size_t count) noexcept {
    begun.push_back(count);
    for (const std::size_t number = begun.size(); number > may_end;) let_others_run();
    if (while_replacing) while_replacing(count);
    if (!has_memory) return Errno::no_memory;
    buckets = count;
    return {};
  }
  void freeze() noexcept { is_frozen = true; }

  std::vector<std::size_t> begun;
  std::size_t buckets = 16;
  std::size_t may_end = SIZE_MAX;  // that many replacements
  std::function<void(std::size_t)> while_replacing;
  bool has_memory = true;
  bool is_frozen = false;
};

using Sizes = std::vector<std::size_t>;

class TwoAtOnce : public testing::Test {
 protected:
  void use(std::string_view rule) {
    control_.emplace(engine_, *rule_named(rule), kMany, Hash{Origin::automatic, 16});
  }

  /// Starts a thread that gets as far as its replacement.
  template <class Act>
  void begin(Act&& act) {
    const std::size_t before = engine_.begun.size();
    engine_.may_end = before;
    spawn("first", act);
    let_others_run();
    ASSERT_EQ(engine_.begun.size(), before + 1);
  }
  void finish() {
    engine_.may_end = SIZE_MAX;
    join_all();
  }
  void begin_growing(std::size_t buckets) {
    begin([this, buckets] { follow(threads_for(buckets)); });
  }

  void follow(std::size_t threads) {
    EXPECT_TRUE(static_cast<bool>(control_->follow({.threads = threads})));
  }

  SlowEngine engine_;
  std::optional<Control<SlowEngine>> control_{std::in_place, engine_, *rule_named("kernel"), kMany,
                                              Hash{Origin::automatic, 16}};
};

TEST_F(TwoAtOnce, LeaveAWishAndDoNotWait) {
  on_fibres([this] {
    begin_growing(32);
    follow(threads_for(256));
    EXPECT_EQ(engine_.begun, (Sizes{32})) << "back at once, with nothing done yet";
    EXPECT_EQ(control_->hash(), (Hash{Origin::automatic, 16}));
    finish();
    EXPECT_EQ(engine_.begun, (Sizes{32, 256}));
    EXPECT_EQ(control_->hash(), (Hash{Origin::automatic, 256}));
  });
}

TEST_F(TwoAtOnce, AreServedTheBestWishOnly) {
  on_fibres([this] {
    begin_growing(64);
    for (const std::size_t wish : {128U, 512U, 32U, 256U}) follow(threads_for(wish));
    finish();
    EXPECT_EQ(engine_.begun, (Sizes{64, 512}));
  });
}

TEST_F(TwoAtOnce, MakeNothingSmaller) {
  on_fibres([this] {
    begin_growing(256);
    follow(threads_for(64));
    finish();
    EXPECT_EQ(engine_.begun, (Sizes{256}));
    EXPECT_EQ(control_->hash(), (Hash{Origin::automatic, 256}));
  });
}

// Also a wish that comes while another one is being served.
TEST_F(TwoAtOnce, ServeWishesUntilThereIsNone) {
  on_fibres([this] {
    begin_growing(32);
    follow(threads_for(64));
    engine_.while_replacing = [this](std::size_t count) {
      if (count != 64) return;
      spawn("third", [this] { follow(threads_for(128)); });
      let_others_run();
      EXPECT_EQ(engine_.begun, (Sizes{32, 64}));
    };
    finish();
    EXPECT_EQ(engine_.begun, (Sizes{32, 64, 128}));
    EXPECT_EQ(control_->hash(), (Hash{Origin::automatic, 128}));
  });
}

TEST_F(TwoAtOnce, LetAUserBeatARule) {
  on_fibres([this] {
    begin([this] { EXPECT_TRUE(static_cast<bool>(control_->set(8))); });
    follow(threads_for(1024));
    finish();
    EXPECT_EQ(engine_.begun, (Sizes{8}));
    EXPECT_EQ(control_->hash(), (Hash{Origin::custom, 8}));
  });
}

TEST_F(TwoAtOnce, LetAUserWaitForARule) {
  on_fibres([this] {
    begin_growing(32);
    bool is_set = false;
    spawn("user", [&] {
      EXPECT_TRUE(static_cast<bool>(control_->set(4)));
      is_set = true;
    });
    let_others_run();
    EXPECT_FALSE(is_set);
    finish();
    EXPECT_EQ(engine_.begun, (Sizes{32, 4}));
    EXPECT_EQ(control_->hash(), (Hash{Origin::custom, 4}));
  });
}

TEST_F(TwoAtOnce, LetTheGlobalTableBeatAll) {
  on_fibres([this] {
    begin([this] { EXPECT_TRUE(static_cast<bool>(control_->set(0))); });
    follow(threads_for(1024));
    Errno late = Errno::none;
    spawn("user", [&] { late = control_->set(64).error(); });
    let_others_run();
    finish();
    EXPECT_EQ(late, Errno::busy);
    EXPECT_EQ(engine_.begun, (Sizes{65536}));
    EXPECT_TRUE(engine_.is_frozen);
    EXPECT_EQ(control_->hash(), (Hash{Origin::global, 65536}));
  });
}

// A wish for which there is no memory is dropped, and the next thread wishes again.
TEST_F(TwoAtOnce, LoseNothingWithoutMemory) {
  on_fibres([this] {
    begin([this] { EXPECT_EQ(control_->set(64).error(), Errno::no_memory); });
    engine_.has_memory = false;
    follow(threads_for(128));
    finish();
    EXPECT_EQ(engine_.begun, (Sizes{64, 128}));
    EXPECT_EQ(control_->hash(), (Hash{Origin::automatic, 16}));
    engine_.has_memory = true;
    follow(threads_for(128));
    EXPECT_EQ(control_->hash(), (Hash{Origin::automatic, 128}));
  });
}

TEST_F(TwoAtOnce, FreezeAtTheSecondThreadAsPosted) {
  use("freeze_at_cap");
  on_fibres([this] {
    follow(1);
    EXPECT_TRUE(engine_.is_frozen);
    follow(1000);
    EXPECT_EQ(control_->hash(), (Hash{Origin::immutable, 16}));
  });
}

TEST_F(TwoAtOnce, FreezeAtTheCapWhenCorrected) {
  use("freeze_at_cap_corrected");
  on_fibres([this] {
    follow(64);
    EXPECT_FALSE(engine_.is_frozen);
    EXPECT_EQ(control_->hash(), (Hash{Origin::automatic, 256}));
    follow(1000);
    EXPECT_TRUE(engine_.is_frozen);
    EXPECT_EQ(control_->hash(), (Hash{Origin::immutable, 1024}));
    EXPECT_EQ(control_->set(64).error(), Errno::busy);
  });
}

TEST_F(TwoAtOnce, FollowTheWaitingUpAndDown) {
  use("occupancy");
  on_fibres([this] {
    const auto wait_on = [this](std::size_t addresses) {
      EXPECT_TRUE(static_cast<bool>(control_->follow({.waiting = addresses})));
      return control_->hash();
    };
    EXPECT_EQ(wait_on(16), (Hash{Origin::automatic, 16}));
    EXPECT_EQ(wait_on(300), (Hash{Origin::automatic, 1024}));
    EXPECT_EQ(wait_on(100), (Hash{Origin::automatic, 256}));
    EXPECT_TRUE(static_cast<bool>(control_->reserve(200)));
    EXPECT_EQ(wait_on(0), (Hash{Origin::automatic, 256})) << "reserved";
    EXPECT_TRUE(static_cast<bool>(control_->reserve(0)));
    EXPECT_EQ(wait_on(0), (Hash{Origin::automatic, 16}));
  });
}

TEST_F(TwoAtOnce, NeedNotCountThreadsForEver) {
  const auto may_change = [&](std::string_view rule, Hash hash) {
    SlowEngine engine;
    const Control<SlowEngine> control{engine, *rule_named(rule), kMany, hash};
    return control.may_change_with_threads();
  };
  EXPECT_TRUE(may_change("kernel", {Origin::none, 1024}));
  EXPECT_TRUE(may_change("kernel", {Origin::automatic, 512}));
  EXPECT_FALSE(may_change("kernel", {Origin::automatic, 1024}));
  EXPECT_FALSE(may_change("kernel", {Origin::custom, 2}));
  EXPECT_FALSE(may_change("kernel", {Origin::global, 65536}));
  EXPECT_TRUE(may_change("by_threads", {Origin::automatic, 1024}));
  EXPECT_FALSE(may_change("occupancy", {Origin::automatic, 16}));
  EXPECT_TRUE(may_change("occupancy", {Origin::none, 16}));
}

}  // namespace
}  // namespace phutex
