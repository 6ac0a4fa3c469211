//===- Prior.cpp - from expressions to priors -----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/prior/Prior.h"
#include "runtime/data/prior/Families.h"
#include "runtime/data/prior/PriorExpression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

namespace kowari::data {

static constexpr double pi = std::numbers::pi;

namespace {

/// The arguments of one call by name. Getters note the first fault and go on with a harmless value, so that a
/// maker reads like the signature it implements; `fault` is looked at before anything is made.
class Arguments {
public:
  Arguments(const PriorCall &call, const std::vector<std::string> &signature) : className(call.className) {
    bind(call, signature);
  }

  std::string fault;

  bool has(const std::string &name) const {
    const auto found = values.find(name);
    return found != values.end() && !std::holds_alternative<std::monostate>(found->second);
  }
  double number(const std::string &name) {
    const double *value = get<double>(name, "a number");
    if (!value)
      return 1;
    if (!std::isfinite(*value))
      note("needs a finite " + name);
    return *value;
  }
  double number(const std::string &name, double fallback) { return has(name) ? number(name) : fallback; }
  bool flag(const std::string &name) {
    const bool *value = has(name) ? get<bool>(name, "True or False") : nullptr;
    return value && *value;
  }
  std::string text(const std::string &name) {
    const std::string *value = has(name) ? get<std::string>(name, "a quoted text") : nullptr;
    return value ? *value : "";
  }
  std::vector<double> list(const std::string &name) {
    const auto *value = get<std::vector<double>>(name, "a list of numbers");
    return value ? *value : std::vector<double>{0, 1};
  }
  const PriorCall *prior(const std::string &name) {
    const auto *value = has(name) ? get<std::shared_ptr<PriorCall>>(name, "a prior") : nullptr;
    return value ? value->get() : nullptr;
  }
  void need(bool condition, const std::string &what) {
    if (!condition)
      note("needs " + what);
  }

private:
  std::string className;
  std::map<std::string, PriorArgument> values;

  void bind(const PriorCall &call, std::vector<std::string> signature) {
    static const std::vector<std::string> labels = {"name", "latex_label", "unit", "boundary"};
    signature.insert(signature.end(), labels.begin(), labels.end());
    std::size_t position = 0;
    for (const auto &[key, argument] : call.arguments) {
      const std::string name = !key.empty() ? key : position < signature.size() ? signature[position] : "";
      ++position;
      if (name.empty())
        return note("takes at most " + std::to_string(signature.size()) + " arguments");
      if (std::find(signature.begin(), signature.end(), name) == signature.end())
        return note("has no argument " + name + "; known: " + joined(signature));
      if (!values.emplace(name, argument).second)
        return note("is given " + name + " twice");
    }
  }

