// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The program `dyn`: makes the standard streams safe, then runs the command (commands.cpp).
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "command.hpp"

namespace {

// A file must never be opened as descriptor 0, 1 or 2 because the caller closed it: a closed one is replaced by a
// descriptor on which every read or write fails.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes an error message instead of ending the program
  std::signal(SIGXFSZ, SIG_IGN);  // likewise a file that exceeds its size limit
  return dyn::cli::run(argc, argv);
}
