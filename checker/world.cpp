// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/world.hpp"

#include <algorithm>
#include <utility>

#include "checker/location.hpp"

namespace phutex::checker {

constinit thread_local World* World::current_ = nullptr;

World* World::exchange_current(World* world) noexcept {
  return std::exchange(current_, world);
}

void World::begin() noexcept {
  for (Thread& thread : threads_) {
    thread.now = thread.read = thread.fence = thread.visible = VectorClock{};
    thread.delayed_count = 0;
    thread.processor = 0;
  }
  threads_[0].now.tick(0);
  fenced_ = light_fenced_ = heavy_fenced_ = VectorClock{};
  pasts_.clear();
  locks_.begin();
  restarts_ = 0;
  pieces_ = 0;
  identity_ = 0;
}

void World::fork(unsigned child) noexcept {
  drain();
  threads_[child].now = knowledge();
  threads_[child].now.tick(child);
  knowledge().tick(self());
}

void World::join_all() noexcept {
  for (const Thread& thread : threads_) knowledge().join(thread.now);
}

VectorClock World::message_of(const Access& access) noexcept {
  Thread& thread = threads_[self()];
  if (!access.releases) return thread.fence;
  const VectorClock message = thread.now;
  thread.now.tick(self());
  return message;
}

void World::learn(const VectorClock& message, const Access& access) noexcept {
  Thread& thread = threads_[self()];
  thread.read.join(message);
  if (access.acquires) thread.now.join(message);
}

void World::fence_clocks() noexcept {
  Thread& thread = threads_[self()];
  thread.now.join(thread.read);
  thread.fence = thread.now;
  thread.now.tick(self());
}

void World::full_fence() {
  drain_in_step();
  Thread& thread = threads_[self()];
  thread.visible.join(fenced_);
  fenced_.join(thread.now);
  fenced_.join(thread.visible);
}

void World::light_fence() noexcept {
  Thread& thread = threads_[self()];
  thread.visible.join(heavy_fenced_);
  light_fenced_.join(thread.now);
  light_fenced_.join(thread.visible);
  thread.now.tick(self());  // what comes next is not before the fence
}

void World::heavy_fence() {
  drain_all();
  Thread& thread = threads_[self()];
  thread.visible.join(light_fenced_);
  thread.visible.join(heavy_fenced_);
  heavy_fenced_.join(thread.now);
  heavy_fenced_.join(thread.visible);
  thread.now.tick(self());
}

void World::fence_all() {
  drain_all();
  for (Thread& thread : threads_) {
    fenced_.join(thread.now);
    fenced_.join(thread.visible);
  }
  for (Thread& thread : threads_) thread.visible.join(fenced_);
}

unsigned World::new_past() noexcept {
  pasts_.emplace_back();
  return static_cast<unsigned>(pasts_.size()) - 1;
}

unsigned World::choose_store(const Past& past) {
  const Thread& thread = threads_[self()];
  const unsigned readable = past.readable_count(thread.now, thread.visible);
  return readable == 1 ? 0 : runtime_.choose(fibers::Choice::delay, readable);
}

unsigned World::choose_place(const Past& past) {
  const Thread& thread = threads_[self()];
  const unsigned readable = past.readable_count(thread.now, thread.visible);
  std::array<unsigned, Past::kLength> places{};  // the first: behind all
  unsigned count = 1;
  for (unsigned before = 1; before < readable; ++before) {
    if (!past.youngest(before - 1).is_exchange) places[count++] = before;
  }
  return count == 1 ? 0 : places[runtime_.choose(fibers::Choice::delay, count)];
}

void World::delay(Location& location, std::uint64_t value, const VectorClock& message) {
  Thread& thread = threads_[self()];
  if (thread.delayed_count == kDelayedMax) arrive_through(self(), 0, true);
  thread.delayed[thread.delayed_count++] = {&location, value, message, 0};
  ++location.delayed_count_;
}

const Delayed* World::own_delayed(const Location& location) const noexcept {
  const Thread& thread = threads_[self()];
  for (unsigned index = thread.delayed_count; index-- > 0;) {
    if (thread.delayed[index].location == &location) return &thread.delayed[index];
  }
  return nullptr;
}

void World::ask_for(const Location& location, unsigned asker) {
  for (unsigned thread = 0; thread < runtime_.thread_count(); ++thread) {
    if (thread == asker) continue;
    for (;;) {
      const unsigned index = find_delayed(thread, location);
      if (index == kDelayedMax || !has_arrived(threads_[thread].delayed[index])) break;
      arrive_through(thread, index, true);
    }
  }
}

// A store stays away for a finite time: it is passed over a few times, not for ever.
bool World::has_arrived(Delayed& delayed) {
  if (delayed.stale_reads == kStaleReadsMax) return true;
  const bool is_first = delayed.stale_reads == 0;
  const auto kind = is_first ? fibers::Choice::delay : fibers::Choice::stale;
  if (runtime_.choose(kind, 2) == 0) return true;
  ++delayed.stale_reads;
  return false;
}

// `asks`: whether other threads' stores to the same words may turn out to have arrived before.
void World::arrive_through(unsigned thread, unsigned index, bool asks) {
  for (unsigned left = index + 1; left > 0; --left) {
    Thread& owner = threads_[thread];
    Location& location = *owner.delayed[0].location;
    if (asks && location.delayed_count_ > 1) {
      for (unsigned other = 0; other < runtime_.thread_count(); ++other) {
        const unsigned found = other == thread ? kDelayedMax : find_delayed(other, location);
        if (found == kDelayedMax || !has_arrived(threads_[other].delayed[found])) continue;
        arrive_through(other, found, false);
      }
    }
    const Delayed delayed = owner.delayed[0];
    std::move(owner.delayed.begin() + 1, owner.delayed.begin() + owner.delayed_count,
              owner.delayed.begin());
    --owner.delayed_count;
    location.arrive(delayed);
    runtime_.note_of(thread, {.what = "  arrives", .place = &location, .value = delayed.value});
  }
}

unsigned World::find_delayed(unsigned thread, const Location& location) const noexcept {
  const Thread& owner = threads_[thread];
  for (unsigned index = 0; index < owner.delayed_count; ++index) {
    if (owner.delayed[index].location == &location) return index;
  }
  return kDelayedMax;
}

void World::drain(unsigned thread) {
  const unsigned count = threads_[thread].delayed_count;
  if (count != 0) [[unlikely]]
    arrive_through(thread, count - 1, true);
}

void World::drain_in_step() {
  if (threads_[self()].delayed_count == 0) return;
  runtime_.step();
  drain();
}

void World::drain_all() {
  for (unsigned thread = 0; thread < runtime_.thread_count(); ++thread) drain(thread);
}

void World::switch_processor_to_self(const Location& count) {
  if (count.delayed_count_ == 0) [[likely]]
    return;
  for (unsigned thread = 0; thread < runtime_.thread_count(); ++thread) {
    if (thread != self() && find_delayed(thread, count) != kDelayedMax) drain(thread);
  }
}

void World::forbid_under_bucket_lock(const char* what) {
  if (!locks_.holds_bucket(self())) [[likely]]
    return;
  runtime_.fail({"under a bucket's lock: ", runtime_.name_of(self()), " ", what});
}

void World::forbid_under_lock(const char* what) {
  if (!locks_.holds_any(self())) [[likely]]
    return;
  runtime_.fail({"under a lock: ", runtime_.name_of(self()), " ", what});
}

void* World::allocate(std::size_t size) noexcept {
  forbid_under_lock("allocates");
  const bool may_run_out = model_.memory_may_run_out && runtime_.thread_count() > 1;
  if (may_run_out && runtime_.choose(fibers::Choice::allocation, 2) != 0) {
    runtime_.note({.what = "no memory"});
    return nullptr;
  }
  ++pieces_;
  void* const storage = runtime_.arena().allocate(size);
  locks_.add_piece(storage, size);
  return storage;
}

void World::deallocate() noexcept {
  forbid_under_lock("deallocates");
  --pieces_;
}

}  // namespace phutex::checker
