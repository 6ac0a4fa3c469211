//===- Reference.h - texts made from the settings schema --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// configs/default.yaml and the tables of docs/settings.md are these texts; unit-settings compares them, and
// writes them anew when the environment variable KOWARI_UPDATE_GENERATED is 1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace kowari {

/// A settings file with every key: required ones with an example, optional ones with their default, others as
/// comments.
std::string defaultSettingsYaml();

/// One Markdown table for each of data, model, training, local.
std::string settingsTables();

} // namespace kowari
