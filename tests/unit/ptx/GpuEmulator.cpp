//===- GpuEmulator.cpp - gpu kernels on the CPU ---------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "GpuEmulator.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

#include <array>
#include <bit>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <ucontext.h>

namespace kowari::test {

namespace {

constexpr unsigned warpSize = 32;

struct Fiber {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(256 * 1024);
  bool done = false;
  unsigned parity = 0;
};

/// The thread that runs now, and the warp it belongs to.
struct Machine {
  int32_t thread[2], block[2], blockSize[2], gridSize[2];
  std::array<Fiber, warpSize> lanes;
  ucontext_t scheduler;
  int32_t posted[2][warpSize]; // what each lane shows the others, for even and odd shuffles
  std::function<void()> body;
};
Machine machine;

/// Lets the other lanes run to the same place.
void yieldLane() {
  Fiber &fiber = machine.lanes[machine.thread[0]];
  swapcontext(&fiber.context, &machine.scheduler);
}

int32_t shuffleBits(int32_t value, int32_t offset) {
  int32_t lane = machine.thread[0];
  unsigned parity = machine.lanes[lane].parity++ % 2;
  machine.posted[parity][lane] = value;
  yieldLane();
  return machine.posted[parity][lane ^ offset];
}

void runLane() {
  machine.body();
  machine.lanes[machine.thread[0]].done = true;
}

void runWarp() {
  for (Fiber &fiber : machine.lanes) {
    getcontext(&fiber.context);
    fiber.context.uc_stack = {fiber.stack.data(), 0, fiber.stack.size()};
    fiber.context.uc_link = &machine.scheduler;
    fiber.done = false;
    fiber.parity = 0;
    makecontext(&fiber.context, runLane, 0);
  }
  for (bool running = true; running;) {
    running = false;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      if (machine.lanes[lane].done)
        continue;
      machine.thread[0] = lane;
      swapcontext(&machine.scheduler, &machine.lanes[lane].context);
      running = true;
    }
  }
}

} // namespace

extern "C" {
int32_t emulatedThreadX() { return machine.thread[0]; }
int32_t emulatedThreadY() { return machine.thread[1]; }
int32_t emulatedBlockX() { return machine.block[0]; }
int32_t emulatedBlockY() { return machine.block[1]; }
int32_t emulatedBlockSizeX() { return machine.blockSize[0]; }
int32_t emulatedBlockSizeY() { return machine.blockSize[1]; }
int32_t emulatedGridSizeX() { return machine.gridSize[0]; }
int32_t emulatedGridSizeY() { return machine.gridSize[1]; }
int32_t emulatedShuffleInt(int32_t, int32_t value, int32_t offset, int32_t) {
  return shuffleBits(value, offset);
}
float emulatedShuffleFloat(int32_t, float value, int32_t offset, int32_t) {
  return std::bit_cast<float>(shuffleBits(std::bit_cast<int32_t>(value), offset));
}
void emulatedWarpBarrier(int32_t) { yieldLane(); }
}

/// What stands for an intrinsic of nvvm, or null.
static void *findIntrinsic(llvm::StringRef name) {
  static const std::map<llvm::StringRef, void *> functions = {
      {"llvm.nvvm.read.ptx.sreg.tid.x", (void *)emulatedThreadX},
      {"llvm.nvvm.read.ptx.sreg.tid.y", (void *)emulatedThreadY},
      {"llvm.nvvm.read.ptx.sreg.ctaid.x", (void *)emulatedBlockX},
      {"llvm.nvvm.read.ptx.sreg.ctaid.y", (void *)emulatedBlockY},
      {"llvm.nvvm.read.ptx.sreg.ntid.x", (void *)emulatedBlockSizeX},
      {"llvm.nvvm.read.ptx.sreg.ntid.y", (void *)emulatedBlockSizeY},
      {"llvm.nvvm.read.ptx.sreg.nctaid.x", (void *)emulatedGridSizeX},
      {"llvm.nvvm.read.ptx.sreg.nctaid.y", (void *)emulatedGridSizeY},
      {"llvm.nvvm.shfl.sync.bfly.i32", (void *)emulatedShuffleInt},
      {"llvm.nvvm.shfl.sync.bfly.f32", (void *)emulatedShuffleFloat},
      {"llvm.nvvm.bar.warp.sync", (void *)emulatedWarpBarrier},
  };
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

static void *findSubstitute(llvm::StringRef name) {
  if (name.consume_front("__nv_"))
    return dlsym(RTLD_DEFAULT, name.str().c_str());
  return findIntrinsic(name);
}

/// Redirects a declaration to an ordinary function that the JIT resolves.
static Status redirect(llvm::Function &function, std::vector<std::pair<std::string, void *>> &symbols) {
  void *substitute = findSubstitute(function.getName());
  if (!substitute)
    return Status::error("the emulator knows no " + function.getName().str());
  std::string name = "emulated." + function.getName().str();
  llvm::Module &code = *function.getParent();
  llvm::Function *target =
      llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, code);
  function.replaceAllUsesWith(target);
  symbols.emplace_back(name, substitute);
  return Status::ok();
}

