//===- canonicalise.cpp - Inlining and clean-up of a working copy ---------===//
//
// Consumes: a fresh working copy. Produces: the same computation with the bodies
// of called functions in place, scalars in registers, loops in simplified and
// closed form, still tested at the top, with every load and store of the source
// still there.
//
// Left out on purpose: load PRE (it turns a[i-1] + a[i] + a[i+1] into values
// carried by phis), promotion of memory to registers across a loop (but for counters), rotation,
// loop idioms (a copied row would become a memcpy), unrolling.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "internal.h"
#include "look.h"
#include "loops.h"
#include "llvm/IR/ValueMap.h"
#include "switches.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace hexpass {

namespace {

/// How many calls deep an inlined body may come from.
constexpr unsigned MaxDepth = 16;
/// Instructions of a callee that is called inside a loop.
constexpr unsigned MaxCalleeInLoop = 4000;
/// Instructions of a callee outside loops: enough for accessors, whose pointer
/// arguments would otherwise keep a variable in memory.
constexpr unsigned MaxCalleeElsewhere = 80;
/// Instructions of a callee of which nothing is needed but that its arguments
/// don't keep a variable in memory.
constexpr unsigned MaxAside = 300;
/// Instructions of the whole copy.
constexpr unsigned MaxCopy = 40000;
/// Where all that is swept are integers, which are everywhere in programs that
/// have no grid.
constexpr unsigned MaxCopyOfIntegers = 8000;

/// A call found in the copy, with the callees that led to it.
struct Site {
  CallBase *Call;
  SmallVector<const Function *, MaxDepth> Chain;
  bool InLoop;
};

class Inliner {
public:
  Inliner(Function &Copy, const Function &Original,
          Look &Cheap, FunctionAnalysisManager &FAM)
      : Copy(Copy), Original(Original), Cheap(Cheap), FAM(FAM),
        Size(Copy.getInstructionCount()) {}

  void run() {
    SmallVector<Site, 32> Work;
    auto &LI = FAM.getResult<LoopAnalysis>(Copy);
    SmallPtrSet<const BasicBlock *, 32> Hopeful;
    unsigned All = 0;
    for (const Loop *L : LI)
      if (unsigned Hopes = Cheap.hopes(*L)) {
        Hopeful.insert(L->block_begin(), L->block_end());
        All |= Hopes;
      }
    if (!(All & (1 << Floats)))
      Most = MaxCopyOfIntegers;
    // Taken from the end: what is in a loop has the first claim on the budget.
    for (bool InLoop : {false, true})
      for (Instruction &I : instructions(Copy))
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (Hopeful.contains(I.getParent()) == InLoop)
            Work.push_back({Call, {}, InLoop});
    while (!Work.empty()) {
      Site S = Work.pop_back_val();
      if (mayInline(S))
        inlineOne(S, Work);
    }
  }

private:
  bool mayInline(const Site &S) {
    Function *Callee = S.Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration() || S.Chain.size() >= MaxDepth)
      return false;
    if (Callee == &Original || is_contained(S.Chain, Callee) ||
        (S.InLoop && Callee->getInstructionCount() > MaxAside &&
         Cheap.isAside(*Callee)))
      return false;
    if (Callee->hasFnAttribute(Attribute::NoInline) || S.Call->isNoInline() ||
        Callee->hasFnAttribute(Attribute::Cold) || Callee->doesNotReturn() ||
        Callee->hasOptNone() || Callee->hasFnAttribute(TakenAttribute) ||
        Callee->isInterposable() || S.Call->isMustTailCall())
      return false;
    unsigned Cost = Callee->getInstructionCount();
    unsigned Limit = S.InLoop ? MaxCalleeInLoop : MaxCalleeElsewhere;
    return Cost <= Limit && Size + Cost <= Most && isCompatible(*Callee);
  }

  bool isCompatible(Function &Callee) {
    auto &TTI = FAM.getResult<TargetIRAnalysis>(Callee);
    return isInlineViable(Callee).isSuccess() &&
           TTI.areInlineCompatible(&Copy, &Callee) &&
           AttributeFuncs::areInlineCompatible(Copy, Callee) &&
           (Copy.nullPointerIsDefined() || !Callee.nullPointerIsDefined());
  }

