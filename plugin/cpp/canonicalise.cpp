//===- canonicalise.cpp - Clean-up of a working copy -----------------------===//
//
// Consumes: a working copy with the bodies of called functions in place (inlining.cpp). Produces:
// the same computation with scalars in registers, loops in simplified and closed form, still
// tested at the top, with every load and store of the source still there.
//
// Left out on purpose: load PRE (it turns a[i-1] + a[i] + a[i+1] into values
// carried by phis), promotion of memory to registers across a loop (but for counters), rotation,
// loop idioms (a copied row would become a memcpy), unrolling.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "call_targets.h"
#include "canonicalise.h"
#include "loops.h"
#include "switches.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace hexpass {
namespace {

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
  FPM.addPass(SameAddresses());
  FPM.addPass(InstCombinePass());
  FPM.addPass(KnownSelects());
}

/// Bytes of a local structure that may come apart: a container's head, an iterator, a closure.
constexpr uint64_t MostOfAStructure = 256;
/// Rounds of scalar clean-up until structures that hold one another have come apart, after two;
/// and of hoisting, one for each loop around a sweep's innermost one.
constexpr unsigned MoreRounds = 3;
/// Steps at the beginning of a loop that are others than all that follow.
constexpr unsigned MostFirstSteps = 3;

/// A local structure is copied whole.
bool copiesStructures(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  auto IsLocal = [&](const Value *At) {
    auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(At));
    auto Size = Local ? Local->getAllocationSize(DL) : std::nullopt;
    return Size && !Size->isScalable() && Size->getFixedValue() <= MostOfAStructure;
  };
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Copies = dyn_cast<MemTransferInst>(&I);
    return Copies && isa<ConstantInt>(Copies->getLength()) &&
           (IsLocal(Copies->getRawDest()) || IsLocal(Copies->getRawSource()));
  });
}

/// What a load from either of two places says of whom it may meet. Clean-up makes two loads of it,
/// which say nothing any more: a sweep's pointers would be read again for each element.
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

  /// The values are used only where the source read them: what is true there is so wherever they
  /// are loaded.
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

/// Something in the function works on vectors.
static bool hasVectors(const Function &F) {
  auto IsVector = [](const Value *V) { return V->getType()->isVectorTy(); };
  return any_of(instructions(F), [&](const Instruction &I) {
    return IsVector(&I) || any_of(I.operand_values(), IsVector);
  });
}

void takeVectorsApart(Function &Copy, const Function &Original, FunctionAnalysisManager &FAM) {
  if (hasVectors(Original) || !hasVectors(Copy))
    return;
  ScalarizerPassOptions Options;
  Options.ScalarizeLoadStore = true;
  FAM.invalidate(Copy, ScalarizerPass(Options).run(Copy, FAM));
}

void tidy(Function &Copy, FunctionAnalysisManager &FAM) {
  sayWhatOthersTouch(Copy);
  letFunctionsOnlyCompute(Copy, FAM.getResult<TargetLibraryAnalysis>(Copy));
  FunctionPassManager FPM;
  FPM.addPass(LowerExpectIntrinsicPass());
  addScalarPasses(FPM);
  FPM.addPass(BranchSwitches());
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
}

/// Counters are what bounds of other loops are made of; choices go into addresses.
static void cleanUpAfterRewrite(Function &Copy, FunctionAnalysisManager &FAM) {
  ChosenLoads Chosen(Copy);
  FunctionPassManager FPM;
  addScalarPasses(FPM);
  FPM.addPass(ADCEPass());
  FPM.addPass(SimplifyCFGPass(cfgOptions()));
  FPM.addPass(BranchSwitches());
  addLoopSimplify(FPM);
  FPM.addPass(LCSSAPass());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  Chosen.restore(Copy);
}

/// Runs one pass at once. Whether it changed anything.
template <typename Pass> static bool changes(Function &Copy, FunctionAnalysisManager &FAM) {
  PreservedAnalyses Kept = runPass<Pass>(Copy, FAM);
  FAM.invalidate(Copy, Kept);
  return !Kept.areAllPreserved();
}

