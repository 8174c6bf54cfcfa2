// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/nodes.hpp"

#include <fcntl.h>
#include <linux/mempolicy.h>

#include <array>
#include <charconv>

#include "native/kernel.hpp"

namespace phutex::native {

namespace {

// A set of nodes as the calls of memory policy want it.
using Mask = std::array<unsigned long, Nodes::kNumbersMax / (8 * sizeof(unsigned long))>;
constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);

// Takes a number off the front of the list.
std::optional<std::size_t> take_number(std::string_view& list) noexcept {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), number);
  if (error != std::errc{}) return std::nullopt;
  list.remove_prefix(static_cast<std::size_t>(end - list.data()));
  return number;
}

bool take_if(std::string_view& list, char expected) noexcept {
  if (list.empty() || list.front() != expected) return false;
  list.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<Nodes> parse_nodes(std::string_view list) noexcept {
  if (!list.empty() && list.back() == '\n') list.remove_suffix(1);
  Nodes nodes;
  do {
    const auto first = take_number(list);
    if (!first) return std::nullopt;
    const auto last = take_if(list, '-') ? take_number(list) : first;
    if (!last || *last < *first || *last >= Nodes::kNumbersMax) return std::nullopt;
    for (std::size_t node = *first; node <= *last; ++node) nodes.add(node);
  } while (take_if(list, ','));
  return list.empty() ? std::optional{nodes} : std::nullopt;
}

Nodes possible_nodes() noexcept {
  const long file =
      kernel::call(SYS_openat, AT_FDCWD, kernel::pointer("/sys/devices/system/node/possible"),
                   O_RDONLY | O_CLOEXEC);
  if (file < 0) return Nodes::only_first();
  char list[4096];  // what a file there can have at most
  const long size = kernel::call(SYS_read, file, kernel::pointer(list), sizeof(list));
  kernel::call(SYS_close, file);
  if (size < 0) return Nodes::only_first();
  return parse_nodes({list, static_cast<std::size_t>(size)}).value_or(Nodes::only_first());
}

std::size_t current_node() noexcept {
  unsigned node = 0;
  const long result = kernel::call(SYS_getcpu, 0, kernel::pointer(&node));
  return result == 0 ? node : 0;
}

std::optional<std::size_t> policy_node(const void* address) noexcept {
  constexpr int kModeFlags = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | MPOL_F_NUMA_BALANCING;
  int mode = MPOL_DEFAULT;
  Mask mask{};
  const long result =
      kernel::call(SYS_get_mempolicy, kernel::pointer(&mode), kernel::pointer(mask.data()),
                   Nodes::kNumbersMax, kernel::pointer(address), MPOL_F_ADDR);
  if (result != 0 || (mode & ~kModeFlags) != MPOL_PREFERRED) return std::nullopt;
  for (std::size_t node = 0; node < Nodes::kNumbersMax; ++node) {
    if ((mask[node / kWordBits] >> node % kWordBits & 1) != 0) return node;
  }
  return std::nullopt;  // wherever the caller runs
}

void prefer_node(void* pages, std::size_t size, std::size_t node) noexcept {
  Mask mask{};
  mask[node / kWordBits] = 1UL << node % kWordBits;
  // One bit more than there are: the kernel takes the last one off.
  kernel::call(SYS_mbind, kernel::pointer(pages), static_cast<long>(size), MPOL_PREFERRED,
               kernel::pointer(mask.data()), Nodes::kNumbersMax + 1, MPOL_MF_MOVE);
}

}  // namespace phutex::native
