// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A process of its own for each sample: where its memory lies, and with that which words share a
// bucket, is drawn anew; and a kernel's hash that became global cannot spoil the next sample.
//
// Flow  sample_in_fresh_process -> exec of this program -> serve_sample -> one line -> SampleResult

#include <functional>
#include <optional>
#include <string_view>

#include "bench/interruption.hpp"
#include "bench/sample.hpp"

namespace phutex::bench {

/// The command by which this program starts itself; its only argument is a SampleSpec in JSON.
inline constexpr std::string_view kServeCommand = "bench-sample";

/// Blocks until the sample is there, or until an interruption: empty then, and the process is
/// gone. `tick` is called about twice a second. Throws Failure, the child's own among them.
std::optional<SampleResult> sample_in_fresh_process(const SampleSpec& spec,
                                                    Interruption& interruption,
                                                    const std::function<void()>& tick);

/// The other side: measures, and prints the result or the reason why not. The exit status.
int serve_sample(std::string_view spec_json);

}  // namespace phutex::bench
