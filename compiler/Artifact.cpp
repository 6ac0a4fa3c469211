//===- Artifact.cpp - a planned module as an artifact's manifest ----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/Artifact.h"
#include "BuildId.h"
#include "dialects/flow/FlowOps.h"
#include "dialects/plan/PlanOps.h"
#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/plan_generated.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kowari {

namespace fb = plan::fb;

namespace {

class ManifestWriter {
public:
  ManifestWriter(ModuleOp planned, const ProgramSpec &programSpec, const codegen::CpuTarget &cpuTarget)
      : module(planned), spec(programSpec), target(cpuTarget) {}

  std::vector<uint8_t> write() {
    auto tensors = writePersistentTensors();
    auto kernels = writeKernels();
    std::vector<flatbuffers::Offset<fb::Entry>> entries;
    for (auto program : module.getOps<plan::ProgramOp>())
      entries.push_back(writeEntry(program));
    auto features = b.CreateVectorOfStrings(target.required);
    auto manifest =
        fb::CreateManifest(b, plan::formatVersion, b.CreateString(KOWARI_BUILD_ID),
                           b.CreateString(target.name), features, b.CreateString(spec.toCanonicalJson()),
                           spec.elementType == ElementType::F64 ? fb::DType::F64 : fb::DType::F32,
                           getInteger("plan.max_rows"), getInteger("plan.arena_bytes"),
                           getInteger("plan.persistent_bytes"), tensors, kernels, b.CreateVector(entries));
    b.Finish(manifest, fb::ManifestIdentifier());
    return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
  }

private:
  int64_t getInteger(StringRef attribute) { return module->getAttrOfType<IntegerAttr>(attribute).getInt(); }

  static fb::DType getDType(Type type) {
    if (type.isF64())
      return fb::DType::F64;
    if (type.isF32())
      return fb::DType::F32;
    return type.isInteger(32) ? fb::DType::I32 : fb::DType::I64;
  }

  static fb::View makeView(plan::ViewType type, int64_t offset) {
    return fb::View(offset, type.getDim0(), type.getDim1(), type.getStride0(), type.getStride1(),
                    getDType(type.getElementType()));
  }

  fb::View makeView(Value view) {
    auto type = cast<plan::ViewType>(view.getType());
    auto [base, elements] = plan::getBase(view);
    int64_t start = isa<plan::BufferOp>(base) ? *cast<plan::BufferOp>(base).getOffset()
                                              : cast<plan::PersistentOp>(base).getOffset();
    return makeView(type, start + elements * plan::getElementBytes(type.getElementType()));
  }

  static fb::TensorKind getKind(StringRef kind) {
    return llvm::StringSwitch<fb::TensorKind>(kind)
        .Case("parameter", fb::TensorKind::Parameter)
        .Case("state", fb::TensorKind::State)
        .Case("constant", fb::TensorKind::Constant)
        .Case("optimizer", fb::TensorKind::OptimizerState)
        .Case("scalar", fb::TensorKind::Scalar)
        .Default(fb::TensorKind::Input);
  }

  static fb::InitKind getInit(StringRef init) {
    return llvm::StringSwitch<fb::InitKind>(init)
        .Case("uniform", fb::InitKind::Uniform)
        .Case("fill", fb::InitKind::Fill)
        .Case("permutation", fb::InitKind::Permutation)
        .Default(fb::InitKind::None);
  }

  flatbuffers::Offset<fb::Tensor> writeTensor(plan::TensorOp op) {
    fb::View view = makeView(op.getView(), op.getOffset());
    std::vector<uint8_t> trainable;
    for (bool flag : op.getTrainable())
      trainable.push_back(flag);
    auto name = b.CreateString(op.getSymName().str());
    auto shape = b.CreateVector(op.getShape().data(), op.getShape().size());
    auto flags = b.CreateVector(trainable);
    return fb::CreateTensor(b, name, getKind(op.getKind()), shape, &view, getInit(op.getInit()),
                            op.getInitValue().convertToDouble(), flags);
  }

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Tensor>>> writePersistentTensors() {
    std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
    for (auto op : module.getOps<plan::TensorOp>())
      tensors.push_back(writeTensor(op));
    return b.CreateVector(tensors);
  }

