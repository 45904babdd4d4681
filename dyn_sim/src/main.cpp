// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The program `dyn`: standard streams made safe, then the command that was called (commands.cpp).
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "command.hpp"

namespace {

// A file must never be opened as descriptor 0, 1 or 2 because the caller closed it: a closed one is filled with
// something that fails every read or write.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error with a sentence, not a death
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow
  return dyn::cli::run(argc, argv);
}
