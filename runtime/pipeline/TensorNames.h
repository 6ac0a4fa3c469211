//===- TensorNames.h - tensors between host and data entries ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Names of what @draw and @prepare read and write (docs/input-pipeline.md): the compiler declares them,
// InputPipeline fills them. Rows are those of the batch; F bins are the domain's from its minIndex on; T is
// the program's element type. `k` counts components, `d` detectors in the order of the settings, `p`
// inference and then context parameters.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace kowari::pipeline {

/// Parameters drawn anew for every sample, in the order of DataSpec::extrinsicPriors.
inline constexpr const char *extrinsicNames[] = {"dec", "ra", "geocent_time", "psi", "luminosity_distance"};

/// Cells of a quantile function that is given as a table.
inline constexpr int64_t priorTableCells = 16384;

//===-- inputs ------------------------------------------------------------===//

inline constexpr const char *sampleIndex = "sample_index";     // rows, i64: row of the data set
inline constexpr const char *plusRows = "polarization/plus";   // rows x 2S or 2F, T: [re | im]
inline constexpr const char *crossRows = "polarization/cross"; // the same
inline std::string extrinsic(const std::string &name) { return "extrinsic/" + name; }      // rows, f32
inline std::string asdIndex(int64_t d) { return "asd_index/" + std::to_string(d); }        // rows, i64
inline std::string storedParameter(int64_t p) { return "parameter/" + std::to_string(p); } // rows, f32

//===-- results -----------------------------------------------------------===//

inline constexpr const char *theta = "theta";     // rows x inference parameters, T
inline constexpr const char *context = "context"; // rows x context parameters, T
inline std::string strain(int64_t d) {
  return "strain/" + std::to_string(d);
} // rows x 3F, T: [re | im | inverse ASD]

//===-- constants of a stage ----------------------------------------------===//

inline constexpr const char *seed = "seed";                                 // i64
inline constexpr const char *epoch = "epoch";                               // i64
inline constexpr const char *frequency = "data/frequency";                  // F, T
inline constexpr const char *decompression = "data/decompression";          // 2F x 2S, T
inline constexpr const char *whiteningScale = "data/whitening_scale";       // T
inline constexpr const char *siderealTime = "data/sidereal_time";           // f64, rad in [0, 2 pi)
inline constexpr const char *referenceDistance = "data/reference_distance"; // f64, Mpc
inline std::string inverseAsd(int64_t d) { return "data/inverse_asd/" + std::to_string(d); } // curves x F, T
inline std::string asdCount(int64_t d) { return "data/asd_count/" + std::to_string(d); }     // i64
/// Place of detector d, m.
inline std::string vertex(int64_t d, int k) {
  return "data/vertex/" + std::to_string(d) + "/" + std::to_string(k);
}
/// D11, D12, D13, D22, D23, D33 of detector d.
inline std::string response(int64_t d, int k) {
  return "data/response/" + std::to_string(d) + "/" + std::to_string(k);
}
/// Place of the detector whose time parameter p is.
inline std::string timeVertex(int64_t p, int k) {
  return "data/time_vertex/" + std::to_string(p) + "/" + std::to_string(k);
}
inline std::string mean(int64_t p) { return "data/mean/" + std::to_string(p); }           // f64
inline std::string deviation(int64_t p) { return "data/deviation/" + std::to_string(p); } // f64
/// Parameters of a prior with a closed quantile function, f64 each.
inline std::string priorParameter(const std::string &name, int k) {
  return "data/prior/" + name + "/" + std::to_string(k);
}
/// Quantile function of any other prior: both ends of each cell, priorTableCells x 2, f64.
inline std::string priorTable(const std::string &name) { return "data/prior/" + name + "/table"; }

} // namespace kowari::pipeline
