// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that appear whole or not at all.

#include "bench/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

namespace files = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    std::string name = testing::TempDir() + "/output_file.XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~OutputFileTest() override { files::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(files::directory_iterator(folder_), files::directory_iterator()));
  }

  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

 private:
  files::path folder_;
};

TEST_F(OutputFileTest, IsThereOnlyOnceItIsWritten) {
  const OutputFile file(path("report"));
  EXPECT_EQ(file_count(), 0U);
  file.write("all of it\n");
  EXPECT_EQ(text_of(path("report")), "all of it\n");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, ReplacesWhatWasThereAndKeepsItsMode) {
  std::ofstream(path("report")) << "old and longer";
  ASSERT_EQ(chmod(path("report").c_str(), 0640), 0);
  OutputFile(path("report")).write("new");
  EXPECT_EQ(text_of(path("report")), "new");
  struct stat now {};
  ASSERT_EQ(stat(path("report").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777, 0640U);
}

TEST_F(OutputFileTest, WritesToWhereALinkLeads) {
  std::ofstream(path("report")) << "old";
  files::create_symlink(path("report"), path("link"));
  OutputFile(path("link")).write("new");
  EXPECT_TRUE(files::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("report")), "new");
}

TEST_F(OutputFileTest, LeavesADeviceADevice) {
  OutputFile("/dev/null").write("gone");
  EXPECT_TRUE(files::is_character_file("/dev/null"));
}

// N8: noticed, and before anything is measured.
TEST_F(OutputFileTest, SaysAtOnceThatItCannotBeWritten) {
  EXPECT_THROW(OutputFile("/nonexistent/report"), Failure);
  EXPECT_THROW(OutputFile(path("")), Failure);
  EXPECT_THROW(OutputFile(""), Failure);
  std::ofstream(path("file")) << "kept";
  EXPECT_THROW(OutputFile(path("file/report")), Failure);
  EXPECT_EQ(text_of(path("file")), "kept");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, SaysSoWhenItsFolderHasGone) {
  files::create_directory(path("folder"));
  const OutputFile file(path("folder/report"));
  files::remove(path("folder"));
  EXPECT_THROW(file.write("too late"), Failure);
}

}  // namespace
}  // namespace phutex::bench
