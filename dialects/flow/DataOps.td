//===- DataOps.td - drawing and preparing a batch ---------------*- tablegen -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Random numbers are words of Philox 4x32-10 with key (low, high half of seed) and counter (low half of sample, epoch,
// site, column): functions of the sample, whatever the batch, the thread or the device. `u` below is the uniform
// number ((word0 2^32 + word1) div 2^12 + 1/2)/2^52 in (0, 1) at column 0. Angles are in radians, times in seconds,
// frequencies in hertz. What one number a sample costs little (geometry, priors, phases) is computed in f64.
//
//===----------------------------------------------------------------------===//

//===-- draws -------------------------------------------------------------===//

def UniformDrawOp : FlowOp<"uniform_draw", [Rowwise]> {
  let summary = "one uniform number a row, counter based";
  let description = [{
    Formula: result[r] = u(sample[r], epoch, site) in (0, 1).

    Adjoint: none; data come before every parameter.

    Constraints: (C1) sample is `tensor<?xi64>`, seed and epoch `tensor<i64>`; (C2) the result is `tensor<?xf64>`.

    Example: `%u = flow.uniform_draw %sample, %seed, %epoch {site = 3 : i64} : (tensor<?xi64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>`
  }];
  let arguments = (ins IntegerTensor:$sample, IntegerTensor:$seed, IntegerTensor:$epoch, I64Attr:$site);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def RandomIndexOp : FlowOp<"random_index", [Rowwise]> {
  let summary = "one uniform index a row, counter based";
  let description = [{
    Formula: result[r] = floor(u(sample[r], epoch, site) count), at most count - 1.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) sample is `tensor<?xi64>`, seed and epoch `tensor<i64>`; (C2) count is `tensor<i64>`, the result `tensor<?xi64>`.

    Example: `%i = flow.random_index %sample, %seed, %epoch, %n {site = 3 : i64} : (tensor<?xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>`
  }];
  let arguments = (ins IntegerTensor:$sample, IntegerTensor:$seed, IntegerTensor:$epoch, IntegerTensor:$count, I64Attr:$site);
  let results = (outs IntegerTensor:$result);
  let hasVerifier = 1;
}

def TableDrawOp : FlowOp<"table_draw", [Rowwise]> {
  let summary = "a uniform place in a table of cells, counter based";
  let description = [{
    Formula: with t = u(sample[r], epoch, site) cells: cell = floor(t), fraction = t - cell. What follows is gather_rows
    of the cell's two ends and interpolate: a quantile function given by its values at u = 0, 1/cells, ..., 1.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) sample is `tensor<?xi64>`, seed and epoch `tensor<i64>`; (C2) cells > 0; (C3) cell is `tensor<?xi64>`, fraction `tensor<?xf64>`.

    Example: `%c, %f = flow.table_draw %sample, %seed, %epoch {site = 3 : i64, cells = 64 : i64} : (tensor<?xi64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xf64>)`
  }];
  let arguments = (ins IntegerTensor:$sample, IntegerTensor:$seed, IntegerTensor:$epoch, I64Attr:$site, I64Attr:$cells);
  let results = (outs IntegerTensor:$cell, RealTensor:$fraction);
  let hasVerifier = 1;
}

