// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

Failure unwritable(const std::string& path, int error) {
  return Failure(fmt::format("-o {}: cannot be written ({}); name a file in a folder that can",
                             path, error_text(error)));
}

/// 0, or an errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(descriptor, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return 0;
}

/// Creates a file with an unused name that begins with `path`, which becomes that name. -1 and
/// errno if it cannot.
int create_beside(std::string& path) {
  path += ".XXXXXX";
  return mkostemp(path.data(), O_CLOEXEC);
}

mode_t mode_of_new_file() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// 0, or an errno; then the temporary is gone.
int replace(const std::string& path, std::string_view text) {
  struct stat before {};
  const mode_t mode =
      stat(path.c_str(), &before) == 0 ? before.st_mode & 07777 : mode_of_new_file();
  std::string temporary = path;
  const int descriptor = create_beside(temporary);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, text);
  if (error == 0 && fchmod(descriptor, mode) != 0) error = errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

int write_in_place(const std::string& path, std::string_view text) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = write_all(descriptor, text);
  return close(descriptor) != 0 && error == 0 ? errno : error;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path.empty()) throw unwritable(path_, ENOENT);
  std::error_code failed;
  real_path_ = std::filesystem::weakly_canonical(path, failed).string();
  if (failed || real_path_.empty()) real_path_ = path;
  struct stat now {};
  if (stat(path.c_str(), &now) == 0) {
    if (S_ISDIR(now.st_mode)) throw unwritable(path_, EISDIR);
    if (access(path.c_str(), W_OK) != 0) throw unwritable(path_, errno);
    is_replaced_ = S_ISREG(now.st_mode);
    if (!is_replaced_) return;
  } else if (errno != ENOENT) {
    throw unwritable(path_, errno);
  }
  // No question to the kernel is as good as trying.
  std::string temporary = real_path_;
  const int descriptor = create_beside(temporary);
  if (descriptor < 0) throw unwritable(path_, errno);
  close(descriptor);
  unlink(temporary.c_str());
}

void OutputFile::write(std::string_view text) const {
  const int error = is_replaced_ ? replace(real_path_, text) : write_in_place(path_, text);
  if (error != 0) throw unwritable(path_, error);
}

void write_standard_output(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return;
  throw Failure(fmt::format("standard output cannot be written ({})", error_text(error)));
}

}  // namespace phutex::bench