  void inlineOne(const Site &S, SmallVectorImpl<Site> &Work) {
    Function *Callee = S.Call->getCalledFunction();
    auto Assumptions = [&](Function &F) -> AssumptionCache & {
      return FAM.getResult<AssumptionAnalysis>(F);
    };
    InlineFunctionInfo Info(Assumptions, nullptr, nullptr, nullptr,
                            /*UpdateProfile=*/false);
    if (!InlineFunction(*S.Call, Info, /*MergeAttributes=*/true,
                        &FAM.getResult<AAManager>(*Callee))
             .isSuccess())
      return;
    Size += Callee->getInstructionCount();
    auto Chain = S.Chain;
    Chain.push_back(Callee);
    bool BringsLoops = !FAM.getResult<LoopAnalysis>(*Callee).empty();
    if (S.InLoop || !BringsLoops || Info.InlinedCallSites.empty()) {
      for (CallBase *Call : Info.InlinedCallSites)
        Work.push_back({Call, Chain, S.InLoop});
      return;
    }
    DominatorTree DT(Copy);
    LoopInfo LI(DT);
    for (CallBase *Call : Info.InlinedCallSites)
      Work.push_back({Call, Chain, LI.getLoopFor(Call->getParent()) != nullptr});
  }

  Function &Copy;
  const Function &Original;
  Look &Cheap;
  FunctionAnalysisManager &FAM;
  unsigned Size;
  unsigned Most = MaxCopy;
};

SimplifyCFGOptions cfgOptions() {
  return SimplifyCFGOptions().convertSwitchRangeToICmp(true).needCanonicalLoops(
      true);
}

/// One round of scalar clean-up.
void addScalarPasses(FunctionPassManager &FPM) {
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  // Clean-up makes integers of short ones.
  FPM.addPass(ComplexCopies());
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(SimplifyCFGPass(cfgOptions()));
  FPM.addPass(InstCombinePass());
  FPM.addPass(KnownSelects());
}

/// What a load from either of two places says of whom it may meet. Clean-up makes two loads of it, which say nothing any
/// more: a sweep's pointers would be read again for each element.
class ChosenLoads {
public:
  explicit ChosenLoads(Function &F) {
    for (Instruction &I : instructions(F))
      if (auto *Load = dyn_cast<LoadInst>(&I))
        if (auto *Either = dyn_cast<SelectInst>(Load->getPointerOperand()))
          if (MDNode *Tag = Load->getMetadata(LLVMContext::MD_tbaa))
            for (Value *Place : {Either->getTrueValue(), Either->getFalseValue()})
              Tags[Place] = Tag;
    for (Instruction &I : instructions(F))
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && !Load->getMetadata(LLVMContext::MD_tbaa))
        Tags.erase(Load->getPointerOperand());
  }

  /// The values are used only where the source read them: what is true there is so wherever they are loaded.
  void restore(Function &F) const {
    for (Instruction &I : instructions(F))
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getType()->isPointerTy() &&
                                               !Load->getMetadata(LLVMContext::MD_tbaa))
        if (MDNode *Tag = Tags.lookup(Load->getPointerOperand()))
          Load->setMetadata(LLVMContext::MD_tbaa, Tag);
  }

private:
  ValueMap<Value *, MDNode *> Tags;
};

/// Preheaders, one latch, dedicated exits.
void addLoopSimplify(FunctionPassManager &FPM) {
  FPM.addPass(UniteLatches());
  FPM.addPass(LoopSimplifyPass());
}

template <typename Pass>
PreservedAnalyses runPass(Function &Copy, FunctionAnalysisManager &FAM) {
  return Pass().run(Copy, FAM);
}

} // namespace

void inlineForAnalysis(Function &Copy, const Function &Original, Look &Cheap,
                       FunctionAnalysisManager &FAM) {
  Inliner(Copy, Original, Cheap, FAM).run();
  // Early in a pipeline nobody has said yet what C's library allocates and frees.
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(Copy);
  for (Instruction &I : instructions(Copy))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction(); Callee && Callee->isDeclaration())
        inferNonMandatoryLibFuncAttrs(*Callee, TLI);
  FAM.invalidate(Copy, PreservedAnalyses::none());
}

