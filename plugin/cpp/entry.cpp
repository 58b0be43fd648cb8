//===- entry.cpp - Registration with the host's pass builder --------------===//
//
// Consumes: the host's PassBuilder. Produces: one run of the Rust side over each
// module, at the points where one of our hosts gives us a useful view:
//
//  - pipeline start: the loads and stores are as the source wrote them;
//  - optimizer early: for modules that never passed the first point, and for
//    rustc's and the linker's second look with bodies imported from elsewhere;
//  - the start of full and of thin link-time optimisation, where the bodies of
//    other units are there; deferral.cpp keeps them readable until then.
//
// Refuses: -O0, device triples, HEXPASS=off. A function is looked at once (see
// SeenAttribute). Options are environment variables: a cl::opt registered by a
// plugin breaks hosts that parse their options before they load it.
//
//===----------------------------------------------------------------------===//

#include "deferral.h"
#include "internal.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdlib>
#include <memory>

using namespace llvm;
using namespace hexpass;

namespace {

bool switchedOff() {
  const char *Value = std::getenv("HEXPASS");
  return Value && StringRef(Value) == "off";
}

/// Code for a device, written by a host compiler's own offloading.
bool isDeviceCode(const Module &M) {
  const Triple &T = M.getTargetTriple();
  return T.isNVPTX() || T.isAMDGPU() || T.isSPIRV() || T.isSPIROrSPIRV();
}

/// The compile step of a link-time optimisation.
bool linksLater(const Module &M, ShimPoint Point) {
  return Point == ShimPointPipelineStart &&
         (M.getModuleFlag("ThinLTO") || M.getModuleFlag("EnableSplitLTOUnit"));
}

class HexpassPass : public PassInfoMixin<HexpassPass> {
public:
  explicit HexpassPass(ShimPoint Point, std::shared_ptr<Idle> Settled = nullptr)
      : Point(Point), Settled(std::move(Settled)) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (switchedOff() || isDeviceCode(M))
      return PreservedAnalyses::all();
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    ShimContext Ctx{M, FAM, Point, Look(linksLater(M, Point)),
                    linksLater(M, Point) ? nullptr : Settled.get(), nullptr, std::nullopt};
    SmallPtrSet<const Function *, 32> Before;
    for (const Function &F : M)
      if (Point == ShimPointLinkTime && !F.isDeclaration())
        Before.insert(&F);
    bool Typed = Point == ShimPointLinkTime && giveCallsTheirTypes(M);
    bool Changed = hexpass_run_on_module(llvm::wrap(&M), &Ctx);
    if (Changed && Point == ShimPointLinkTime)
      deferNew(M, Before);
    return Changed || Typed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

private:
  ShimPoint Point;
  std::shared_ptr<Idle> Settled;
};

void addAt(ShimPoint Point, ModulePassManager &MPM, OptimizationLevel Level,
           std::shared_ptr<Idle> Settled = nullptr) {
  if (Level != OptimizationLevel::O0)
    MPM.addPass(HexpassPass(Point, std::move(Settled)));
}

bool isLTOPreLink(ThinOrFullLTOPhase Phase) {
  return Phase == ThinOrFullLTOPhase::ThinLTOPreLink ||
         Phase == ThinOrFullLTOPhase::FullLTOPreLink;
}

/// The compile step of a link-time optimisation ends.
void atOptimizerLast(ModulePassManager &MPM, OptimizationLevel Level,
                     ThinOrFullLTOPhase Phase) {
  if (isLTOPreLink(Phase) && Level != OptimizationLevel::O0)
    MPM.addPass(ReleaseBodies(Phase == ThinOrFullLTOPhase::ThinLTOPreLink));
}

/// The compile step's first clean-up is done, or a thin link begins.
void atEarlySimplification(ModulePassManager &MPM, OptimizationLevel Level,
                           ThinOrFullLTOPhase Phase) {
  if (Level == OptimizationLevel::O0)
    return;
  if (isLTOPreLink(Phase))
    MPM.addPass(DeferBodies());
  if (Phase != ThinOrFullLTOPhase::ThinLTOPostLink)
    return;
  MPM.addPass(ReceiveBodies());
  addAt(ShimPointLinkTime, MPM, Level);
  // The rest of this pipeline simplifies them anyhow.
  MPM.addPass(SimplifyBodies(FunctionPassManager()));
}

/// What the compile step of a link-time optimisation does to a function: the link
/// cleans up behind its vectoriser, and not behind the link's own.
FunctionPassManager compileStep(PassBuilder &PB, OptimizationLevel Level) {
  FunctionPassManager FPM = PB.buildFunctionSimplificationPipeline(
      Level, ThinOrFullLTOPhase::FullLTOPreLink);
  if (Level.getSpeedupLevel() > 1)
    consumeError(PB.parsePassPipeline(
        FPM, "loop(loop-rotate,loop-deletion),loop-distribute,"
             "inject-tli-mappings,loop-vectorize,infer-alignment,"
             "loop-load-elim,instcombine<no-verify-fixpoint>,simplifycfg,slp-vectorizer,"
             "vector-combine,instcombine<no-verify-fixpoint>"));
  return FPM;
}

void atFullLink(PassBuilder &PB, ModulePassManager &MPM,
                OptimizationLevel Level) {
  if (Level == OptimizationLevel::O0)
    return;
  addAt(ShimPointLinkTime, MPM, Level);
  MPM.addPass(SimplifyBodies(compileStep(PB, Level)));
}

} // namespace

