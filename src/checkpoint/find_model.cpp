// Where a model argument may lead, in this order:
//   1. an existing directory
//   2. <shipped>/<name>
//   3. <cache>/models--<org>--<name>/snapshots/<commit>, where refs/<revision> holds the commit
// The cache is the first that is set of: the option, HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME/hub,
// XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/utf8.h"
#include "checkpoint/checkpoint.h"

namespace headwater {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string expand_home(const std::string& path) {
  const bool relative_to_home = path == "~" || path.starts_with("~/");
  const std::string home = environment("HOME");
  return relative_to_home && !home.empty() ? home + path.substr(1) : path;
}

struct Cache {
  std::string path;
  std::string reason;  // which setting chose it
};

Cache cache_of(const FindOptions& options) {
  const auto below = [](const std::string& base, const char* rest) { return expand_home(base) + rest; };
  if (!options.cache_dir.empty()) return {expand_home(options.cache_dir), "--cache-dir"};
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const std::string value = environment(name); !value.empty()) return {expand_home(value), name};
  if (const std::string home = environment("HF_HOME"); !home.empty()) return {below(home, "/hub"), "HF_HOME"};
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty())
    return {below(xdg, "/huggingface/hub"), "XDG_CACHE_HOME"};
  return {expand_home("~/.cache/huggingface/hub"), "default"};
}

bool has_config(const std::string& folder) {
  return file_exists(folder + "/config.json");
}

// Parts of a path that stay below where they are appended: no "..", no empty or absolute part.
bool stays_below(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string::npos) return false;
  const std::filesystem::path parts(path);
  return std::none_of(parts.begin(), parts.end(),
                      [](const auto& part) { return part.empty() || part == ".." || part == "."; });
}

// "name" or "org/name"; also what the cache calls it, "models--org--name".
std::optional<std::string> repo_folder(const std::string& model) {
  if (!stays_below(model) || model.front() == '~') return std::nullopt;
  const auto slash = model.find('/');
  if (slash == std::string::npos) return "models--" + model;
  if (model.find('/', slash + 1) != std::string::npos) return std::nullopt;
  return "models--" + model.substr(0, slash) + "--" + model.substr(slash + 1);
}

std::string sorted_names(std::vector<std::string> names) {
  constexpr std::size_t most = 10;
  for (std::string& name : names) name = printable(name);
  if (names.empty()) return "nothing";
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  const auto more = names.size() - most;
  names.resize(most);
  return fmt::format("{} and {} more", fmt::join(names, ", "), more);
}

std::string download_command(const std::string& model, const std::string& revision) {
  return fmt::format("hf download {}{}", printable(model),
                     revision.empty() ? std::string() : " --revision " + printable(revision));
}

std::string commit_in_ref(const std::string& path) {
  std::string commit = read_file(path, 4096);
  commit.erase(commit.find_last_not_of(" \t\r\n") + 1);
  if (!stays_below(commit) || commit.find('/') != std::string::npos)
    throw FormatError(fmt::format("{}: expected a commit id, found \"{}\"", path, printable(commit)));
  return commit;
}

// The commit a revision means: a branch or tag in refs/, a commit, or the start of exactly one commit.
std::string resolve_revision(const std::string& repo, const std::string& model, const std::string& revision) {
  const std::string wanted = revision.empty() ? "main" : revision;
  if (!stays_below(wanted))
    throw InputError(fmt::format("revision \"{}\": expected a branch, tag or commit", printable(wanted)));
  if (file_exists(repo + "/refs/" + wanted)) return commit_in_ref(repo + "/refs/" + wanted);

  std::vector<std::string> commits = entries_of(repo + "/snapshots");
  std::vector<std::string> matches;
  constexpr std::size_t shortest = 4;
  for (const std::string& commit : commits) {
    if (commit == wanted) return commit;
    if (wanted.size() >= shortest && commit.starts_with(wanted)) matches.push_back(commit);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1)
    throw InputError(
        fmt::format("{}: revision {}: expected the start of one commit, found {}; give more of it",
                    printable(model), printable(wanted), sorted_names(matches)));
  throw InputError(
      fmt::format("{}: revision {}: expected a branch, tag or commit in {}, found branches and tags {}; "
                  "commits {}; choose one with --revision, or fetch it: {}",
                  printable(model), printable(wanted), repo, sorted_names(entries_of(repo + "/refs")),
                  sorted_names(commits), download_command(model, revision)));
}

