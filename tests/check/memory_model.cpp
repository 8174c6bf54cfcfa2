// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The checker's memory allows what the model allows, and nothing else: the usual small programs.
//
// See  tests/check/litmus.cpp for many more, and for exactly what each may do

#include "checker/memory.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

using Outcomes = std::set<std::pair<std::uint32_t, std::uint32_t>>;

enum class Between { nothing, fence, light_fence, heavy_fence, exchange };

/// x = 1; y?  beside  y = 1; x?
template <Between Left, Between Right>
struct StoreBuffering : Scenario {
  using Scenario::Scenario;
  static inline Outcomes seen;
  Atomic<std::uint32_t> x{0};
  Atomic<std::uint32_t> y{0};
  Atomic<std::uint32_t> aside_of_x{0};
  Atomic<std::uint32_t> aside_of_y{0};
  std::uint32_t left = 9;
  std::uint32_t right = 9;

  void threads() {
    spawn("left", [this] { left = store_and_load<Left>(x, y); });
    spawn("right", [this] { right = store_and_load<Right>(y, x); });
  }
  void finally() { seen.insert({left, right}); }

 private:
  template <Between B>
  std::uint32_t store_and_load(Atomic<std::uint32_t>& mine, Atomic<std::uint32_t>& yours) {
    mine.store(1, release<edge::Woken>);
    if constexpr (B == Between::fence) Memory::fence(seq_cst<edge::EnqueueOrValue>);
    if constexpr (B == Between::light_fence) Memory::light_fence(asymmetric<edge::SleeperOrFree>);
    if constexpr (B == Between::heavy_fence) Memory::heavy_fence(asymmetric<edge::SleeperOrFree>);
    Atomic<std::uint32_t>& aside = &mine == &x ? aside_of_x : aside_of_y;
    if constexpr (B == Between::exchange) aside.exchange(1, acq_rel<edge::Woken>);
    return yours.load(acquire<edge::Woken>);
  }
};

template <class S>
Outcomes outcomes(Mode mode) {
  S::seen.clear();
  EXPECT_EQ(failure_of(explore_all<S>(mode)), "");
  return S::seen;
}

