// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/instance.hpp"

#include <algorithm>
#include <new>

#include "native/settings.hpp"
#include "native/thread_count.hpp"

namespace phutex::native {

namespace {

sizing::Cpus cpus() noexcept {
  const Abilities& machine = abilities();
  return {machine.cpus_online, machine.cpus_possible};
}

// What a rule is to see of `threads` others. Where the kernel does not count them, there is one.
sizing::Seen beside(std::size_t threads) noexcept {
  return {.threads = std::max<std::size_t>(threads, 1), .cpus = cpus()};
}

}  // namespace

Instance::Instance(Table<Platform>::Owner table, const sizing::Rule& rule,
                   std::size_t buckets) noexcept
    : engine_(std::move(table)), control_(engine_, rule, cpus(), {Origin::none, buckets}) {
  if (rule.looks_at_waiting) engine_.watch({look, this});
}

// While the table is being replaced there is nothing to be seen, and nothing that needs it.
void Instance::look(void* instance) noexcept {
  auto& self = *static_cast<Instance*>(instance);
  const Snapshot snapshot = self.engine_.snapshot(Patience::none);
  if (snapshot.buckets == 0) return;
  (void)self.control_.follow({.waiting = snapshot.addresses, .cpus = cpus()});
}

Instance* Instance::get_first() noexcept {
  Instance* const made = make();
  if (made == nullptr) return nullptr;
  Instance* current = nullptr;
  if (process().instance.compare_exchange(current, made, acq_rel<edge::TablePublished>,
                                          acquire<edge::TablePublished>)) {
    return made;
  }
  destroy(made);
  return current;
}

// As many buckets as the rule wants for the threads there are, of which the last one came beside
// the others. The first thread of a process alone is given a table, too, which nobody is told of.
Instance* Instance::make() noexcept {
  find_abilities();
  wipe_on_fork();
  const sizing::Rule& rule = asked_sizing();
  const std::size_t threads = thread_count();
  const sizing::Seen seen = beside(threads == 0 ? 0 : threads - 1);
  const std::size_t buckets = rule.wanted(seen).buckets;
  auto table = Table<Platform>::create(buckets);
  if (table == nullptr) return nullptr;
  void* const storage = Memory::allocate(sizeof(Instance));
  if (storage == nullptr) return nullptr;
  auto* const instance = new (storage) Instance(std::move(table), rule, buckets);
  const bool is_ready = instance->engine_.prepare() &&
                        (threads < 2 || static_cast<bool>(instance->control_.follow(seen)));
  if (is_ready) return instance;
  destroy(instance);
  return nullptr;
}

void Instance::destroy(Instance* instance) noexcept {
  instance->~Instance();
  Memory::deallocate(instance, sizeof(Instance));
}

Result<void> Instance::thread_coming() noexcept {
  is_told_.store(1, relaxed<why::Hint>);
  if (!control_.may_change_with_threads()) return {};
  return control_.follow(beside(thread_count()));
}

void Instance::thread_is_here() noexcept {
  if (is_told_.load(relaxed<why::Hint>) != 0 || !control_.may_change_with_threads()) return;
  const std::size_t threads = thread_count();
  if (threads > 1) (void)control_.follow(beside(threads - 1));
}

}  // namespace phutex::native