/// A function void(const int64_t *words) that calls the kernel with the words as its arguments.
static void addWrapper(llvm::Function &kernel) {
  llvm::Module &code = *kernel.getParent();
  llvm::LLVMContext &context = code.getContext();
  llvm::IRBuilder<> b(context);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *wrapper =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "run." + kernel.getName().str(), code);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", wrapper));
  std::vector<llvm::Value *> arguments;
  for (llvm::Argument &argument : kernel.args()) {
    llvm::Value *slot = b.CreateConstGEP1_64(b.getInt64Ty(), wrapper->getArg(0), argument.getArgNo());
    arguments.push_back(b.CreateLoad(argument.getType(), slot));
  }
  b.CreateCall(&kernel, arguments);
  b.CreateRetVoid();
}

struct GpuEmulator::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

GpuEmulator::GpuEmulator(std::unique_ptr<State> compiled) : state(std::move(compiled)) {}
GpuEmulator::GpuEmulator(GpuEmulator &&) noexcept = default;
GpuEmulator::~GpuEmulator() = default;

Result<GpuEmulator> GpuEmulator::create(const cuda::PtxEmitter &emitter) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return Status::error(llvm::toString(jit.takeError()));
  auto context = std::make_unique<llvm::LLVMContext>();
  KOWARI_ASSIGN(std::unique_ptr<llvm::Module> code, emitter.translate(*context));
  code->setTargetTriple((*jit)->getTargetTriple());
  code->setDataLayout((*jit)->getDataLayout());
  std::vector<std::pair<std::string, void *>> symbols;
  std::vector<llvm::Function *> kernels, declarations;
  for (llvm::Function &function : *code) {
    if (!function.isDeclaration())
      kernels.push_back(&function);
    else if (function.getName().starts_with("llvm.nvvm.") || function.getName().starts_with("__nv_"))
      declarations.push_back(&function);
  }
  for (llvm::Function *function : declarations)
    KOWARI_TRY(redirect(*function, symbols));
  for (llvm::Function *kernel : kernels) {
    kernel->setCallingConv(llvm::CallingConv::C);
    addWrapper(*kernel);
  }
  llvm::orc::SymbolMap map;
  for (auto &[name, address] : symbols)
    map[(*jit)->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                          llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(map))))
    return Status::error(llvm::toString(std::move(error)));
  if (llvm::Error error = (*jit)->addIRModule({std::move(code), std::move(context)}))
    return Status::error(llvm::toString(std::move(error)));
  auto state = std::make_unique<State>();
  state->jit = std::move(*jit);
  return GpuEmulator(std::move(state));
}

void GpuEmulator::run(const cuda::GpuLaunch &launch, unsigned gridX, unsigned gridY,
                      const std::vector<int64_t> &words) const {
  auto address = llvm::cantFail(state->jit->lookup("run." + launch.kernel));
  auto *kernel = address.toPtr<void (*)(const int64_t *)>();
  machine.body = [&] { kernel(words.data()); };
  machine.blockSize[0] = launch.blockX;
  machine.blockSize[1] = launch.blockY;
  machine.gridSize[0] = gridX;
  machine.gridSize[1] = gridY;
  for (unsigned block = 0; block < gridX * gridY; ++block) {
    machine.block[0] = block % gridX;
    machine.block[1] = block / gridX;
    for (unsigned y = 0; y < launch.blockY; ++y) {
      machine.thread[1] = y;
      if (launch.mapping == cuda::ThreadMapping::Warps) {
        runWarp();
        continue;
      }
      for (unsigned x = 0; x < launch.blockX; ++x) {
        machine.thread[0] = x;
        machine.body();
      }
    }
  }
}

} // namespace kowari::test