  /// Rough operations a point, so that the runtime can tell how many threads pay.
  static float estimateCost(func::FuncOp kernel) {
    float cost = 0;
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      StringRef name = op.getName().stripDialect();
      cost += name.starts_with("rq_spline") ? 400
              : name.starts_with("lu_")     ? 200
              : name == "add_white_noise"   ? 60
                                            : 4;
    }
    return cost;
  }

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Kernel>>> writeKernels() {
    std::vector<flatbuffers::Offset<fb::Kernel>> kernels;
    for (auto kernel : module.getOps<func::FuncOp>()) {
      auto schedule = kernel->getAttrOfType<DictionaryAttr>("flow.kernel");
      if (!schedule)
        continue;
      kernelNumbers[kernel.getSymName()] = kernels.size();
      bool rows = schedule.getAs<StringAttr>("lanes").getValue() == "rows";
      auto chunks = llvm::StringSwitch<fb::Chunks>(schedule.getAs<StringAttr>("chunks").getValue())
                        .Case("rows", fb::Chunks::Rows)
                        .Case("columns", fb::Chunks::Columns)
                        .Default(fb::Chunks::None);
      kernels.push_back(fb::CreateKernel(b, b.CreateString(kernel.getSymName().str()),
                                         rows ? fb::Lanes::Rows : fb::Lanes::Columns, chunks,
                                         estimateCost(kernel), kernel.getNumResults()));
    }
    return b.CreateVector(kernels);
  }

  flatbuffers::Offset<fb::Entry> writeEntry(plan::ProgramOp program) {
    std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
    std::vector<flatbuffers::Offset<fb::Step>> steps;
    for (Operation &op : program.getBlock()) {
      if (auto input = dyn_cast<plan::InputOp>(op)) {
        auto tensor = SymbolTable::lookupNearestSymbolFrom<plan::TensorOp>(module, input.getTensorAttr());
        tensors.push_back(writeTensor(tensor));
      } else if (auto output = dyn_cast<plan::OutputOp>(op)) {
        fb::View view = makeView(output.getView());
        auto name = b.CreateString(output.getName().str());
        auto shape = b.CreateVector(output.getShape().data(), output.getShape().size());
        auto none = b.CreateVector(std::vector<uint8_t>());
        tensors.push_back(
            fb::CreateTensor(b, name, fb::TensorKind::Output, shape, &view, fb::InitKind::None, 0.0, none));
      } else if (isa<plan::StepOpInterface>(op)) {
        steps.push_back(writeStep(&op));
      }
    }
    auto name = b.CreateString(program.getSymName().str());
    return fb::CreateEntry(b, name, b.CreateVector(tensors), b.CreateVector(steps));
  }

  flatbuffers::Offset<fb::Step> makeStep(fb::StepKind kind, flatbuffers::Offset<void> what, StringRef label,
                                         StringRef group) {
    auto labelString = b.CreateSharedString(label.str()), groupString = b.CreateSharedString(group.str());
    return fb::CreateStep(b, kind, what, labelString, groupString);
  }

