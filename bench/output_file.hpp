// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A file that appears whole or not at all.

#include <string>
#include <string_view>

namespace phutex::bench {

/// Writes to a temporary beside the file and renames it over the file. What is no regular file (a
/// device, a pipe) is written to as it is. A symbolic link stays; the file it names is replaced.
class OutputFile {
 public:
  /// Throws Failure if the file could not be written now; creates nothing.
  explicit OutputFile(const std::string& path);

  /// Blocks. Throws Failure; then the file is as it was and no temporary is left.
  void write(std::string_view text) const;

 private:
  std::string path_;         // as given, for messages
  std::string real_path_;    // where links lead
  bool is_replaced_ = true;  // by a rename
};

/// Writes to standard output. Throws Failure if that fails, as on a full disk.
void write_standard_output(std::string_view text);

}  // namespace phutex::bench
