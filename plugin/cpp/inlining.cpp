//===- inlining.cpp - Called functions in a working copy -------------------===//
//
// Consumes: a fresh working copy. Produces: the same computation with the bodies of called
// functions in place, where a loop may be a time loop, or where a variable would stay in memory
// for a callee's sake; what is called by address is called by name first (call_targets.cpp).
// Functions that fill what sweeps look neighbours up in are put in place as well
// (number_tables.cpp).
// Refuses recursion, what may be replaced when linking, and what is too long.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "internal.h"
#include "look.h"
#include "nested_vectors.h"
#include "number_tables.h"
#include "step_storage.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

/// How many calls deep an inlined body may come from.
constexpr unsigned MaxDepth = 16;
/// Instructions of a callee that is called inside a loop, or nowhere else and has loops.
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
  /// All of those are called nowhere else.
  bool OfParts;
};

/// Instructions that write what lies at `Place`, and compute where in it; null if one does
/// anything else.
std::optional<unsigned> writers(const Value &Place) {
  unsigned All = 0;
  for (const User *U : Place.users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (Store && Store->getPointerOperand() == &Place) {
      ++All;
      continue;
    }
    std::optional<unsigned> Within;
    if (auto *GEP = dyn_cast<GetElementPtrInst>(U))
      Within = writers(*GEP);
    if (!Within)
      return std::nullopt;
    All += 1 + *Within;
  }
  return All;
}

/// Instructions of a function, without those that are there for a debugger, as rustc keeps what a
/// variable is in a place that nobody reads, and those that say what is known.
unsigned lengthOf(const Function &F) {
  unsigned Length = F.getInstructionCount();
  for (const Instruction &I : instructions(F))
    if (I.isLifetimeStartOrEnd() || isa<AssumeInst>(I))
      --Length;
    else if (isa<AllocaInst>(I))
      if (std::optional<unsigned> Unread = writers(I))
        Length -= 1 + *Unread;
  return Length;
}

class Inliner {
public:
  Inliner(Function &Copy, const Function &Original, Look &Cheap, FunctionAnalysisManager &FAM,
          bool KeepsVectors)
      : Copy(Copy), Original(Original), Cheap(Cheap), FAM(FAM), KeepsVectors(KeepsVectors),
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
            Work.push_back({Call, {}, InLoop, /*OfParts=*/true});
    while (!Work.empty()) {
      Site S = Work.pop_back_val();
      if (mayInline(S))
        inlineOne(S, Work);
      else if (S.InLoop && !S.Call->getCalledFunction())
        separate(S, Work);
    }
  }

private:
  /// A call by address, of what it may mean by name; side code stays as it is.
  void separate(const Site &S, SmallVectorImpl<Site> &Work) {
    bool Any = false;
    for (const CallTarget &Target : Cheap.targetsOf(*S.Call))
      if (!Cheap.isAside(*Target.Callee) && mayInline(S, Target.Callee) &&
          isLegalToPromote(*S.Call, Target.Callee)) {
        Work.push_back({&callByName(*S.Call, Target), S.Chain, S.InLoop, /*OfParts=*/false});
        Any = true;
      }
    if (Any)
      markSeldomReached(*S.Call);
  }

  bool mayInline(const Site &S) { return mayInline(S, S.Call->getCalledFunction()); }

  bool mayInline(const Site &S, Function *Callee) {
    if (!Callee || Callee->isDeclaration() || S.Chain.size() >= MaxDepth ||
        (KeepsVectors && isOfVectors(*Callee)))
      return false;
    if (Callee == &Original || is_contained(S.Chain, Callee) ||
        (S.InLoop && lengthOf(*Callee) > MaxAside &&
         Cheap.isAside(*Callee)))
      return false;
    if (Callee->hasFnAttribute(Attribute::NoInline) || S.Call->isNoInline() ||
        Callee->hasFnAttribute(Attribute::Cold) || Callee->doesNotReturn() ||
        Callee->hasOptNone() || Callee->hasFnAttribute(TakenAttribute) ||
        Callee->isInterposable() || S.Call->isMustTailCall())
      return false;
    unsigned Cost = lengthOf(*Callee);
    bool Whole = S.InLoop || (S.OfParts && isPart(*Callee) && Cheap.mayHoldTimeLoop(*Callee)) ||
                 fillsTable(*S.Call);
    unsigned Limit = Whole ? MaxCalleeInLoop : MaxCalleeElsewhere;
    return Cost <= Limit && Size + Cost <= Most && isCompatible(*Callee);
  }

  /// Nothing else calls it than what is copied here, and it has not been looked at by itself: what
  /// its arguments are is known here only.
  static bool isPart(const Function &Callee) {
    return Callee.isDiscardableIfUnused() && Callee.hasNUses(2) &&
           !Callee.hasFnAttribute(SeenAttribute);
  }

  /// It fills an array of neighbours' numbers that loops here look up; asked when what is called in
  /// loops is here.
  bool fillsTable(const CallBase &Call) {
    if (!Tables)
      Tables = numberTablesOf(Copy);
    return fillsOne(Call, *Tables);
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
    bool OfParts = S.OfParts && isPart(*Callee);
    auto Assumptions = [&](Function &F) -> AssumptionCache & {
      return FAM.getResult<AssumptionAnalysis>(F);
    };
    InlineFunctionInfo Info(Assumptions, nullptr, nullptr, nullptr,
                            /*UpdateProfile=*/false);
    if (!InlineFunction(*S.Call, Info, /*MergeAttributes=*/true,
                        &FAM.getResult<AAManager>(*Callee))
             .isSuccess())
      return;
    Size += lengthOf(*Callee);
    auto Chain = S.Chain;
    Chain.push_back(Callee);
    bool BringsLoops = !FAM.getResult<LoopAnalysis>(*Callee).empty();
    if (S.InLoop || !BringsLoops || Info.InlinedCallSites.empty()) {
      for (CallBase *Call : Info.InlinedCallSites)
        Work.push_back({Call, Chain, S.InLoop, OfParts});
      return;
    }
    DominatorTree DT(Copy);
    LoopInfo LI(DT);
    for (CallBase *Call : Info.InlinedCallSites)
      Work.push_back({Call, Chain, LI.getLoopFor(Call->getParent()) != nullptr, OfParts});
  }

  Function &Copy;
  const Function &Original;
  Look &Cheap;
  FunctionAnalysisManager &FAM;
  /// Methods of vectors stay calls.
  bool KeepsVectors;
  unsigned Size;
  unsigned Most = MaxCopy;
  std::optional<NumberTables> Tables;
};

} // namespace

bool inlineForAnalysis(Function &Copy, const Function &Original, Look &Cheap,
                       FunctionAnalysisManager &FAM, bool MayCopyInPlace) {
  bool Changed = false;
  if (MayCopyInPlace && any_of(*Copy.getParent(), isOfNestedVectors)) {
    Inliner(Copy, Original, Cheap, FAM, /*KeepsVectors=*/true).run();
    FAM.invalidate(Copy, PreservedAnalyses::none());
    Changed = hasNestedVectors(Copy) && copyNestedInPlace(Copy, FAM);
  }
  Inliner(Copy, Original, Cheap, FAM, /*KeepsVectors=*/false).run();
  // Early in a pipeline nobody has said yet what C's library allocates and frees.
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(Copy);
  for (Instruction &I : instructions(Copy))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction(); Callee && Callee->isDeclaration())
        inferNonMandatoryLibFuncAttrs(*Callee, TLI);
  FAM.invalidate(Copy, PreservedAnalyses::none());
  return Changed;
}

} // namespace hexpass
