// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A machine that is not there, described as hwloc's synthetic topologies are: "node:4 core:8 pu:1".

#include <hwloc.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/base/nodes.hpp"

namespace phutex::topology {

struct Topology {
  Nodes nodes;
  std::vector<std::size_t> node_of_cpu;  // by CPU, in hwloc's order
};

/// Nothing if the description is none, or has a node whose number is too high for us.
inline std::optional<Topology> pretended(const char* description) {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return std::nullopt;
  const std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>
      machine{made, hwloc_topology_destroy};
  if (hwloc_topology_set_synthetic(made, description) != 0) return std::nullopt;
  if (hwloc_topology_load(made) != 0) return std::nullopt;
  Topology topology;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(made, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (node->os_index >= Nodes::kNumbersMax) return std::nullopt;
    topology.nodes.add(node->os_index);
  }
  hwloc_obj_t cpu = nullptr;
  while ((cpu = hwloc_get_next_obj_by_type(made, HWLOC_OBJ_PU, cpu)) != nullptr) {
    topology.node_of_cpu.push_back(static_cast<std::size_t>(hwloc_bitmap_first(cpu->nodeset)));
  }
  return topology;
}

}  // namespace phutex::topology
