// Serves check_images.py: reads one request a line, answers "ok <shape>\n" and raw bytes, or "error
// <text>\n".
//   decode <file>                                → RGB, [height, width, 3] bytes
//   resize <file> <width> <height> <resample>    → RGB
//   pixels <file> <folder>                       → float32, [3, height, width], by the folder's
//   preprocessor_config.json
// Paths must not hold white space.
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

#include "image/image.h"

using namespace headwater;

namespace {

void answer(const Image& image) {
  std::printf("ok %d %d 3\n", image.height, image.width);
  std::fwrite(image.rgb.data(), 1, image.rgb.size(), stdout);
}

void serve(std::istringstream request) {
  std::string verb, file, folder;
  request >> verb >> file;
  const Image image = read_image(file);
  if (verb == "resize") {
    int width = 0, height = 0, resample = 0;
    request >> width >> height >> resample;
    return answer(resize(image, width, height, static_cast<Resample>(resample)));
  }
  if (verb != "pixels") return answer(image);
  request >> folder;
  const Tensor pixels = ImageProcessor::load(folder)->pixels(image, DType::Float32);
  std::printf("ok 3 %ld %ld\n", static_cast<long>(pixels.dim(1)), static_cast<long>(pixels.dim(2)));
  std::fwrite(pixels.data<float>(), sizeof(float), static_cast<std::size_t>(pixels.size()), stdout);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
    try {
      serve(std::istringstream(line));
    } catch (const std::exception& error) {
      std::printf("error %s\n", error.what());
    }
  }
}
