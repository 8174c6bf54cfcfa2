// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/global_hash.hpp"

#include <new>

#include "engine/table/sizing.hpp"
#include "native/nodes.hpp"

namespace phutex::native {

GlobalHash* GlobalHash::get_first() noexcept {
  GlobalHash* const made = make();
  if (made == nullptr) return nullptr;
  GlobalHash* current = nullptr;
  if (process().global_hash.compare_exchange(current, made, acq_rel<edge::TablePublished>,
                                             acquire<edge::TablePublished>)) {
    return made;
  }
  destroy(made);
  return current;
}

GlobalHash* GlobalHash::make() noexcept {
  find_abilities();
  wipe_on_fork();
  const Nodes nodes = possible_nodes();
  const sizing::Cpus cpus{abilities().cpus_online, abilities().cpus_possible};
  auto first = Table<Platform>::create(sizing::kernel_global_of_node(cpus, nodes.count()));
  if (first == nullptr) return nullptr;
  void* const storage = Memory::allocate(sizeof(GlobalHash));
  if (storage == nullptr) return nullptr;
  auto* const hash = new (storage) GlobalHash(std::move(first), nodes);
  if (!hash->scheme_.prepare()) {
    destroy(hash);
    return nullptr;
  }
  hash->bring_home();
  return hash;
}

void GlobalHash::destroy(GlobalHash* hash) noexcept {
  hash->~GlobalHash();
  Memory::deallocate(hash, sizeof(GlobalHash));
}

// A table is the first thing in its own mapping, so it begins with a page.
void GlobalHash::bring_home() noexcept {
  if (nodes().count() == 1) return;
  for (std::size_t node = 0; node < nodes().number_count(); ++node) {
    if (!nodes().contains(node)) continue;
    on_node(node).with_table(Patience::waits, [&](Table<Platform>& table, const auto&) {
      auto* const end = &table.bucket_at(table.bucket_count() - 1) + 1;
      const auto size =
          reinterpret_cast<std::uintptr_t>(end) - reinterpret_cast<std::uintptr_t>(&table);
      prefer_node(&table, size, node);
    });
  }
}

}  // namespace phutex::native
