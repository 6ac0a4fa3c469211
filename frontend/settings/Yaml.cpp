//===- Yaml.cpp - YAML text as a tree with positions ----------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// yaml-cpp's node API loses duplicate keys, ignores merge keys and resolves scalars by YAML 1.2, so the tree
// is built from its parser's events.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/Yaml.h"
#include "runtime/support/YamlScalar.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace kowari {

const YamlEntry *YamlNode::find(std::string_view key) const {
  for (const YamlEntry &entry : entries)
    if (entry.key == key)
      return &entry;
  return nullptr;
}

YamlEntry *YamlNode::find(std::string_view key) {
  return const_cast<YamlEntry *>(static_cast<const YamlNode *>(this)->find(key));
}

const YamlNode *YamlNode::findPath(std::string_view path) const {
  const YamlNode *at = this;
  while (true) {
    const std::size_t dot = path.find('.');
    const YamlEntry *entry = at->find(path.substr(0, dot));
    if (!entry)
      return nullptr;
    at = &entry->value;
    if (dot == std::string_view::npos)
      return at;
    path.remove_prefix(dot + 1);
  }
}

YamlNode *YamlNode::findPath(std::string_view path) {
  return const_cast<YamlNode *>(static_cast<const YamlNode *>(this)->findPath(path));
}

bool YamlNode::erase(std::string_view key) {
  return std::erase_if(entries, [&](const YamlEntry &entry) { return entry.key == key; }) > 0;
}

Value YamlNode::toValue() const {
  if (isList()) {
    ValueList list;
    for (const YamlNode &item : items)
      list.push_back(item.toValue());
    return Value(std::move(list));
  }
  if (isMap()) {
    ValueDict dict;
    for (const YamlEntry &entry : entries)
      dict.items().emplace_back(entry.key, entry.value.toValue());
    return Value(std::move(dict));
  }
  return scalar;
}

YamlNode yamlFromValue(const Value &value) {
  YamlNode node;
  if (value.isList()) {
    node.kind = YamlNode::Kind::List;
    for (const Value &item : value.asList())
      node.items.push_back(yamlFromValue(item));
  } else if (value.isDict()) {
    node.kind = YamlNode::Kind::Map;
    for (const auto &[key, entry] : value.asDict().items())
      node.entries.push_back({key, 0, 0, yamlFromValue(entry)});
  } else {
    node.scalar = value;
  }
  return node;
}

namespace {

constexpr std::size_t maxNodes = 1000000; // aliases of aliases grow exponentially

std::size_t countNodes(const YamlNode &node) {
  std::size_t count = 1;
  for (const YamlNode &item : node.items)
    count += countNodes(item);
  for (const YamlEntry &entry : node.entries)
    count += countNodes(entry.value);
  return count;
}

/// Builds the tree; the first fault is kept and ends the building.
class Builder : public YAML::EventHandler {
public:
  explicit Builder(std::string origin) : origin(std::move(origin)) {}

  YamlNode root;
  std::optional<Status> fault;

  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    YamlNode node = make(YamlNode::Kind::Scalar, mark);
    node.plain = true;
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    const auto found = anchors.find(anchor);
    if (found == anchors.end())
      return fail(mark.line + 1, "an alias inside its own anchor cannot be read");
    add(found->second, 0);
  }