  void note(const std::string &what) {
    if (fault.empty())
      fault = className + " " + what;
  }
  static std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
      text += (text.empty() ? "" : ", ") + word;
    return text;
  }
  template <class T> const T *get(const std::string &name, const char *what) {
    const auto found = values.find(name);
    if (found == values.end()) {
      note("needs the argument " + name);
      return nullptr;
    }
    const T *value = std::get_if<T>(&found->second);
    if (!value)
      note("needs " + std::string(what) + " as " + name);
    return value;
  }
};

struct Maker {
  const char *className;
  std::vector<std::string> signature;
  PriorPointer (*make)(Arguments &);
};

/// minimum and maximum, checked.
struct Range {
  explicit Range(Arguments &a) : low(a.number("minimum")), high(a.number("maximum")) { check(a); }
  Range(Arguments &a, double first, double last)
      : low(a.number("minimum", first)), high(a.number("maximum", last)) {
    check(a);
  }
  void check(Arguments &a) const { a.need(low < high || !a.fault.empty(), "minimum < maximum"); }
  double low, high;
};

PriorPointer sine(Arguments &a) {
  const Range r(a, 0, pi);
  a.need(r.low >= 0 && r.high <= pi, "bounds inside [0, pi]");
  return a.fault.empty() ? makeSine(r.low, r.high) : nullptr;
}

PriorPointer cosine(Arguments &a) {
  const Range r(a, -pi / 2, pi / 2);
  a.need(r.low >= -pi / 2 && r.high <= pi / 2, "bounds inside [-pi/2, pi/2]");
  return a.fault.empty() ? makeCosine(r.low, r.high) : nullptr;
}

PriorPointer powerLaw(Arguments &a) {
  const double alpha = a.number("alpha");
  const Range r(a);
  a.need(r.low > 0 || (r.low == 0 && alpha > -1), "minimum > 0 (0 is possible for alpha > -1)");
  return a.fault.empty() ? makePowerLaw(alpha, r.low, r.high, true) : nullptr;
}

PriorPointer positiveRange(Arguments &a, PriorPointer (*make)(double, double)) {
  const Range r(a);
  a.need(r.low > 0, "minimum > 0");
  return a.fault.empty() ? make(r.low, r.high) : nullptr;
}

PriorPointer gaussian(Arguments &a) {
  const double mu = a.number("mu"), sigma = a.number("sigma");
  a.need(sigma > 0, "sigma > 0");
  return a.fault.empty() ? makeGaussian(mu, sigma) : nullptr;
}

PriorPointer truncatedGaussian(Arguments &a) {
  const double mu = a.number("mu"), sigma = a.number("sigma");
  const Range r(a);
  a.need(sigma > 0, "sigma > 0");
  a.need(std::erf((r.high - mu) / sigma / std::numbers::sqrt2) >
             std::erf((r.low - mu) / sigma / std::numbers::sqrt2),
         "bounds that hold some of the Gaussian; these lie too far in its tail");
  return a.fault.empty() ? makeTruncatedGaussian(mu, sigma, r.low, r.high) : nullptr;
}

PriorPointer triangular(Arguments &a) {
  const double mode = a.number("mode");
  const Range r(a);
  a.need(mode >= r.low && mode <= r.high, "mode between minimum and maximum");
  return a.fault.empty() ? makeTriangular(mode, r.low, r.high) : nullptr;
}

PriorPointer interped(Arguments &a) {
  const std::vector<double> xx = a.list("xx"), yy = a.list("yy");
  a.need(xx.size() == yy.size() && xx.size() >= 2, "xx and yy of equal length, at least 2");
  a.need(std::adjacent_find(xx.begin(), xx.end(), std::greater_equal<>()) == xx.end(), "increasing xx");
  double total = 0;
  for (const double y : yy) {
    a.need(y >= 0 && std::isfinite(y), "yy >= 0");
    total += y;
  }
  a.need(total > 0, "some yy > 0");
  if (!a.fault.empty())
    return nullptr;
  const double low = std::max(xx.front(), a.number("minimum", xx.front()));
  const double high = std::min(xx.back(), a.number("maximum", xx.back()));
  a.need(low < high, "minimum < maximum inside xx");
  return a.fault.empty() ? makeInterpolated(xx, yy, low, high) : nullptr;
}

PriorPointer massRatio(Arguments &a) {
  const Range r(a);
  a.need(r.low > 0, "minimum > 0");
  const bool equalMass = a.flag("equal_mass");
  return a.fault.empty() ? makeComponentsMassRatio(r.low, r.high, equalMass) : nullptr;
}

/// The bounds of a Uniform argument, or the given ones when it is absent.
Range uniformArgument(Arguments &a, const std::string &name, double low, double high) {
  const PriorCall none{"", "Uniform", {{"minimum", low}, {"maximum", high}}};
  const PriorCall *call = a.prior(name);
  Arguments inner(call ? *call : none, {"minimum", "maximum"});
  a.need(!call || call->className == "Uniform", "a Uniform " + name + " (others are not served)");
  const Range range(inner);
  a.need(inner.fault.empty(), "a valid " + name + ": " + inner.fault);
  return range;
}

PriorPointer alignedSpin(Arguments &a) {
  const Range spin = uniformArgument(a, "a_prior", 0, 1), direction = uniformArgument(a, "z_prior", -1, 1);
  a.need(direction.low == -1 && direction.high == 1, "z_prior Uniform(-1, 1) (others are not served)");
  a.need(spin.low >= 0, "an a_prior of positive spins");
  const double points = a.number("num_interp", 100000);
  a.need(points >= 4 && points <= 1e7 && std::fmod(points, 2) == 0, "an even num_interp up to 10 million");
  std::optional<double> low, high;
  if (a.has("minimum"))
    low = a.number("minimum");
  if (a.has("maximum"))
    high = a.number("maximum");
  if (!a.fault.empty())
    return nullptr;
  a.need(low.value_or(-spin.high) < high.value_or(spin.high), "minimum < maximum");
  a.need(low.value_or(-spin.high) < spin.high && high.value_or(spin.high) > -spin.high,
         "bounds inside the spins");
  return a.fault.empty() ? makeAlignedSpin(spin.low, spin.high, low, high, static_cast<std::size_t>(points))
                         : nullptr;
}

PriorPointer cosmological(Arguments &a, bool sourceFrame) {
  static const std::map<std::string, CosmologicalVariable> variables = {
      {"luminosity_distance", CosmologicalVariable::LuminosityDistance},
      {"comoving_distance", CosmologicalVariable::ComovingDistance},
      {"redshift", CosmologicalVariable::Redshift}};
  const Range r(a);
  a.need(r.low >= 0, "minimum >= 0");
  const auto variable = variables.find(a.text("name"));
  a.need(variable != variables.end(), "name='luminosity_distance', 'comoving_distance' or 'redshift'");
  const std::string cosmology = a.text("cosmology");
  a.need(cosmology.empty() || cosmology == "Planck15", "cosmology='Planck15' (others are not served)");
  const std::string unit = a.text("unit");
  a.need(unit.empty() || unit == "Mpc", "distances in Mpc");
  if (a.fault.empty()) {
    // Beyond this the distance grid has no meaning: z of a comoving distance is bounded.
    const bool comoving = variable->second == CosmologicalVariable::ComovingDistance;
    a.need(!comoving || r.high < 12000, "a comoving distance below 12000 Mpc");
    a.need(comoving || r.high < 1e7, "a maximum below 1e7");
  }
  return a.fault.empty() ? makeCosmological(variable->second, sourceFrame, r.low, r.high) : nullptr;
}

const std::vector<Maker> &makers() {
  static const std::vector<std::string> range = {"minimum", "maximum"};
  static const std::vector<std::string> cosmology = {"minimum", "maximum", "cosmology"};
  static const std::vector<Maker> table = {
      {"Uniform", range,
       [](Arguments &a) {
         const Range r(a);
         return a.fault.empty() ? makeUniform(r.low, r.high) : nullptr;
       }},
      {"Sine", range, sine},
      {"Cosine", range, cosine},
      {"PowerLaw", {"alpha", "minimum", "maximum"}, powerLaw},
      {"LogUniform", range,
       [](Arguments &a) {
         return positiveRange(a, [](double low, double high) { return makePowerLaw(-1, low, high, false); });
       }},
      {"SymmetricLogUniform", range, [](Arguments &a) { return positiveRange(a, makeSymmetricLogUniform); }},
      {"Gaussian", {"mu", "sigma"}, gaussian},
      {"Normal", {"mu", "sigma"}, gaussian},
      {"TruncatedGaussian", {"mu", "sigma", "minimum", "maximum"}, truncatedGaussian},
      {"TruncatedNormal", {"mu", "sigma", "minimum", "maximum"}, truncatedGaussian},
      {"Triangular", {"mode", "minimum", "maximum"}, triangular},
      {"DeltaFunction",
       {"peak"},
       [](Arguments &a) {
         const double peak = a.number("peak");
         return a.fault.empty() ? makeDelta(peak) : nullptr;
       }},
      {"Interped", {"xx", "yy", "minimum", "maximum"}, interped},
      {"UniformComovingVolume", cosmology, [](Arguments &a) { return cosmological(a, false); }},
      {"UniformSourceFrame", cosmology, [](Arguments &a) { return cosmological(a, true); }},
      {"UniformInComponentsChirpMass", range,
       [](Arguments &a) {
         return positiveRange(a, [](double low, double high) { return makePowerLaw(1, low, high, false); });
       }},
      {"UniformInComponentsMassRatio",
       {"minimum", "maximum", "name", "latex_label", "unit", "boundary", "equal_mass"},
       massRatio},
      {"AlignedSpin",
       {"a_prior", "z_prior", "name", "latex_label", "unit", "boundary", "minimum", "maximum", "num_interp"},
       alignedSpin},
  };
  return table;
}

/// Python's float() of a whole text.
std::optional<double> wholeNumber(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  if (!text.empty() && text.front() == '+')
    text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

} // namespace

std::span<const ExtrinsicDefault> extrinsicDefaults() {
  static const ExtrinsicDefault table[] = {
      {"dec", "bilby.core.prior.Cosine(minimum=-np.pi/2, maximum=np.pi/2, name='dec')"},
      {"ra", "bilby.core.prior.Uniform(minimum=0., maximum=2*np.pi, boundary=\"periodic\", name=\"ra\")"},
      {"geocent_time", "bilby.core.prior.Uniform(minimum=-0.1, maximum=0.1, name='geocent_time')"},
      {"psi", "bilby.core.prior.Uniform(minimum=0.0, maximum=np.pi, boundary=\"periodic\", name=\"psi\")"},
      {"luminosity_distance",
       "bilby.core.prior.Uniform(minimum=100.0, maximum=6000.0, name='luminosity_distance')"}};
  return table;
}

std::string expandDefaultPrior(std::string_view name, std::string_view expression) {
  std::string lower(expression);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "default")
    for (const ExtrinsicDefault &entry : extrinsicDefaults())
      if (name == entry.name)
        return entry.expression;
  return std::string(expression);
}

