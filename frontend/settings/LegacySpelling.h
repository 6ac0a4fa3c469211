//===- LegacySpelling.h - old spellings of the model section ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/settings/SchemaCheck.h"
#include "frontend/settings/Yaml.h"

namespace kowari {

/// Converts, in place and as Dingo does, batch_norm and layer_norm at any depth into norm (both removed, an
/// existing norm overwritten, null when neither is true), and type: nsf+embedding with nsf_kwargs and
/// embedding_net_kwargs into posterior_model_type, posterior_kwargs and embedding_kwargs. Each conversion
/// gives a notice.
void convertLegacySpelling(YamlNode &model, SchemaCheck &check);

} // namespace kowari
