//===- ChildProcess.cpp - running another program -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kowari::cli {

namespace {

constexpr size_t maxErrorOutput = 64 << 10;

struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
  void closeEnd(int end) {
    if (ends[end] >= 0)
      ::close(ends[end]);
    ends[end] = -1;
  }
};

/// In the child: never returns. Only async-signal-safe calls.
[[noreturn]] void becomeProgram(const char *program, char *const *arguments, int output, int errors,
                                int startError, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDONLY);
  if (::getppid() == parent && null >= 0 && ::dup2(null, 0) >= 0 && ::dup2(output, 1) >= 0 &&
      ::dup2(errors, 2) >= 0)
    ::execv(program, arguments);
  const int code = errno;
  [[maybe_unused]] const ssize_t written = ::write(startError, &code, sizeof code);
  ::_exit(127);
}

/// Reads both pipes to their ends.
void collect(Pipe &output, Pipe &errors, std::string &errorOutput,
             const std::function<void(const std::string &)> &onLine) {
  pollfd polled[2] = {{output.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}};
  std::string line;
  char buffer[4096];
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (::poll(polled, 2, -1) < 0 && errno != EINTR)
      break;
    for (pollfd &source : polled) {
      if (source.fd < 0 || source.revents == 0)
        continue;
      const ssize_t count = ::read(source.fd, buffer, sizeof buffer);
      if (count <= 0) {
        if (count == 0 || errno != EINTR)
          source.fd = -1;
        continue;
      }
      if (&source == &polled[1]) {
        errorOutput.append(buffer, static_cast<size_t>(count));
        if (errorOutput.size() > maxErrorOutput)
          errorOutput.erase(0, errorOutput.size() - maxErrorOutput);
        continue;
      }
      line.append(buffer, static_cast<size_t>(count));
      for (size_t end; (end = line.find('\n')) != std::string::npos; line.erase(0, end + 1))
        onLine(line.substr(0, end));
    }
  }
  if (!line.empty())
    onLine(line);
}

} // namespace

Result<ChildResult> runChild(const std::string &program, const std::vector<std::string> &arguments,
                             const std::function<void(const std::string &)> &onLine) {
  Pipe output, errors, start;
  if (!output.open() || !errors.open() || !start.open())
    return Status::error(program + ": cannot be started: " + std::strerror(errno));
  std::vector<char *> argv = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0)
    return Status::error(program + ": cannot be started: " + std::strerror(errno));
  if (child == 0)
    becomeProgram(program.c_str(), argv.data(), output.ends[1], errors.ends[1], start.ends[1], parent);
  output.closeEnd(1);
  errors.closeEnd(1);
  start.closeEnd(1);
  ChildResult result;
  collect(output, errors, result.errorOutput, onLine);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  int code = 0;
  if (::read(start.ends[0], &code, sizeof code) == sizeof code)
    return Status::error(program + ": cannot be started: " + std::strerror(code));
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.exitCode = WEXITSTATUS(status);
  return result;
}

std::string describeSignal(int signal) {
  const char *name = ::sigabbrev_np(signal), *text = ::sigdescr_np(signal);
  return name ? "SIG" + std::string(name) + " (" + text + ")" : "signal " + std::to_string(signal);
}

} // namespace kowari::cli
