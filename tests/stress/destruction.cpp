// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Words, and stacks of waiters, whose memory goes away the moment it may: whoever touches them
// later faults, since each has pages of its own.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <new>
#include <thread>
#include <vector>

#include "tests/stress/engines.hpp"
#include "tests/stress/objects.hpp"

namespace phutex::tests {
namespace {

constexpr std::size_t kPage = 4096;

void* map_pages(std::size_t size) {
  void* const mapping =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) give_up("a mapping");
  return mapping;
}

template <class T, class... Arguments>
T* make_alone(Arguments&&... arguments) {
  static_assert(sizeof(T) <= kPage);
  return new (map_pages(kPage)) T(std::forward<Arguments>(arguments)...);
}

template <class T>
void unmap(T* object) {
  object->~T();
  munmap(static_cast<void*>(object), kPage);
}

// Hands objects from one thread to another, one at a time.
template <class T>
class HandOver {
 public:
  void give(T* object) noexcept {
    spin_until([&] { return slot_.load() == nullptr; });
    slot_.store(object);
  }
  void end() noexcept {
    spin_until([&] { return slot_.load() == nullptr; });
    is_over_.store(true);
  }
  T* take() noexcept {
    T* object = nullptr;
    spin_until([&] { return (object = slot_.load()) != nullptr || is_over_.load(); });
    slot_.store(nullptr);
    return object;
  }

 private:
  std::atomic<T*> slot_{nullptr};
  std::atomic<bool> is_over_{false};
};

class Destruction : public testing::Test {
 protected:
  const std::uint32_t seed_ = printed_seed();
  const Budget budget_;

 private:
  Watchdog watchdog_{stress_limit(), "a stress test of destruction"};
};

// Whoever drops the last reference under the mutex destroys it as soon as it has unlocked, while
// the other's unlock may still be on its way to wake somebody.
TEST_F(Destruction, OfAMutexByTheLastOneThatHeldIt) {
  struct Object {
    Mutex mutex;
    int references = 2;
  };
  const auto drop = [](Object* object) {
    object->mutex.lock();
    const bool is_last = --object->references == 0;
    object->mutex.unlock();
    if (is_last) unmap(object);
  };
  HandOver<Object> objects;
  std::thread other{[&] {
    Chance chance{seed_, 1};
    while (Object* const object = objects.take()) {
      linger(chance, 500);
      drop(object);
    }
  }};
  Chance chance{seed_, 0};
  long rounds = 0;
  for (; !budget_.is_over(); ++rounds) {
    auto* const object = make_alone<Object>();
    objects.give(object);
    linger(chance, 500);
    drop(object);
  }
  objects.end();
  other.join();
  std::printf("%ld objects\n", rounds);
}

// The acquirer unmaps the semaphore as soon as it has its permit; the release that gave it has
// only the address left, and wakes whatever sleeps there: nobody, or a stranger that looks again.
TEST_F(Destruction, OfASemaphoreByTheOneItLetIn) {
  HandOver<Semaphore> semaphores;
  std::thread releaser{[&] {
    Chance chance{seed_, 1};
    while (Semaphore* const semaphore = semaphores.take()) {
      linger(chance, 1000);
      semaphore->release();
    }
  }};
  long rounds = 0;
  for (; !budget_.is_over(); ++rounds) {
    auto* const semaphore = make_alone<Semaphore>(0U);
    semaphores.give(semaphore);
    semaphore->acquire();
    unmap(semaphore);
  }
  semaphores.end();
  releaser.join();
  std::printf("%ld semaphores\n", rounds);
}

template <class C>
class DestructionOfStacks : public OnEveryEngine<C> {};
TYPED_TEST_SUITE(DestructionOfStacks, AllConfigurations, ConfigName);

// A waiter lives on its thread's stack, and the stack is unmapped as soon as the thread has ended.
// The waker must be done with the waiter before it says that the wait is over.
TYPED_TEST(DestructionOfStacks, OfWaitersThatHaveReturned) {
  constexpr std::size_t kStack = std::size_t{1} << (kUnderTsan || kUnderAsan ? 18 : 16);
  struct Shared {
    TestEngine<TypeParam> engine{16};
    Word word{0};
    std::atomic<long> woken{0};
  } shared;
  std::atomic<bool> is_over{false};
  std::atomic<long> wakes{0};
  std::thread waker{[&] {
    while (!is_over.load()) wakes.fetch_add(shared.engine.wake(shared.word, 1));
  }};
  const Budget budget{this->kShares};
  long stacks = 0;
  for (; !budget.is_over(); ++stacks) {
    void* const stack = map_pages(kStack);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, kStack);
    pthread_t thread;
    const auto wait_often = [](void* argument) -> void* {
      auto& all = *static_cast<Shared*>(argument);
      for (int turn = 0; turn < 20; ++turn) {
        if (all.engine.wait(all.word, 0, deadline_in(50)) == Errno::none) all.woken.fetch_add(1);
      }
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, wait_often, &shared), 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, nullptr);
    munmap(stack, kStack);
  }
  is_over.store(true);
  waker.join();
  EXPECT_EQ(shared.woken.load(), wakes.load());
  EXPECT_EQ(shared.engine.waiting(shared.word), 0U);
  std::printf("%ld stacks, %ld wakes\n", stacks, wakes.load());
}

}  // namespace
}  // namespace phutex::tests