std::vector<std::string> knownPriorClasses() {
  std::vector<std::string> names;
  for (const Maker &maker : makers())
    names.emplace_back(maker.className);
  return names;
}

Result<Prior> parsePrior(std::string_view name, std::string_view expression) {
  const std::string context = "the prior of " + std::string(name);
  const std::string text = expandDefaultPrior(name, expression);
  if (const auto number = wholeNumber(text)) {
    if (!std::isfinite(*number))
      return Status::error(context + ": a fixed value must be finite, found " + text);
    return Prior("DeltaFunction", makeDelta(*number));
  }
  Result<PriorCall> call = parsePriorExpression(text);
  if (!call)
    return call.status().withContext(context);
  if (!call->module.empty() && call->module != "bilby" && !call->module.starts_with("bilby."))
    return Status::error(context + ": only bilby's priors are served, not " + call->module + "." +
                         call->className);
  for (const Maker &maker : makers()) {
    if (call->className != maker.className)
      continue;
    Arguments arguments(*call, maker.signature);
    PriorPointer family = arguments.fault.empty() ? maker.make(arguments) : nullptr;
    if (!family)
      return Status::error(context + ": " + arguments.fault + "; found " + text);
    return Prior(call->className, std::move(family));
  }
  std::string known;
  for (const std::string &className : knownPriorClasses())
    known += (known.empty() ? "" : ", ") + className;
  return Status::error(context + ": the class " + call->className + " is not served; known: " + known);
}

} // namespace kowari::data
