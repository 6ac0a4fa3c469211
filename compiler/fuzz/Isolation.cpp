//===- Isolation.cpp - work in a process of its own -----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/Isolation.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kowari::fuzz {

namespace {

constexpr int foundSomething = 3; ///< exit status
constexpr int waitingFactor = 5;  ///< how much longer than it may compute a child may take, on a busy machine

void writeAll(int descriptor, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR)
      return;
    done += count > 0 ? count : 0;
  }
}

std::string readAll(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count > 0)
      text.append(buffer, count);
    else if (count == 0 || errno != EINTR)
      return text;
  }
}

[[noreturn]] void runChild(const std::function<std::optional<std::string>()> &work, int output,
                           int limitSeconds) {
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGPROF})
    std::signal(signal, SIG_DFL);
  ::dup2(output, STDERR_FILENO);
  const itimerval limit = {{0, 0}, {limitSeconds, 0}}; // of processor time
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(waitingFactor * limitSeconds);
  std::optional<std::string> found = work();
  if (found)
    writeAll(output, *found);
  ::_exit(found ? foundSomething : 0);
}

} // namespace

std::optional<std::string> runIsolated(const std::function<std::optional<std::string>()> &work,
                                       int limitSeconds) {
  int ends[2];
  if (::pipe(ends) != 0)
    return std::string("cannot make a pipe: ") + std::strerror(errno);
  pid_t child = ::fork();
  if (child < 0)
    return std::string("cannot start a process: ") + std::strerror(errno);
  if (child == 0) {
    ::close(ends[0]);
    runChild(work, ends[1], limitSeconds);
  }
  ::close(ends[1]);
  std::string text = readAll(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == foundSomething)
    return text;
  std::string how = "exit status " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    how = signal == SIGPROF   ? "computed for more than " + std::to_string(limitSeconds) + " s"
          : signal == SIGALRM ? "took more than " + std::to_string(waitingFactor * limitSeconds) + " s"
                              : std::string(::strsignal(signal));
  }
  return "the compiler crashed: " + how + (text.empty() ? "" : "\n" + text.substr(0, 4000));
}

} // namespace kowari::fuzz
