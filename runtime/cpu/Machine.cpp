//===- Machine.cpp - what this machine has ----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Machine.h"

#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/OpenBlas.h"
#include "runtime/cpu/Threads.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <oneapi/dnnl/dnnl.h>
#include <sched.h>
#include <unistd.h>

namespace kowari::cpu {
namespace {

/// The "Name:  123 kB" line of /proc/meminfo, in bytes; 0 if it is not there.
int64_t memInfo(const std::string &name) {
  std::ifstream file("/proc/meminfo");
  for (std::string key, unit; file >> key;) {
    int64_t value = 0;
    file >> value;
    std::getline(file, unit);
    if (key == name + ":")
      return value * 1024;
  }
  return 0;
}

/// A number in a control-group file; -1 if the file is absent or says "max".
int64_t controlGroupValue(const char *path) {
  std::ifstream file(path);
  int64_t value = -1;
  return file >> value ? value : -1;
}

/// A line of the control group's memory.stat, bytes; 0 if there is none.
int64_t controlGroupStatistic(const std::string &name) {
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  int64_t value = 0;
  for (std::string key; file >> key >> value;)
    if (key == name)
      return value;
  return 0;
}

int64_t cacheSize(int name) { return std::max<int64_t>(0, sysconf(name)); }

} // namespace

int availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return CPU_COUNT(&set);
  return std::max(1, int(sysconf(_SC_NPROCESSORS_ONLN)));
}

Machine describeMachine() {
  Machine machine;
  machine.processor = cpuModelName();
  machine.level = cpuLevel();
  machine.features = cpuFeatures();
  machine.cores = availableCores();
  machine.memoryBytes = memInfo("MemTotal");
  machine.availableBytes = memInfo("MemAvailable");
  const int64_t limit = controlGroupValue("/sys/fs/cgroup/memory.max");
  const int64_t used = controlGroupValue("/sys/fs/cgroup/memory.current");
  // The kernel counts pages of files that it can drop at any time.
  const int64_t droppable =
      std::max<int64_t>(0, controlGroupStatistic("file") - controlGroupStatistic("shmem"));
  if (limit >= 0 && used >= 0)
    machine.availableBytes = std::min(machine.availableBytes, std::max<int64_t>(0, limit - used + droppable));
  machine.l2Bytes = cacheSize(_SC_LEVEL2_CACHE_SIZE);
  machine.l3Bytes = cacheSize(_SC_LEVEL3_CACHE_SIZE);
  return machine;
}

Result<std::vector<std::string>> productLibraries() {
  const dnnl_version_t *dnnl = dnnl_version();
  KOWARI_ASSIGN(const OpenBlas *blas, OpenBlas::get());
  return std::vector<std::string>{"oneDNN " + std::to_string(dnnl->major) + "." +
                                      std::to_string(dnnl->minor) + "." + std::to_string(dnnl->patch),
                                  blas->config + " (" + blas->core + " kernels)"};
}

std::vector<std::string> threadWarnings() {
  std::vector<std::string> warnings;
  const char *policy = std::getenv("OMP_WAIT_POLICY");
  if (policy && (policy[0] == 'p' || policy[0] == 'P'))
    warnings.push_back(
        std::string("OMP_WAIT_POLICY=") + policy +
        " puts threads to sleep between kernels, which costs about 20 microseconds each; unset it");
  const char *spin = std::getenv("GOMP_SPINCOUNT");
  if (spin && std::string(spin) == "0")
    warnings.push_back(
        "GOMP_SPINCOUNT=0 puts threads to sleep between kernels, which costs about 20 microseconds each; "
        "unset it");
  const char *limit = std::getenv("OMP_THREAD_LIMIT");
  if (limit && std::atoi(limit) > 0 && std::atoi(limit) < availableCores())
    warnings.push_back(std::string("OMP_THREAD_LIMIT=") + limit + " leaves some of the " +
                       std::to_string(availableCores()) + " cores idle; unset it");
  return warnings;
}

} // namespace kowari::cpu
