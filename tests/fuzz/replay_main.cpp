// Runs a fuzz target over files given by name or by folder, without libFuzzer: the regression test that
// `make test` runs on the committed seeds. Finding no file at all is a failure, so that it cannot pass idly.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void replay(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  // A heap copy of the exact size lets AddressSanitizer see a read past the end.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  std::fprintf(stderr, "%s\n", file.c_str());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

int replay_all(int count, char** names) {
  int files = 0;
  for (int i = 1; i < count; ++i) {
    if (!fs::is_directory(names[i])) {
      replay(names[i]);
      ++files;
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(names[i])) {
      if (!entry.is_regular_file()) continue;
      replay(entry.path());
      ++files;
    }
  }
  std::printf("%d seeds replayed\n", files);
  return files > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return replay_all(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "a fuzz target let an exception out: %s\n", error.what());
    return 1;
  }
}