// plugin/src/entry.rs, which answers for the plugin, says so in Rust.
static_assert(LLVM_VERSION_MAJOR == 22 && LLVM_PLUGIN_API_VERSION == 2);

ShimPoint shim_point(const ShimContext *Ctx) { return Ctx->Point; }

bool shim_links_later(const ShimContext *Ctx) {
  return linksLater(Ctx->M, Ctx->Point);
}

bool shim_calls_away(const ShimAnalyses *A, ShimLoopRef In) {
  return callsAway(*hexpass::unwrap(In), A->TLI);
}

void shim_defer(ShimContext *Ctx, LLVMValueRef Function_) {
  auto &F = *cast<Function>(llvm::unwrap(Function_));
  deferLook(F);
  if (Ctx->Snapshot)
    Ctx->Snapshot->keepAttributes(F);
}

void shim_register(void *Builder) {
  auto &PB = *static_cast<PassBuilder *>(Builder);
  auto Settled = std::make_shared<Idle>();
  PB.registerPipelineStartEPCallback(
      [Settled](ModulePassManager &MPM, OptimizationLevel Level) {
        addAt(ShimPointPipelineStart, MPM, Level, Settled);
      });
  PB.registerPipelineEarlySimplificationEPCallback(atEarlySimplification);
  PB.registerOptimizerEarlyEPCallback([Settled](ModulePassManager &MPM,
                                                OptimizationLevel Level,
                                                ThinOrFullLTOPhase Phase) {
    addAt(ShimPointOptimizerEarly, MPM, Level,
          Phase == ThinOrFullLTOPhase::None ? Settled : nullptr);
  });
  PB.registerOptimizerLastEPCallback(atOptimizerLast);
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [&PB](ModulePassManager &MPM, OptimizationLevel Level) {
        atFullLink(PB, MPM, Level);
      });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        auto Point = StringSwitch<std::optional<ShimPoint>>(Name)
                         .Case("hexpass", ShimPointExplicit)
                         .Case("hexpass-canonicalise", ShimPointCanonicalise)
                         .Case("hexpass-describe", ShimPointDescribe)
                         .Default(std::nullopt);
        if (Point)
          MPM.addPass(HexpassPass(*Point));
        return Point.has_value();
      });
}
