// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replacing a word that may not be there; reading one is in tests/conformance/faults.cpp.

#include "native/user_word.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>
#include <vector>

namespace phutex::native {
namespace {

TEST(ReplaceIf, ReplacesWhatIsExpectedOnly) {
  std::uint32_t words[3] = {7, 7, 7};
  const Result<std::uint32_t> replaced = replace_if(&words[1], 7, 8);
  ASSERT_TRUE(static_cast<bool>(replaced));
  EXPECT_EQ(*replaced, 7U);
  EXPECT_EQ(words[1], 8U);
  const Result<std::uint32_t> kept = replace_if(&words[1], 7, 9);
  ASSERT_TRUE(static_cast<bool>(kept));
  EXPECT_EQ(*kept, 8U);
  EXPECT_EQ(words[1], 8U);
  EXPECT_EQ(words[0], 7U);
  EXPECT_EQ(words[2], 7U);
}

TEST(ReplaceIf, FaultsWhereTheWordIsNotOrCannotBeWritten) {
  catch_faults();
  constexpr std::size_t kPage = 4096;
  void* const mapping = mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  auto* const word = static_cast<std::uint32_t*>(mapping);
  EXPECT_EQ(replace_if(word, 0, 1).error(), Errno::fault);
  EXPECT_EQ(*word, 0U);
  ASSERT_EQ(mprotect(mapping, kPage, PROT_NONE), 0);
  EXPECT_EQ(replace_if(word, 0, 1).error(), Errno::fault);
  munmap(mapping, kPage);
  EXPECT_EQ(replace_if(word, 0, 1).error(), Errno::fault);
  EXPECT_EQ(replace_if(nullptr, 0, 1).error(), Errno::fault);
}

TEST(ReplaceIf, LetsOneOfManyWin) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kRounds = 1000;
  std::vector<std::uint32_t> words(kRounds, 0);
  std::atomic<std::uint32_t> wins{0};
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 1; thread <= kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint32_t& word : words) {
        const Result<std::uint32_t> found = replace_if(&word, 0, thread);
        if (found && *found == 0) wins += 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wins.load(), kRounds);
  for (const std::uint32_t word : words) EXPECT_NE(word, 0U);
}

}  // namespace
}  // namespace phutex::native
