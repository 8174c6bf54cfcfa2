// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Text put together where neither malloc nor printf may be called.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace phutex::native {

/// Writes into the caller's storage. What does not fit is left out, and counted.
class Text {
 public:
  Text(char* storage, std::size_t size) noexcept : storage_(storage), size_(size) {}

  Text& operator<<(std::string_view part) noexcept {
    if (length_ < size_) {
      std::memcpy(storage_ + length_, part.data(), std::min(part.size(), size_ - length_));
    }
    length_ += part.size();
    return *this;
  }

  Text& operator<<(std::uint64_t number) noexcept {
    char digits[20];
    char* first = digits + sizeof digits;
    do {
      *--first = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << std::string_view{first, static_cast<std::size_t>(digits + sizeof digits - first)};
  }

  /// Of all that was put in, whether it fitted or not.
  std::size_t length() const noexcept { return length_; }
  std::string_view view() const noexcept { return {storage_, std::min(length_, size_)}; }

 private:
  char* storage_;
  std::size_t size_;
  std::size_t length_ = 0;
};

}  // namespace phutex::native
