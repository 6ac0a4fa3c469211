//===- Cosmology.h - distances in the Planck15 universe ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Flat Lambda-CDM with the parameters that astropy calls Planck15: H0 67.74 km/s/Mpc, Om0 0.3075,
// Tcmb0 2.7255 K, Neff 3.046 and one neutrino of 0.06 eV, whose energy density follows the fit of Komatsu et
// al. (2011), equation 26.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace kowari::data::planck15 {

/// H(z)/H0
double efunc(double z);
/// Mpc
double comovingDistance(double z);
/// Mpc
double luminosityDistance(double z);
/// Comoving volume a unit of redshift and solid angle, Mpc^3
double differentialComovingVolume(double z);
/// The redshift at a luminosity distance in Mpc, >= 0
double redshiftOfLuminosityDistance(double distance);
/// The redshift at a comoving distance in Mpc; infinite at and beyond the horizon of z = 1000
double redshiftOfComovingDistance(double distance);

} // namespace kowari::data::planck15
