//===- CacheFolder.cpp - where the cache lives ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/CacheFolder.h"

#include "runtime/cache/NodeLocal.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <pwd.h>
#include <unistd.h>

namespace kowari::cache {
namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string homeFolder() {
  if (const std::string home = environment("HOME"); !home.empty())
    return home;
  const passwd *user = getpwuid(geteuid());
  return user && user->pw_dir ? user->pw_dir : "";
}

std::string expandHome(const std::string &path) {
  return path == "~" || path.rfind("~/", 0) == 0 ? homeFolder() + path.substr(1) : path;
}

Result<FileHandle> openPrivateFolder(int parent, const std::string &name, const std::string &path) {
  FileHandle folder = openFolderAt(parent, name);
  if (!folder && (errno == ELOOP || errno == ENOTDIR))
    return Status::error("cache folder " + path +
                         " is a symbolic link or no folder; remove it or choose another");
  if (!folder)
    return systemError("open cache folder " + path);
  struct stat info;
  if (fstat(folder.get(), &info) != 0)
    return systemError("examine cache folder " + path);
  if (info.st_uid != geteuid())
    return Status::error("cache folder " + path + " belongs to user " + std::to_string(info.st_uid) +
                         ", not to you (" + std::to_string(geteuid()) + "); choose another with --cache_dir");
  if (info.st_mode & 022)
    return Status::error("cache folder " + path +
                         " can be written by others, so its programs cannot be trusted; "
                         "check its content and run: chmod 700 " +
                         path);
  if (info.st_mode & 077)
    fchmod(folder.get(), 0700);
  return folder;
}

/// Makes and opens a folder in the root; nothing if that is impossible.
std::optional<FileHandle> makeInner(const FileHandle &root, const std::string &name) {
  if (mkdirat(root.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
    return std::nullopt;
  FileHandle folder = openFolderAt(root.get(), name);
  struct stat info;
  if (!folder || fstat(folder.get(), &info) != 0 || !isPrivate(info))
    return std::nullopt;
  if (faccessat(root.get(), name.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return std::nullopt;
  return folder;
}

} // namespace

Result<FolderChoice> chooseCacheFolder(const FolderWishes &wishes) {
  FolderChoice choice;
  std::string base;
  const std::pair<std::string, const char *> named[] = {
      {wishes.commandLine, "--cache_dir"},
      {environment("KOWARI_CACHE_DIR"), "KOWARI_CACHE_DIR"},
      {wishes.compileCacheDir, "local: compile_cache_dir"},
      {wishes.torchCompileCacheDir, "local: torch_compile_cache_dir"}};
  for (const auto &[value, source] : named)
    if (base.empty() && !value.empty()) {
      base = expandHome(value) + "/kowari-" + std::to_string(geteuid());
      choice.source = source;
    }
  if (base.empty()) {
    // The XDG specification: relative values are to be ignored.
    const std::string xdg = environment("XDG_CACHE_HOME");
    const bool useXdg = !xdg.empty() && xdg[0] == '/';
    const std::string home = homeFolder();
    if (!useXdg && home.empty())
      return Status::error("there is no folder for the cache: neither --cache_dir, KOWARI_CACHE_DIR, local: "
                           "compile_cache_dir nor HOME is set");
    base = (useXdg ? xdg : home + "/.cache") + "/kowari";
    choice.source = useXdg ? "XDG_CACHE_HOME" : "the home folder";
  }
  std::error_code failed;
  choice.path = std::filesystem::absolute(base, failed).lexically_normal().string();
  if (failed)
    return Status::error("cache folder " + base + ": " + failed.message());
  const auto fileSystem = fileSystemOf(choice.path);
  if (fileSystem && fileSystem->shared)
    choice.warning =
        "the cache folder " + choice.path + " (from " + choice.source + ") lies on " + fileSystem->name +
        ", which other machines share; set KOWARI_CACHE_DIR or local: compile_cache_dir to a folder on "
        "this machine's own disk, such as /tmp";
  return choice;
}

Result<CacheFolder> openCacheFolder(const std::string &path) {
  const std::filesystem::path place(path);
  std::error_code failed;
  std::filesystem::create_directories(place.parent_path(), failed);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return systemError("make cache folder " + path);
  CacheFolder folder;
  folder.path = path;
  KOWARI_ASSIGN(folder.root, openPrivateFolder(AT_FDCWD, path, path));
  folder.work = makeInner(folder.root, "work");
  folder.locks = folder.work ? makeInner(folder.root, "locks") : std::nullopt;
  const int reason = errno;
  auto entries = makeInner(folder.root, "entries");
  if (!entries) {
    // Perhaps readable at least.
    KOWARI_ASSIGN(FileHandle readable, openPrivateFolder(folder.root.get(), "entries", path + "/entries"));
    entries = std::move(readable);
    folder.work.reset();
  }
  folder.entries = std::move(*entries);
  if (!folder.work || !folder.locks) {
    folder.work.reset();
    folder.locks.reset();
    folder.readOnlyReason = std::generic_category().message(reason);
  }
  return folder;
}

} // namespace kowari::cache