/// What was changed underway may have left tiny loops whose trips are known.
static void unrollAgain(Function &Copy, FunctionAnalysisManager &FAM) {
  if (!changes<UnrollTinyLoops>(Copy, FAM))
    return;
  FunctionPassManager FPM;
  FPM.addPass(JumpThreadingPass());
  addScalarPasses(FPM);
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
}

/// Takes apart what joins paths only to ask again which it was.
static void threadPaths(Function &Copy, FunctionAnalysisManager &FAM) {
  FunctionPassManager FPM;
  FPM.addPass(UnrollTinyLoops());
  // An iterator's "is there a next one?" joins the paths and asks again.
  FPM.addPass(JumpThreadingPass());
  // Aggregates that were copied whole come apart only in a second round.
  addScalarPasses(FPM);
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  // What an inclusive range asks stands in one place now.
  unrollAgain(Copy, FAM);
}

/// Allocatable arrays, and Fortran's pointers to arrays, change places as pointers do.
static void exchangeAllocations(Function &Copy, FunctionAnalysisManager &FAM) {
  bool Moved = changes<MoveAllocations>(Copy, FAM);
  if (!changes<PointersInWords>(Copy, FAM) && !Moved)
    return;
  FunctionPassManager FPM;
  addScalarPasses(FPM);
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
}

/// Loops over inclusive ranges count, and those over iterators that leave elements out begin with
/// the first that they don't.
static void beginBehindHeads(Function &Copy, FunctionAnalysisManager &FAM) {
  bool Counted = changes<CountInclusiveRanges>(Copy, FAM);
  if (!changes<BeginBehindHeads>(Copy, FAM) && !Counted)
    return;
  FunctionPassManager FPM;
  // What is zero from then on is so now.
  FPM.addPass(SCCPPass());
  addScalarPasses(FPM);
  addScalarPasses(FPM);
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  if (Counted)
    unrollAgain(Copy, FAM);
}

/// What is printed stays in registers.
static void copyWhatIsPrinted(Function &Copy, FunctionAnalysisManager &FAM) {
  if (!changes<CopyWhatIsPrinted>(Copy, FAM))
    return;
  FunctionPassManager FPM;
  addScalarPasses(FPM);
  addLoopSimplify(FPM);
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
}

/// Structures that hold one another come apart one round after the other.
static void takeStructuresApart(Function &Copy, FunctionAnalysisManager &FAM) {
  for (unsigned Round = 0; Round < MoreRounds && copiesStructures(Copy); ++Round) {
    size_t Before = Copy.getInstructionCount();
    FunctionPassManager FPM;
    addScalarPasses(FPM);
    addLoopSimplify(FPM);
    FAM.invalidate(Copy, FPM.run(Copy, FAM));
    if (Copy.getInstructionCount() == Before)
      return;
  }
}

/// Copies by flang's runtime become loops, and all loops have their closed form.
static void closeLoops(Function &Copy, FunctionAnalysisManager &FAM, bool &Whole) {
  FunctionPassManager FPM;
  FPM.addPass(AssignSections(Whole));
  FPM.addPass(ADCEPass());
  FPM.addPass(SimplifyCFGPass(cfgOptions()));
  FPM.addPass(BranchSwitches());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  addLoopSimplify(FPM = FunctionPassManager());
  FPM.addPass(LCSSAPass());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
}

/// What containers, flags, counters and alternatives look like where people write them, each
/// cleaned up before the next looks. Whether two sweeps became one.
static bool rewriteIdioms(Function &Copy, FunctionAnalysisManager &FAM) {
  bool Merged = false;
  // Addresses twice: once counters are in registers, so are members that travelled as numbers.
  for (const auto &Rewrite :
       {runPass<CopyNothing>, runPass<FillsFromTheFirst>, runPass<HeadsInWords>,
        runPass<AddressesToPointers>, runPass<WordsToMembers>, runPass<CellsToMembers>,
        runPass<StoreOnce>, runPass<AskIfEmptied>, runPass<SumsToRegisters>,
        runPass<FlagsToNumbers>, runPass<CountersToRegisters>, runPass<AddressesToPointers>,
        runPass<MergeAlternatives>, runPass<LengthsToNumbers>, runPass<ExtremesFromNothing>,
        runPass<RaiseAlarms>})
    if (PreservedAnalyses Kept = Rewrite(Copy, FAM); !Kept.areAllPreserved()) {
      Merged |= Rewrite == runPass<MergeAlternatives>;
      FAM.invalidate(Copy, Kept);
      cleanUpAfterRewrite(Copy, FAM);
    }
  return Merged;
}

