//===- NoiseCurves.h - noise curves by file name -------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The curves that waveform data sets may be whitened with, by the file names bilby knows them by. They lie in
// noise_curves.hdf5, found in $KOWARI_DATA_DIR, in ../share/kowari next to the program, or in the source
// folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <span>
#include <string>
#include <vector>

namespace kowari::data {

/// Path of a file of Kowari's data folder, or an error that lists the places searched.
Result<std::string> findDataFile(const std::string &name);

/// The values of a curve at `frequencies` (Hz, float32 grid) as an amplitude spectral density: linear
/// interpolation in double, rounded to float32, `below` at frequencies under `fMin`. As bilby does, the name
/// decides nothing: a file of powers (..._psd.txt) is taken as it is. A frequency above fMin that the curve
/// does not cover is an error; unknown names are errors that list the known ones.
Result<std::vector<float>> noiseCurve(const std::string &curve, std::span<const float> frequencies,
                                      double fMin, double below = 1e-22);

} // namespace kowari::data
