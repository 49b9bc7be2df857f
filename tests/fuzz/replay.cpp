// fuzz_replay NAME FILE|FOLDER…
//
// Runs a fuzz target over files given by name or by folder, without libFuzzer: the regression test that
// `make test` runs on the committed seeds. Finding no file at all is a failure, so that it cannot pass idly.
#include "fuzz/replay.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

namespace fs = std::filesystem;

void replay(const FuzzTarget& target, const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  // A heap copy of the exact size lets AddressSanitizer see a read past the end.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  std::fprintf(stderr, "%s\n", file.c_str());
  target.run(exact.data(), exact.size());
}

int replay_all(const FuzzTarget& target, std::span<char* const> names) {
  int files = 0;
  for (const char* name : names) {
    if (!fs::is_directory(name)) {
      replay(target, name);
      ++files;
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(name)) {
      if (!entry.is_regular_file()) continue;
      replay(target, entry.path());
      ++files;
    }
  }
  std::printf("%d seeds replayed\n", files);
  return files > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
  const auto targets = all_fuzz_targets();
  const auto target = argc < 2
                          ? targets.end()
                          : std::ranges::find(targets, std::string_view(arguments[1]), &FuzzTarget::name);
  if (target == targets.end()) {
    std::fprintf(stderr,
                 "usage: fuzz_replay NAME FILE|FOLDER...; NAME is that of a tests/fuzz/NAME_fuzz.cpp\n");
    return 2;
  }
  try {
    return replay_all(*target, arguments.subspan(2));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "a fuzz target let an exception out: %s\n", error.what());
    return 1;
  }
}