ModelFolder open_repo(const std::string& repo, const std::string& model, const std::string& revision) {
  const std::string commit = resolve_revision(repo, model, revision);
  const std::string folder = repo + "/snapshots/" + commit;
  if (!has_config(folder))
    throw InputError(
        fmt::format("{}: expected config.json in {}, found {}; the download is incomplete, repeat it: {}",
                    printable(model), folder,
                    is_directory(folder) ? "none (or a link whose blob is gone)" : "no such folder",
                    download_command(model, revision)));
  return {.path = folder, .id = model, .commit = commit};
}

[[noreturn]] void fail_with_path(const std::string& path) {
  if (is_directory(path))
    throw InputError(
        fmt::format("{}: expected a Hugging Face model folder with config.json, found {}; give the folder "
                    "that save_pretrained() wrote",
                    printable(path), sorted_names(entries_of(path))));
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  if (extension == ".gguf" || extension == ".onnx")
    throw Unsupported(
        fmt::format("{}: {} files cannot be read, only folders with safetensors; give the Hugging "
                    "Face folder it was made from",
                    printable(path), extension == ".gguf" ? "GGUF" : "ONNX"));
  const std::string parent = std::filesystem::path(path).parent_path().string();
  throw InputError(fmt::format("{}: expected a model folder, found a file; give the folder it lies in: {}",
                               printable(path), printable(parent.empty() ? "." : parent)));
}

}  // namespace

ModelFolder find_model(const std::string& model, const FindOptions& options) {
  if (model.empty() || model.find('\0') != std::string::npos)
    throw InputError(fmt::format("model \"{}\": expected a folder, a shipped model's name or a repo id",
                                 printable(model)));
  const std::string path = expand_home(model);
  if (is_directory(path) && has_config(path)) return {.path = path, .id = model, .commit = {}};

  std::vector<std::string> looked{printable(path)};
  if (stays_below(model) && model.find('/') == std::string::npos)
    for (const std::string& shipped : options.shipped) {
      const std::string folder = fmt::format("{}/{}", shipped, model);
      if (has_config(folder)) return {.path = folder, .id = model, .commit = {}};
      looked.push_back(printable(folder));
    }
  const Cache cache = cache_of(options);
  const auto repo = repo_folder(model);
  if (repo) {
    const std::string folder = cache.path + "/" + *repo;
    if (is_directory(folder)) return open_repo(folder, model, options.revision);
    looked.push_back(fmt::format("{} ({})", printable(folder), cache.reason));
  }
  // Last, so that a stray folder or file of the same name does not hide a shipped or cached model.
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) fail_with_path(path);
  throw InputError(fmt::format(
      "model {}: expected a folder, a shipped model's name or a repo id in the Hugging Face cache, "
      "found none; looked at {}; nothing is downloaded here{}",
      printable(model), fmt::join(looked, ", "),
      repo ? ", fetch it first: " + download_command(model, options.revision) : std::string()));
}

std::vector<ModelFolder> cached_models(const FindOptions& options) {
  constexpr std::string_view prefix = "models--";
  const Cache cache = cache_of(options);
  std::vector<ModelFolder> models;
  for (const std::string& entry : entries_of(cache.path)) {
    if (!entry.starts_with(prefix)) continue;
    std::string id = entry.substr(prefix.size());
    if (const auto dashes = id.find("--"); dashes != std::string::npos)
      id = fmt::format("{}/{}", id.substr(0, dashes), id.substr(dashes + 2));
    if (repo_folder(id) != entry) continue;
    try {
      models.push_back(open_repo(cache.path + "/" + entry, id, options.revision));
    } catch (const Error&) {
      // Half-fetched, or another revision: find_model says why when it is asked for by name.
      continue;
    }
  }
  return models;
}

}  // namespace headwater
