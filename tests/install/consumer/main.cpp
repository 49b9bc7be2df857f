// Uses the installed library as a stranger would: the public headers and nothing else.
#include <iostream>

#include <headwater/engine.h>

int main(int argc, char** argv) {
  try {
    std::cout << "headwater " << headwater::version() << '\n';
    if (argc < 3) return 0;
    const headwater::Engine engine = headwater::Engine::load(argv[1]);
    const headwater::Prediction prediction = engine.predict({.text = argv[2]});
    const headwater::Score& best = prediction.outcomes.front().top.front();
    std::cout << best.label << ' ' << best.probability << '\n';
  } catch (const headwater::Error& error) {
    std::cerr << error.what() << '\n';
    return error.exit_code();
  }
  return 0;
}