def InterpolateOp : FlowOp<"interpolate", [Rowwise]> {
  let summary = "a place between two numbers";
  let description = [{
    Formula: result = low + fraction (high - low).

    Adjoint: none; data come before every parameter.

    Constraints: (C1) all have the same type.

    Example: `%y = flow.interpolate %a, %b, %f : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>`
  }];
  let arguments = (ins RealTensor:$low, RealTensor:$high, RealTensor:$fraction);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def PriorRescaleOp : FlowOp<"prior_rescale", [Rowwise]> {
  let summary = "the quantile function of a prior with a closed form";
  let description = [{
    Formula: `family` is bilby's class name; a, b are minimum and maximum, Phi the normal distribution:

    | family | parameters | result |
    |---|---|---|
    | DeltaFunction | peak | peak |
    | Uniform | a, b | a + u (b - a) |
    | Sine | a, b | acos(cos a - u (cos a - cos b)) |
    | Cosine | a, b | asin(sin a + u (sin b - sin a)) |
    | LogUniform | a, b | a exp(u log(b/a)) |
    | PowerLaw | alpha, a, b | (a^p + u (b^p - a^p))^(1/p), p = alpha + 1; LogUniform for p = 0 |
    | Gaussian, Normal | mu, sigma | mu + sigma Phi^-1(u) |

    Arguments of acos and asin are cut to [-1, 1].

    Adjoint: none; data come before every parameter.

    Constraints: (C1) the family is one of these; (C2) it has as many parameters, each `tensor<f64>`; (C3) u and the result are `tensor<?xf64>`.

    Example: `%x = flow.prior_rescale %u, %a, %b {family = "Cosine"} : (tensor<?xf64>, tensor<f64>, tensor<f64>) -> tensor<?xf64>`
  }];
  let arguments = (ins RealTensor:$u, Variadic<RealTensor>:$parameters, StrAttr:$family);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

//===-- rows of tables, columns of matrices -------------------------------===//

def GatherRowsOp : FlowOp<"gather_rows", [PlanLowering]> {
  let summary = "rows of a table by index";
  let description = [{
    Formula: result[r, :] = table[index[r], :]. An index outside the table ends the run with an error.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) table is `tensor<NxCxT>`, index `tensor<?xi64>`, the result `tensor<?xCxT>`.

    Example: `%y = flow.gather_rows %table, %i : (tensor<6x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins RealTensor:$table, IntegerTensor:$index);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def SliceColumnsOp : FlowOp<"slice_columns", [PlanLowering]> {
  let summary = "neighboring columns of a matrix, without a copy";
  let description = [{
    Formula: y = x[:, start : start + C] for `tensor<?xCxT>`.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) the columns lie inside x, which has the result's element type.

    Example: `%y = flow.slice_columns %x {start = 2 : i64} : (tensor<?x8xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins RealTensor:$x, I64Attr:$start);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def ColumnOp : FlowOp<"column", [PlanLowering]> {
  let summary = "one column of a matrix as a row vector";
  let description = [{
    Formula: y[r] = x[r, index].

    Adjoint: none; data come before every parameter.

    Constraints: (C1) x is a matrix that has the column, the result a row vector of its element type.

    Example: `%y = flow.column %x {index = 1 : i64} : (tensor<?x2xf64>) -> tensor<?xf64>`
  }];
  let arguments = (ins RealTensor:$x, I64Attr:$index);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def StackColumnsOp : FlowOp<"stack_columns", [PlanLowering]> {
  let summary = "row vectors as the columns of a matrix";
  let description = [{
    Formula: y[r, c] = x_c[r].

    Adjoint: none; data come before every parameter.

    Constraints: (C1) one row vector of the result's element type a column.

    Example: `%y = flow.stack_columns %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x2xf32>`
  }];
  let arguments = (ins Variadic<RealTensor>:$inputs);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

//===-- physics -----------------------------------------------------------===//

def ArrivalTimeOp : FlowOp<"arrival_time", [Rowwise]> {
  let summary = "when a wave front passes a detector";
  let description = [{
    Formula: result = time - (v . n)/299792458 with phi = ra - sidereal_time, n = (cos dec cos phi, cos dec sin phi, sin
    dec) and the detector's place v = (x, y, z) in meters. Computed in f64.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) ra, dec and time are row vectors; (C2) x, y, z and sidereal_time are `tensor<f64>`; (C3) the result is `tensor<?xf64>`.

    Example: `%t = flow.arrival_time %ra, %dec, %tc, %x, %y, %z, %s : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<?xf64>`
  }];
  let arguments = (ins RealTensor:$ra, RealTensor:$dec, RealTensor:$time, RealTensor:$x, RealTensor:$y, RealTensor:$z,
                       RealTensor:$sidereal_time);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}

def AntennaPatternOp : FlowOp<"antenna_pattern", [Rowwise]> {
  let summary = "a detector's response to the two polarizations";
  let description = [{
    Formula: plus = b sin 2 psi - a cos 2 psi, cross = a sin 2 psi + b cos 2 psi with phi = ra - sidereal_time, u = (cos
    phi sin dec, sin phi sin dec, -cos dec), v = (-sin phi, cos phi, 0), a = u D u - v D v, b = 2 u D v. `tensor` holds
    D11, D12, D13, D22, D23, D33 of the symmetric response D. Computed in f64.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) ra, dec and psi are row vectors; (C2) sidereal_time and the six numbers are `tensor<f64>`; (C3) the results are `tensor<?xf64>`.

    Example: `%p, %c = flow.antenna_pattern %ra, %dec, %psi, %s, %a, %b, %d, %e, %f, %g : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>)`
  }];
  let arguments = (ins RealTensor:$ra, RealTensor:$dec, RealTensor:$psi, RealTensor:$sidereal_time,
                       Variadic<RealTensor>:$tensor);
  let results = (outs RealTensor:$plus, RealTensor:$cross);
  let hasVerifier = 1;
}

def ScaleByDistanceOp : FlowOp<"scale_by_distance", [Rowwise]> {
  let summary = "antenna patterns times the amplitude at a distance";
  let description = [{
    Formula: scaled plus = plus reference/distance, scaled cross alike, in f64, rounded to the results' type.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) plus and cross are `tensor<?xf64>`, distance is a row vector; (C2) reference is `tensor<f64>`; (C3) the results are row vectors of one type.

    Example: `%p, %c = flow.scale_by_distance %plus, %cross, %d, %reference : (tensor<?xf64>, tensor<?xf64>, tensor<?xf32>, tensor<f64>) -> (tensor<?xf32>, tensor<?xf32>)`
  }];
  let arguments = (ins RealTensor:$plus, RealTensor:$cross, RealTensor:$distance, RealTensor:$reference);
  let results = (outs RealTensor:$scaledPlus, RealTensor:$scaledCross);
  let hasVerifier = 1;
}

def ProjectOp : FlowOp<"project", [Rowwise]> {
  let summary = "the strain at a detector";
  let description = [{
    Formula: re + i im = (plus h+ + cross hx) exp(-2 pi i frequency time), with h+ = plusReal + i plusImaginary and hx
    alike. The turns frequency time are multiplied out in f64 and reduced to [-1/2, 1/2] there; sine and cosine are
    polynomials in the element type T.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) the six matrices have one type; (C2) plus and cross are row vectors of T, frequency one number a column; (C3) time is `tensor<?xf64>`.

    Example: `%re, %im = flow.project %a, %b, %c, %d, %plus, %cross, %t, %f : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf64>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)`
  }];
  let arguments = (ins RealTensor:$plusReal, RealTensor:$plusImaginary, RealTensor:$crossReal, RealTensor:$crossImaginary,
                       RealTensor:$plus, RealTensor:$cross, RealTensor:$time, RealTensor:$frequency);
  let results = (outs RealTensor:$real, RealTensor:$imaginary);
  let hasVerifier = 1;
}

def WhitenOp : FlowOp<"whiten", [Rowwise]> {
  let summary = "strain in units of the noise";
  let description = [{
    Formula: (re, im) = (real, imaginary) inverseAsd scale; scale undoes the factor in the table of inverse ASDs and
    divides by the standard deviation of white noise.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) the five matrices have one type; (C2) scale is a scalar of its element type.

    Example: `%x, %y = flow.whiten %re, %im, %w, %s : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)`
  }];
  let arguments = (ins RealTensor:$real, RealTensor:$imaginary, RealTensor:$inverseAsd, RealTensor:$scale);
  let results = (outs RealTensor:$whiteReal, RealTensor:$whiteImaginary);
  let hasVerifier = 1;
}

def AddWhiteNoiseOp : FlowOp<"add_white_noise", [Rowwise]> {
  let summary = "adds complex normal noise, counter based";
  let description = [{
    Formula: re = real + radius cos(2 pi turn), im = imaginary + radius sin(2 pi turn) with radius = sqrt(-2 log((word0
    div 2 + 1/2)/2^31)) and turn = int(word1)/2^32, word1 taken as signed, from the words of (sample, epoch, site,
    column): independent standard normal numbers (Box and Muller).

    Adjoint: none; data come before every parameter.

    Constraints: (C1) the four matrices have one type; (C2) sample is `tensor<?xi64>`, seed and epoch `tensor<i64>`.

    Example: `%x, %y = flow.add_white_noise %re, %im, %sample, %seed, %epoch {site = 3 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi64>, tensor<i64>, tensor<i64>) -> (tensor<?x8xf32>, tensor<?x8xf32>)`
  }];
  let arguments = (ins RealTensor:$real, RealTensor:$imaginary, IntegerTensor:$sample, IntegerTensor:$seed,
                       IntegerTensor:$epoch, I64Attr:$site);
  let results = (outs RealTensor:$noisyReal, RealTensor:$noisyImaginary);
  let hasVerifier = 1;
}

def StandardizeOp : FlowOp<"standardize", [Rowwise]> {
  let summary = "a parameter as the network sees it";
  let description = [{
    Formula: y = (x - mean)/deviation in f64, rounded to the result's type.

    Adjoint: none; data come before every parameter.

    Constraints: (C1) x and the result are row vectors; (C2) mean and deviation are `tensor<f64>`.

    Example: `%y = flow.standardize %x, %m, %s : (tensor<?xf64>, tensor<f64>, tensor<f64>) -> tensor<?xf32>`
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$mean, RealTensor:$deviation);
  let results = (outs RealTensor:$result);
  let hasVerifier = 1;
}