void separatePaths(Function &Copy, FunctionAnalysisManager &FAM, bool &Whole, bool &Merged) {
  Merged |= changes<ComplexProducts>(Copy, FAM);
  changes<PowersToProducts>(Copy, FAM);
  exchangeAllocations(Copy, FAM);
  copyWhatIsPrinted(Copy, FAM);
  threadPaths(Copy, FAM);
  beginBehindHeads(Copy, FAM);
  takeStructuresApart(Copy, FAM);
  closeLoops(Copy, FAM, Whole);
  Merged |= rewriteIdioms(Copy, FAM);
}

void separateTargets(Function &Copy, FunctionAnalysisManager &FAM) {
  if (changes<LoopsByTarget>(Copy, FAM))
    cleanUpAfterRewrite(Copy, FAM);
}

bool separateFirstSteps(Function &Copy, FunctionAnalysisManager &FAM) {
  unsigned Steps = 0;
  for (; Steps < MostFirstSteps && changes<FirstStepApart>(Copy, FAM); ++Steps)
    cleanUpAfterRewrite(Copy, FAM);
  return Steps != 0;
}

void promoteCounters(Function &Copy, FunctionAnalysisManager &FAM) {
  if (changes<CountersToRegisters>(Copy, FAM))
    cleanUpAfterRewrite(Copy, FAM);
}

/// Moves out of loops what is the same in all of their iterations. Whether there was anything.
static bool hoist(Function &Copy, FunctionAnalysisManager &FAM) {
  TypeTags Tags;
  for (Instruction &I : instructions(Copy))
    if (MDNode *Tag = isa<LoadInst>(I) ? I.getMetadata(LLVMContext::MD_tbaa) : nullptr)
      Tags[&I] = Tag;
  FunctionPassManager FPM;
  LoopPassManager LPM;
  // A cap of zero accesses keeps LICM from promoting memory to registers.
  LPM.addPass(LICMPass(/*LicmMssaOptCap=*/100,
                       /*LicmMssaNoAccForPromotionCap=*/0,
                       /*AllowSpeculation=*/true));
  LPM.addPass(KeepTags(Tags));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(LPM),
                                              /*UseMemorySSA=*/true));
  PreservedAnalyses Kept = FPM.run(Copy, FAM);
  FAM.invalidate(Copy, Kept);
  return !Kept.areAllPreserved();
}

bool canonicalise(Function &Copy, FunctionAnalysisManager &FAM) {
  // Streams in variables are known by now.
  if (sayWhatOthersTouch(Copy))
    FAM.invalidate(Copy, PreservedAnalyses::none());
  FunctionPassManager FPM;
  // Before LICM, whose regrouping drops the flags that widening relies on.
  FPM.addPass(createFunctionToLoopPassAdaptor(WidenInductions()));
  FPM.addPass(InstCombinePass());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  hoist(Copy, FAM);
  // What has been moved out of one loop says no longer what it goes through.
  for (unsigned Round = 0; Round < MoreRounds && changes<ScopesOfObjects>(Copy, FAM); ++Round)
    if (!hoist(Copy, FAM))
      break;
  FPM = FunctionPassManager();
  FPM.addPass(UnsetValues());
  FPM.addPass(createFunctionToLoopPassAdaptor(LastValues()));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(SignedShifts());
  FPM.addPass(HighWords());
  FPM.addPass(JoinedSigns());
  FPM.addPass(NarrowRemainders());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  // The last: clean-up would join them again.
  PreservedAnalyses Kept = ChosenPlaces().run(Copy, FAM);
  FAM.invalidate(Copy, Kept);
  addLoopSimplify(FPM = FunctionPassManager());
  FPM.addPass(LCSSAPass());
  FPM.run(Copy, FAM);
  FAM.invalidate(Copy, PreservedAnalyses::none());
  changes<RowsToSweeps>(Copy, FAM);
  // Sizes are read before the loops by now.
  FAM.invalidate(Copy, SayWhatIsLeft().run(Copy, FAM));
  return !Kept.areAllPreserved();
}

} // namespace hexpass