const Outcomes kInOrder{{0, 1}, {1, 0}, {1, 1}};
const Outcomes kAnyOrder{{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(StoreBuffering, HappensUnlessOneOrderRules) {
  using Bare = StoreBuffering<Between::nothing, Between::nothing>;
  EXPECT_EQ(outcomes<Bare>(Mode::sc), kInOrder);
  EXPECT_EQ(outcomes<Bare>(Mode::tso), kAnyOrder);
  EXPECT_EQ(outcomes<Bare>(Mode::history), kAnyOrder);
}

TEST(StoreBuffering, IsForbiddenByFencesOnBothSides) {
  using Fenced = StoreBuffering<Between::fence, Between::fence>;
  using HalfFenced = StoreBuffering<Between::fence, Between::nothing>;
  for (const Mode mode : {Mode::tso, Mode::history}) {
    EXPECT_EQ(outcomes<Fenced>(mode), kInOrder) << name_of(mode);
    EXPECT_EQ(outcomes<HalfFenced>(mode), kAnyOrder) << name_of(mode);
  }
}

TEST(StoreBuffering, IsForbiddenByReadModifyWritesOnX86Only) {
  using Exchanged = StoreBuffering<Between::exchange, Between::exchange>;
  EXPECT_EQ(outcomes<Exchanged>(Mode::tso), kInOrder);
  EXPECT_EQ(outcomes<Exchanged>(Mode::history), kAnyOrder);
}

TEST(StoreBuffering, IsForbiddenByALightAndAHeavyFence) {
  using Asymmetric = StoreBuffering<Between::heavy_fence, Between::light_fence>;
  using OnlyHeavy = StoreBuffering<Between::heavy_fence, Between::nothing>;
  using OnlyLight = StoreBuffering<Between::light_fence, Between::light_fence>;
  for (const Mode mode : {Mode::tso, Mode::history}) {
    EXPECT_EQ(outcomes<Asymmetric>(mode), kInOrder) << name_of(mode);
    EXPECT_EQ(outcomes<OnlyLight>(mode), kAnyOrder) << name_of(mode);
  }
  EXPECT_EQ(outcomes<OnlyHeavy>(Mode::history), kAnyOrder) << "no more than is promised";
}

/// x = 1; y = 1  beside  y?; x?
struct StoresInOrder : Scenario {
  using Scenario::Scenario;
  static inline Outcomes seen;
  Atomic<std::uint32_t> x{0};
  Atomic<std::uint32_t> y{0};

  void threads() {
    spawn("writer", [this] {
      x.store(1, relaxed<why::Hint>);
      y.store(1, relaxed<why::Hint>);
      expect(x.load(relaxed<why::Hint>) == 1, "a thread sees its own stores");
    });
    spawn("reader", [this] {
      const std::uint32_t late = y.load(relaxed<why::Hint>);
      seen.insert({late, x.load(relaxed<why::Hint>)});
    });
  }
};

TEST(StoreBuffers, KeepTheOrderOfStores) {
  EXPECT_EQ(outcomes<StoresInOrder>(Mode::tso), (Outcomes{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(Histories, DoNotKeepTheOrderOfStoresToTwoWords) {
  EXPECT_EQ(outcomes<StoresInOrder>(Mode::history), kAnyOrder);
}

/// x = 1; x = 2  beside  x?; x?  and beside  a reader told of x = 2 by one who saw it
struct Coherence : Scenario {
  using Scenario::Scenario;
  static inline Outcomes seen;
  Atomic<std::uint32_t> x{0};
  Atomic<std::uint32_t> told{0};

  void threads() {
    spawn("writer", [this] {
      x.store(1, relaxed<why::Hint>);
      x.store(2, relaxed<why::Hint>);
    });
    spawn("reader", [this] {
      const std::uint32_t first = x.load(relaxed<why::Hint>);
      const std::uint32_t second = x.load(relaxed<why::Hint>);
      seen.insert({first, second});
      if (second == 2) told.store(1, release<edge::Woken>);
    });
    spawn("other reader", [this] {
      if (told.load(acquire<edge::Woken>) == 0) return;
      expect(x.load(relaxed<why::Hint>) == 2, "who is told of a store does not read an older one");
    });
  }
};

TEST(Histories, NeverGoBack) {
  const Outcomes forth{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  EXPECT_EQ(outcomes<Coherence>(Mode::history), forth);
}

/// x = 1  beside  y = 1  beside  x?; y?  beside  y?; x?: do the readers agree which came first?
template <bool IsFenced>
struct TwoWriters : Scenario {
  using Scenario::Scenario;
  static inline Outcomes seen;
  Atomic<std::uint32_t> x{0};
  Atomic<std::uint32_t> y{0};
  std::uint32_t x_without_y = 0;
  std::uint32_t y_without_x = 0;

  void threads() {
    spawn("writes x", [this] { x.store(1, release<edge::Woken>); });
    spawn("writes y", [this] { y.store(1, release<edge::Woken>); });
    spawn("reads x", [this] { x_without_y = first_alone(x, y); });
    spawn("reads y", [this] { y_without_x = first_alone(y, x); });
  }
  void finally() { seen.insert({x_without_y, y_without_x}); }

 private:
  static std::uint32_t first_alone(const Atomic<std::uint32_t>& first,
                                   const Atomic<std::uint32_t>& second) {
    const std::uint32_t one = first.load(acquire<edge::Woken>);
    if constexpr (IsFenced) Memory::fence(seq_cst<edge::EnqueueOrValue>);
    return one == 1 && second.load(acquire<edge::Woken>) == 0 ? 1 : 0;
  }
};

TEST(Histories, LookDifferentToTwoReadersUnlessFenced) {
  EXPECT_FALSE(outcomes<TwoWriters<false>>(Mode::tso).contains({1, 1}));
  EXPECT_TRUE(outcomes<TwoWriters<false>>(Mode::history).contains({1, 1}));
  EXPECT_FALSE(outcomes<TwoWriters<true>>(Mode::history).contains({1, 1}));
}

/// x = 1; y = 2  beside  y = 1; x = 2
struct CrossedStores : Scenario {
  using Scenario::Scenario;
  static inline Outcomes seen;
  Atomic<std::uint32_t> x{0};
  Atomic<std::uint32_t> y{0};

  void threads() {
    spawn("one", [this] {
      x.store(1, relaxed<why::Hint>);
      y.store(2, relaxed<why::Hint>);
    });
    spawn("other", [this] {
      y.store(1, relaxed<why::Hint>);
      x.store(2, relaxed<why::Hint>);
    });
  }
  void finally() { seen.insert({x.load(relaxed<why::Hint>), y.load(relaxed<why::Hint>)}); }
};

TEST(StoreBuffers, ArriveInOneOrderForAll) {
  EXPECT_EQ(outcomes<CrossedStores>(Mode::tso), (Outcomes{{1, 2}, {2, 1}, {2, 2}}));
}

/// x = 1; x?; y?  beside  y = 1; x = 2: the first may read its own 1 and no y, and arrive last.
/// That is the program n6 of Owens, Sarkar and Sewell, A Better x86 Memory Model: x86-TSO, 2009.
struct OwnStoreFirst : Scenario {
  using Scenario::Scenario;
  static inline Outcomes seen;  // what was read of y, and the last x
  Atomic<std::uint32_t> x{0};
  Atomic<std::uint32_t> y{0};
  std::uint32_t read_x = 0;
  std::uint32_t read_y = 0;

  void threads() {
    spawn("one", [this] {
      x.store(1, relaxed<why::Hint>);
      read_x = x.load(relaxed<why::Hint>);
      read_y = y.load(relaxed<why::Hint>);
    });
    spawn("other", [this] {
      y.store(1, relaxed<why::Hint>);
      x.store(2, relaxed<why::Hint>);
    });
  }
  void finally() {
    if (read_x == 1) seen.insert({read_y, x.load(relaxed<why::Hint>)});
  }
};

TEST(StoreBuffers, LetAThreadReadItsOwnStoresFirst) {
  EXPECT_FALSE(outcomes<OwnStoreFirst>(Mode::sc).contains({0, 1}));
  EXPECT_TRUE(outcomes<OwnStoreFirst>(Mode::tso).contains({0, 1}));
}

enum class Pass { released, relaxed, fenced, through_exchange, through_store };

/// Something plain, passed on by a flag.
template <Pass How>
struct MessagePassing : Scenario {
  using Scenario::Scenario;
  Plain<int> message{0};
  Atomic<std::uint32_t> flag{0};

  void threads() {
    spawn("writer", [this] {
      message.write(1);
      if constexpr (How == Pass::fenced) Memory::fence(seq_cst<edge::EnqueueOrValue>);
      if constexpr (How == Pass::fenced || How == Pass::relaxed) {
        flag.store(2, relaxed<why::Hint>);
      } else {
        flag.store(1, release<edge::Woken>);
      }
    });
    if constexpr (How == Pass::through_exchange || How == Pass::through_store) {
      spawn("between", [this] { pass_on(); });
    }
    spawn("reader", [this] { receive(); });
  }

 private:
  static constexpr std::uint32_t kArrived = How == Pass::released ? 1 : 2;

  void pass_on() {
    std::uint32_t one = 1;
    if constexpr (How == Pass::through_exchange) {
      flag.compare_exchange(one, 2, relaxed<why::Hint>, relaxed<why::Hint>);
    } else if (flag.load(relaxed<why::Hint>) == 1) {
      flag.store(2, relaxed<why::Hint>);
    }
  }
  void receive() {
    if constexpr (How == Pass::fenced) {
      if (flag.load(relaxed<why::Hint>) != kArrived) return;
      Memory::fence(seq_cst<edge::EnqueueOrValue>);
    } else {
      if (flag.load(acquire<edge::Woken>) != kArrived) return;
    }
    expect(message.read() == 1, "the message is there");
  }
};

template <Pass How>
std::string failure(Mode mode) {
  return failure_of(explore_all<MessagePassing<How>>(mode));
}

TEST(HappensBefore, ComesFromReleaseAndAcquire) {
  for (const Mode mode : kAllModes) {
    EXPECT_EQ(failure<Pass::released>(mode), "");
    EXPECT_EQ(failure<Pass::relaxed>(mode).find("data race: reader reads"), 0U);
  }
}

TEST(HappensBefore, ComesFromFencesAroundRelaxedAccesses) {
  for (const Mode mode : kAllModes) EXPECT_EQ(failure<Pass::fenced>(mode), "");
}

TEST(HappensBefore, IsCarriedOnByReadModifyWritesAndBrokenOffByStores) {
  EXPECT_EQ(failure<Pass::through_exchange>(Mode::sc), "");
  EXPECT_EQ(failure<Pass::through_store>(Mode::sc).find("data race: reader reads"), 0U);
}

/// Something is destroyed while another thread is at it.
template <bool IsOrdered>
struct Destruction : Scenario {
  using Scenario::Scenario;
  std::optional<Atomic<std::uint32_t>> word{0U};
  Atomic<std::uint32_t> flag{0};

  void threads() {
    spawn("user", [this] {
      if (flag.load(acquire<edge::Woken>) != 0) return;
      word->fetch_add(1, relaxed<why::Hint>);
      flag.store(1, release<edge::Woken>);
    });
    spawn("destroyer", [this] {
      if (IsOrdered && flag.load(acquire<edge::Woken>) == 0) return;
      word.reset();
      flag.store(1, release<edge::Woken>);
    });
  }
};

TEST(Destruction, MustComeAfterEveryUse) {
  EXPECT_EQ(failure_of(explore_all<Destruction<true>>(Mode::sc)), "");
  const std::string unordered = failure_of(explore_all<Destruction<false>>(Mode::sc));
  EXPECT_NE(unordered, "");
}

struct Below : Scenario {
  using Scenario::Scenario;
  Atomic<std::uint32_t> count{1};
  void threads() {
    for (const char* const name : {"one", "other"}) {
      spawn(name, [this] { count.fetch_add(~0U, relaxed<why::Hint>); });
    }
  }
};

TEST(Counts, NeverGoBelowZero) {
  EXPECT_EQ(failure_of(explore_all<Below>(Mode::sc)), "a count goes below zero");
}

struct Leak : Scenario {
  using Scenario::Scenario;
  void threads() { (void)Memory::allocate(8); }
};

TEST(Storage, IsGivenBack) {
  EXPECT_NE(failure_of(explore_all<Leak>(Mode::sc)).find("all storage is given back"),
            std::string::npos);
}

}  // namespace
}  // namespace phutex::checker
