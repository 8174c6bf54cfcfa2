// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The global table on machines that are not there. PHUTEX_TOPOLOGY adds one of yours.

#include "engine/scheme/global.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "engine/op/wait.hpp"
#include "engine/op/wake.hpp"
#include "engine/table/sizing.hpp"
#include "tests/unit/on_fibres.hpp"
#include "tests/unit/topology/pretended.hpp"

namespace phutex::topology {
namespace {

Topology asked(const char* description) {
  if (auto topology = pretended(description)) return *std::move(topology);
  std::fprintf(stderr,
               "PHUTEX_TOPOLOGY='%s' is no synthetic topology of hwloc; such as 'node:4 core:8 "
               "pu:1' would be\n",
               description);
  std::exit(2);
}

struct Machine {
  std::string description;
  std::size_t nodes;  // 0: whatever it says
  std::size_t buckets_of_each;
  friend void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.description; }
};

std::vector<Machine> machines() {
  std::vector<Machine> all = {
      {"pu:1", 1, 256},
      {"node:1 core:3 pu:1", 1, 1024},    // 768
      {"node:2 core:64 pu:2", 2, 32768},  // the machine of the kernel's own example
      {"node:4 core:8 pu:1", 4, 2048},
      {"node:8 core:3 pu:2", 8, 2048},  // 1536
      {"node:2(indexes=0,2) core:2 pu:1", 2, 512},
      {"package:2 node:3(indexes=9,1,4,3,2,7) pu:1", 6, 256},
  };
  const char* const description = std::getenv("PHUTEX_TOPOLOGY");
  if (description != nullptr && !asked(description).node_of_cpu.empty()) {
    all.push_back({description, 0, 0});
  }
  return all;
}

class PretendedTest : public testing::TestWithParam<Machine> {
 protected:
  PretendedTest() { EXPECT_TRUE(scheme_.prepare()); }

  std::size_t cpus() const { return machine_.node_of_cpu.size(); }

  std::size_t buckets_of_each() const {
    const sizing::Cpus all{.online = cpus(), .possible = cpus()};
    return sizing::kernel_global_of_node(all, machine_.nodes.count());
  }

  /// What a thread on that CPU does with a word whose node is not filled in.
  auto& on_cpu(std::size_t cpu) { return scheme_.on_node(machine_.node_of_cpu[cpu]); }

  const Topology machine_ = asked(GetParam().description.c_str());
  scheme::Global<Direct> scheme_{Table<Direct>::create(buckets_of_each()), machine_.nodes};
};

INSTANTIATE_TEST_SUITE_P(Machines, PretendedTest, testing::ValuesIn(machines()),
                         [](const auto& tested) {
                           std::string name = tested.param.description;
                           for (char& each : name) {
                             if (std::isalnum(static_cast<unsigned char>(each)) == 0) each = '_';
                           }
                           return tested.param.nodes == 0 ? std::string{"yours"} : name;
                         });

TEST_P(PretendedTest, HasTheKernelsSizes) {
  if (GetParam().nodes != 0) {
    EXPECT_EQ(machine_.nodes.count(), GetParam().nodes);
    EXPECT_EQ(buckets_of_each(), GetParam().buckets_of_each);
  }
  EXPECT_EQ(scheme_.bucket_count(), buckets_of_each() * machine_.nodes.count());
}

TEST_P(PretendedTest, SpreadsKeysThatHaveNoNode) {
  constexpr std::size_t kKeys = 100'000;
  std::vector<std::size_t> counts(machine_.nodes.number_count());
  for (std::size_t index = 0; index < kKeys; ++index) ++counts[scheme_.node_of(Key{index * 64})];
  for (std::size_t node = 0; node < counts.size(); ++node) {
    // A node takes its own number's share, and those of the holes just before it.
    std::size_t numbers = machine_.nodes.contains(node) ? 1 : 0;
    while (numbers != 0 && numbers <= node && !machine_.nodes.contains(node - numbers)) ++numbers;
    const double share = double(kKeys) * double(numbers) / double(counts.size());
    EXPECT_NEAR(double(counts[node]), share, 0.05 * share) << "node " << node;
  }
}

TEST_P(PretendedTest, BringsTogetherTheCpusOfOneNodeOnly) {
  const std::uint32_t word = 0;
  for (std::size_t cpu = 0; cpu < cpus(); ++cpu) {
    on_fibres([&, cpu] {
      spawn("waiter", [&, cpu] {
        const auto waited = op::wait<Direct, mismatch::Locked>(on_cpu(cpu), WordOf{word}, 0U,
                                                               kMatchAny, Deadline::never());
        EXPECT_TRUE(static_cast<bool>(waited));
      });
      let_others_run();
      std::size_t neighbour = cpu;
      for (std::size_t other = 0; other < cpus(); ++other) {
        if (machine_.node_of_cpu[other] == machine_.node_of_cpu[cpu]) {
          neighbour = other;
          continue;
        }
        EXPECT_EQ(op::wake<Direct>(on_cpu(other), key_of(word), 1, kMatchAny), 0);
      }
      EXPECT_EQ(op::wake<Direct>(on_cpu(neighbour), key_of(word), 1, kMatchAny), 1);
    });
  }
}

TEST(Pretended, IsNothingThatHwlocDoesNotUnderstand) {
  EXPECT_FALSE(pretended("node:four").has_value());
  EXPECT_FALSE(pretended("").has_value());
  EXPECT_FALSE(pretended("node:1(indexes=1024) pu:1").has_value());
}

}  // namespace
}  // namespace phutex::topology