  flatbuffers::Offset<fb::Step> writeStep(Operation *op) {
    return llvm::TypeSwitch<Operation *, flatbuffers::Offset<fb::Step>>(op)
        .Case([&](plan::KernelOp kernel) { return writeKernel(kernel); })
        .Case([&](plan::GemmOp gemm) { return writeGemm(gemm); })
        .Case([&](plan::CopyOp copy) {
          fb::View source = makeView(copy.getSource()), destination = makeView(copy.getTarget());
          return makeStep(fb::StepKind::CopyStep, fb::CreateCopyStep(b, &source, &destination).Union(),
                          "copy", "copy");
        })
        .Case([&](plan::GatherOp gather) {
          fb::View table = makeView(gather.getTable()), index = makeView(gather.getIndex());
          fb::View destination = makeView(gather.getTarget());
          auto what = fb::CreateGatherStep(b, &table, &index, &destination);
          return makeStep(fb::StepKind::GatherStep, what.Union(), "gather", "data");
        })
        .Case([&](plan::FillOp fill) {
          fb::View view = makeView(fill.getTarget());
          double value = fill.getValue().convertToDouble();
          return makeStep(fb::StepKind::FillStep, fb::CreateFillStep(b, &view, value).Union(), "fill",
                          "copy");
        })
        .Case([&](plan::AllReduceOp reduce) {
          fb::View view = makeView(reduce.getTarget());
          auto what = fb::CreateCollectiveStep(b, &view, fb::Reduction::Sum, reduce.getStream());
          return makeStep(fb::StepKind::CollectiveStep, what.Union(), "all_reduce", "collective");
        })
        .Case([&](plan::RecordOp record) {
          auto what = fb::CreateRecordStep(b, record.getEvent(), record.getStream());
          return makeStep(fb::StepKind::RecordStep, what.Union(), "record", "collective");
        })
        .Case([&](plan::WaitOp wait) {
          auto what = fb::CreateWaitStep(b, wait.getEvent(), wait.getStream());
          return makeStep(fb::StepKind::WaitStep, what.Union(), "wait", "collective");
        });
  }

  flatbuffers::Offset<fb::Step> writeKernel(plan::KernelOp kernel) {
    std::vector<fb::View> operands;
    for (Value v : kernel.getInputs())
      operands.push_back(makeView(v));
    for (Value v : kernel.getOutputs())
      operands.push_back(makeView(v));
    auto what = fb::CreateKernelStep(b, kernelNumbers.lookup(kernel.getKernel()), kernel.getRows(),
                                     kernel.getColumns(), b.CreateVectorOfStructs(operands));
    return makeStep(fb::StepKind::KernelStep, what.Union(), kernel.getKernel(), kernel.getGroup());
  }

  flatbuffers::Offset<fb::Step> writeGemm(plan::GemmOp gemm) {
    fb::View left = makeView(gemm.getA()), right = makeView(gemm.getB()), result = makeView(gemm.getC());
    fb::View bias;
    if (gemm.getBias())
      bias = makeView(gemm.getBias());
    auto what = fb::CreateGemmStep(b, &left, &right, &result, gemm.getBias() ? &bias : nullptr,
                                   gemm.getAccumulate(), fb::Library::Auto);
    return makeStep(fb::StepKind::GemmStep, what.Union(), describeProduct(gemm), "gemm");
  }

  /// "gemm m x n x k", rows for the row count of the call; a and b with T where their columns are contiguous.
  static std::string describeProduct(plan::GemmOp gemm) {
    auto a = cast<plan::ViewType>(gemm.getA().getType()), right = cast<plan::ViewType>(gemm.getB().getType());
    auto show = [](int64_t dim) {
      return dim == plan::rowsOfCall ? std::string("rows") : std::to_string(dim);
    };
    auto transposed = [](plan::ViewType view) { return view.getStride1() == 1 ? "N" : "T"; };
    return "gemm " + show(a.getDim0()) + "x" + show(right.getDim1()) + "x" + show(a.getDim1()) + " " +
           transposed(a) + transposed(right);
  }

  ModuleOp module;
  const ProgramSpec &spec;
  const codegen::CpuTarget &target;
  flatbuffers::FlatBufferBuilder b;
  llvm::StringMap<uint32_t> kernelNumbers;
};

} // namespace

std::vector<uint8_t> buildManifest(ModuleOp module, const ProgramSpec &spec,
                                   const codegen::CpuTarget &target) {
  return ManifestWriter(module, spec, target).write();
}

} // namespace kowari
