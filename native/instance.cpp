// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/instance.hpp"

#include <new>

#include "engine/table/sizing.hpp"

namespace phutex::native {

namespace {

sizing::Cpus cpus() noexcept {
  const Abilities& machine = abilities();
  return {machine.cpus_online, machine.cpus_possible};
}

}  // namespace

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

// As many buckets as the kernel would end up with if there were at least as many threads as CPUs.
Instance* Instance::make() noexcept {
  find_abilities();
  wipe_on_fork();
  auto table = Table<Platform>::create(sizing::kernel_default(cpus().online, cpus()));
  if (table == nullptr) return nullptr;
  void* const storage = Memory::allocate(sizeof(Instance));
  if (storage == nullptr) return nullptr;
  auto* const instance = new (storage) Instance(std::move(table));
  if (instance->engine_.prepare()) return instance;
  destroy(instance);
  return nullptr;
}

void Instance::destroy(Instance* instance) noexcept {
  instance->~Instance();
  Memory::deallocate(instance, sizeof(Instance));
}

Result<void> Instance::set_buckets(std::size_t count) noexcept {
  BucketLockGuard<Platform> controlling{control_lock_};
  if (is_global_.load(relaxed<why::LockHeld>) != 0) return Errno::busy;
  if (count != 0) return engine_.resize(count);
  if (const auto resized = engine_.resize(sizing::kernel_global(cpus())); !resized) return resized;
  engine_.freeze();
  is_global_.store(1, relaxed<why::LockHeld>);
  return {};
}

std::size_t Instance::buckets() noexcept {
  return is_global_.load(relaxed<why::Hint>) != 0 ? 0 : engine_.bucket_count();
}

}  // namespace phutex::native
