// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A counterexample's text is all it takes to see the same run again.

#include "checker/replay.hpp"

#include "checker/scenarios/scenarios.hpp"
#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

Check lost_wakeup() {
  return scenarios().named("LostWakeup/per_cpu_count/locked").front();
}
constexpr std::size_t kWeakened = edge::index_of<edge::EnqueueOrValue>;

TEST(Replay, RepeatsTheFailure) {
  const Check check = lost_wakeup();
  const Model model = model_for(check, Mode::tso, Counts::restartable, kWeakened);
  const Exploration exploration = explore_all(check, model);
  ASSERT_TRUE(exploration.counterexample);
  const std::string text = text_of(replay_of(model, *exploration.counterexample));
  const std::optional<Replay> parsed = parse_replay(text);
  ASSERT_TRUE(parsed) << text;
  Explorer another;
  const Model same = model_for(check, parsed->mode, parsed->counts, parsed->weakened);
  EXPECT_EQ(another.replay(check, same, parsed->answers).what, exploration.counterexample->what);
}

TEST(Replay, TellsTheSameStoryTwice) {
  const Check check = lost_wakeup();
  const Model model = model_for(check, Mode::tso, Counts::restartable, kWeakened);
  const Exploration exploration = explore_all(check, model);
  ASSERT_TRUE(exploration.counterexample);
  const Answers& answers = exploration.counterexample->answers;
  Explorer one;
  Explorer other;
  const std::string story = story_text(one.replay(check, model, answers));
  EXPECT_EQ(story, story_text(other.replay(check, model, answers)));
  EXPECT_NE(story.find("asleep for ever: waiter"), std::string::npos) << story;
}

TEST(Replay, IsOneRunWhoeverFoundIt) {
  const Check check = lost_wakeup();
  const Model model = model_for(check, Mode::tso, Counts::restartable, kWeakened);
  for (const bool is_pct : {false, true}) {
    Explorer explorer;
    const auto strategy = is_pct ? pct(check.card.bounds, 7, 3) : random(check.card.bounds, 7);
    const Exploration exploration = explorer.explore(check, model, *strategy, 100'000);
    ASSERT_TRUE(exploration.counterexample) << (is_pct ? "pct" : "random");
    EXPECT_EQ(explorer.replay(check, model, exploration.counterexample->answers).what,
              exploration.counterexample->what);
  }
}

TEST(Replay, IsWrittenBriefly) {
  Answers answers(12, 0);
  answers.push_back(1);
  answers.insert(answers.end(), {0, 0, 3, 2, 0, 0, 0});
  EXPECT_EQ(text_of(Replay{.mode = Mode::tso, .weakened = kWeakened, .answers = answers}),
            "tso.EnqueueOrValue:12a2cb");
  EXPECT_EQ(text_of(Replay{.counts = Counts::striped}), "sc.striped:");
}

TEST(Replay, IsReadStrictly) {
  const std::optional<Replay> replay = parse_replay("tso.striped.PinOrDrain:2b1a");
  ASSERT_TRUE(replay);
  EXPECT_EQ(replay->mode, Mode::tso);
  EXPECT_EQ(replay->counts, Counts::striped);
  EXPECT_EQ(replay->weakened, edge::index_of<edge::PinOrDrain>);
  EXPECT_EQ(replay->answers, (Answers{0, 0, 2, 0, 1}));
  for (const char* const wrong : {"", "sc", "12a", ":1a", "sc.:1a", "sc.nothing:1a", "sc:1A",
                                  "sc:99999999999a", "sc:a-", "x.sc:a"}) {
    EXPECT_FALSE(parse_replay(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace phutex::checker
