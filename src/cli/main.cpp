#include "cli/commands/command.h"

int main(int argc, char** argv) {
  return headwater::run_program(argc, argv);
}
