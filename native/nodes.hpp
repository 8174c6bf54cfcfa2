// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The machine's NUMA nodes: which there may be, where the caller runs, and whose memory is whose.
//
// A machine without NUMA, or one that does not tell, has node 0.

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/base/nodes.hpp"

namespace phutex::native {

/// A list of the kernel's, such as "0-3,8\n". Nothing if it is none, or has too high a number.
std::optional<Nodes> parse_nodes(std::string_view list) noexcept;

/// Reads /sys each time. Neither allocates nor blocks for long.
Nodes possible_nodes() noexcept;

/// The node of the CPU that the caller runs on; true of the moment of the call.
std::size_t current_node() noexcept;

/// The node that the memory policy of the mapping at `address` names: the first of a preferred set.
/// Nothing for any other policy, as for none. That a bound mapping has a home node is not known:
/// the kernel tells nobody.
std::optional<std::size_t> policy_node(const void* address) noexcept;

/// Moves whole pages to a node, as far as it has room, and has them stay there. What the kernel
/// refuses is left as it is.
void prefer_node(void* pages, std::size_t size, std::size_t node) noexcept;

}  // namespace phutex::native