  void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                const std::string &text) override {
    YamlNode node = make(YamlNode::Kind::Scalar, mark);
    static const std::string core = "tag:yaml.org,2002:";
    node.plain = tag == "?";
    if (node.plain || tag == core + "int" || tag == core + "float" || tag == core + "bool" ||
        tag == core + "null") {
      Result<Value> value = yamlScalarValue(text);
      if (!value)
        return fail(node.line, value.status().message());
      node.scalar = value.take();
      if (tag == core + "float" && node.scalar.isInt())
        node.scalar = Value(node.scalar.asDouble());
    } else if (tag == "!" || tag.empty() || tag == core + "str") {
      node.scalar = Value(text);
    } else {
      return fail(node.line, "the tag " + tag + " cannot be read; only plain YAML values are");
    }
    // As a mapping key the text counts, whatever type it would have.
    keyText = text;
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::List, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool haveKey = false;
    bool merging = false;
    YamlEntry entry;               // the key waiting for its value
    std::vector<YamlEntry> merged; // from <<, behind the mapping's own entries in priority
  };
  std::string origin;
  std::vector<Open> stack;
  std::map<YAML::anchor_t, YamlNode> anchors;
  std::string keyText;
  std::size_t nodes = 0;

  static YamlNode make(YamlNode::Kind kind, const YAML::Mark &mark) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void fail(int line, const std::string &what) {
    if (!fault)
      fault = Status::error(origin + ":" + std::to_string(line) + ": " + what);
  }

  void open(YamlNode::Kind kind, const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor) {
    if (tag.find("python") != std::string::npos)
      fail(mark.line + 1, "the tag " + tag + " cannot be read; only plain YAML values are");
    Open open;
    open.node = make(kind, mark);
    open.anchor = anchor;
    stack.push_back(std::move(open));
  }

  void close() {
    Open top = std::move(stack.back());
    stack.pop_back();
    if (top.node.isMap() && !top.merged.empty())
      applyMerge(top);
    keyText.clear();
    add(std::move(top.node), top.anchor);
  }

  /// PyYAML's order: merged keys first, own values replacing merged ones in place, new own keys behind.
  static void applyMerge(Open &top) {
    std::vector<YamlEntry> own = std::move(top.node.entries);
    top.node.entries = std::move(top.merged);
    for (YamlEntry &entry : own) {
      if (YamlEntry *existing = top.node.find(entry.key))
        *existing = std::move(entry);
      else
        top.node.entries.push_back(std::move(entry));
    }
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    if (fault)
      return;
    nodes += countNodes(node);
    if (nodes > maxNodes)
      return fail(node.line, "more than a million values once aliases are followed");
    if (anchor != 0)
      anchors[anchor] = node;
    if (stack.empty())
      root = std::move(node);
    else if (stack.back().node.isList())
      stack.back().node.items.push_back(std::move(node));
    else
      addToMap(stack.back(), std::move(node));
  }

  void addToMap(Open &top, YamlNode node) {
    if (!top.haveKey) {
      if (!node.isScalar())
        return fail(node.line, "a key must be a word, not a list or mapping");
      top.entry.key = node.isString() ? node.scalar.asString() : keyText;
      top.entry.line = node.line;
      top.entry.column = node.column;
      top.haveKey = true;
      top.merging = node.plain && top.entry.key == "<<";
      if (const YamlEntry *earlier = top.node.find(top.entry.key))
        fail(node.line, "the key " + top.entry.key + " is written twice, first in line " +
                            std::to_string(earlier->line) + "; keep one of them");
      return;
    }
    top.haveKey = false;
    if (top.merging)
      return merge(top, node);
    top.entry.value = std::move(node);
    top.node.entries.push_back(std::move(top.entry));
    top.entry = YamlEntry();
  }

  void merge(Open &top, const YamlNode &node) {
    if (node.isMap()) {
      mergeMap(top, node);
      return;
    }
    if (node.isList()) {
      for (const YamlNode &item : node.items) {
        if (!item.isMap())
          return fail(top.entry.line, "<< takes a mapping or a list of mappings");
        mergeMap(top, item);
      }
      return;
    }
    fail(top.entry.line, "<< takes a mapping or a list of mappings");
  }

  /// Of several merged mappings the earlier one wins.
  static void mergeMap(Open &top, const YamlNode &map) {
    for (const YamlEntry &entry : map.entries) {
      bool present = false;
      for (const YamlEntry &earlier : top.merged)
        present |= earlier.key == entry.key;
      if (!present)
        top.merged.push_back(entry);
    }
  }
};

} // namespace

Result<YamlNode> parseYaml(const std::string &text, const std::string &origin) {
  if (text.find('\0') != std::string::npos)
    return Status::error(origin + ": this is no YAML text (it contains zero bytes)");
  std::istringstream stream(text);
  Builder builder(origin);
  try {
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder) && !builder.fault) {
      Builder second(origin);
      if (parser.HandleNextDocument(second))
        return Status::error(origin + ": more than one YAML document (---); keep one");
    }
  } catch (const YAML::Exception &e) {
    const std::string line = e.mark.is_null() ? "" : ":" + std::to_string(e.mark.line + 1);
    return Status::error(origin + line + ": malformed YAML: " + e.msg);
  }
  if (builder.fault)
    return *builder.fault;
  builder.root.plain |= builder.root.isNull();
  return std::move(builder.root);
}

Result<std::string> readTextFile(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return Status::error(path + ": is a folder; name the settings file in it");
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return Status::error(path + ": cannot open the settings file (" + std::strerror(errno) + ")");
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad())
    return Status::error(path + ": cannot read the settings file (" + std::strerror(errno) + ")");
  return text.str();
}

Result<YamlNode> readYamlFile(const std::string &path) {
  KOWARI_ASSIGN(std::string text, readTextFile(path));
  return parseYaml(text, path);
}

} // namespace kowari