void tidy(Function &Copy, FunctionAnalysisManager &FAM) {
  FunctionPassManager FPM;
  FPM.addPass(LowerExpectIntrinsicPass());
  addScalarPasses(FPM);
  FPM.addPass(BranchSwitches());
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
}

void separatePaths(Function &Copy, FunctionAnalysisManager &FAM, bool &Whole, bool &Merged) {
  FunctionPassManager FPM;
  if (PreservedAnalyses Kept = ComplexProducts().run(Copy, FAM); !Kept.areAllPreserved()) {
    Merged = true;
    FAM.invalidate(Copy, Kept);
  }
  FPM.addPass(UnrollTinyLoops());
  // An iterator's "is there a next one?" joins the paths and asks again.
  FPM.addPass(JumpThreadingPass());
  // Aggregates that were copied whole come apart only in a second round.
  addScalarPasses(FPM);
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  // What an inclusive range asks stands in one place now.
  FPM = FunctionPassManager();
  if (PreservedAnalyses Kept = UnrollTinyLoops().run(Copy, FAM); !Kept.areAllPreserved()) {
    FAM.invalidate(Copy, Kept);
    FPM.addPass(JumpThreadingPass());
    addScalarPasses(FPM);
    FAM.invalidate(Copy, FPM.run(Copy, FAM));
    FPM = FunctionPassManager();
  }
  if (PreservedAnalyses Kept = BeginBehindHeads().run(Copy, FAM); !Kept.areAllPreserved()) {
    FAM.invalidate(Copy, Kept);
    // What is zero from then on is so now.
    FPM.addPass(SCCPPass());
    addScalarPasses(FPM);
    addScalarPasses(FPM);
    addLoopSimplify(FPM);
  }
  FPM.addPass(AssignSections(Whole));
  FPM.addPass(ADCEPass());
  FPM.addPass(SimplifyCFGPass(cfgOptions()));
  FPM.addPass(BranchSwitches());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  addLoopSimplify(FPM = FunctionPassManager());
  FPM.addPass(LCSSAPass());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  for (const auto &Rewrite : {runPass<FlagsToNumbers>, runPass<CountersToRegisters>, runPass<MergeAlternatives>,
                              runPass<LengthsToNumbers>, runPass<ExtremesFromNothing>})
    if (PreservedAnalyses Kept = Rewrite(Copy, FAM); !Kept.areAllPreserved()) {
      Merged |= Rewrite == runPass<MergeAlternatives>;
      FAM.invalidate(Copy, Kept);
      ChosenLoads Chosen(Copy);
      // Counters are what bounds of other loops are made of; choices go into addresses.
      FPM = FunctionPassManager();
      addScalarPasses(FPM);
      FPM.addPass(ADCEPass());
      FPM.addPass(SimplifyCFGPass(cfgOptions()));
      FPM.addPass(BranchSwitches());
      addLoopSimplify(FPM);
      FPM.addPass(LCSSAPass());
      FAM.invalidate(Copy, FPM.run(Copy, FAM));
      Chosen.restore(Copy);
    }
}

void canonicalise(Function &Copy, FunctionAnalysisManager &FAM) {
  FunctionPassManager FPM;
  // Before LICM, whose regrouping drops the flags that widening relies on.
  FPM.addPass(createFunctionToLoopPassAdaptor(WidenInductions()));
  FPM.addPass(InstCombinePass());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  TypeTags Tags;
  for (Instruction &I : instructions(Copy))
    if (MDNode *Tag = isa<LoadInst>(I) ? I.getMetadata(LLVMContext::MD_tbaa) : nullptr)
      Tags[&I] = Tag;
  FPM = FunctionPassManager();
  LoopPassManager LPM;
  // A cap of zero accesses keeps LICM from promoting memory to registers.
  LPM.addPass(LICMPass(/*LicmMssaOptCap=*/100,
                       /*LicmMssaNoAccForPromotionCap=*/0,
                       /*AllowSpeculation=*/true));
  LPM.addPass(KeepTags(Tags));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(LPM),
                                              /*UseMemorySSA=*/true));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(SignedShifts());
  addLoopSimplify(FPM);
  FPM.addPass(LCSSAPass());
  FPM.run(Copy, FAM);
  FAM.invalidate(Copy, PreservedAnalyses::none());
}

} // namespace hexpass
