// Runs a fuzz target over files, and over each of them with single bytes changed and cut short, without a fuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "usage: %s file or directory…\n", argv[0]);
    return 2;
  }
  std::size_t inputs = 0;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    ++inputs;
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 200);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const std::uint8_t kept = bytes[at];
      for (const std::uint8_t change : {0x01, 0x80, 0xff}) {
        bytes[at] = kept ^ change;
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      }
      bytes[at] = kept;
      LLVMFuzzerTestOneInput(bytes.data(), at);
      inputs += 4;
    }
  }
  std::printf("%zu files, %zu inputs\n", files.size(), inputs);
}
