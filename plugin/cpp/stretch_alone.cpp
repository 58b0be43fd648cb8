//===- stretch_alone.cpp - What stretches know of their pointers --------------===//
//
// Consumes: a plan. Produces: of the pointers that the stretch is handed, those that
// alone lead to their memory while it runs, which are `noalias` there: in a function
// of their own, its loops would not know it any more.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "stretches.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Pairs of pointers that one question whether they may meet leads to.
constexpr size_t MostPairs = 64;

} // namespace

/// What accesses of the stretch start from, in the host's terms: what it is
/// handed, what it loads, and global variables.
SmallSetVector<Value *, 16> ShimStretches::startingPoints() const {
  SmallSetVector<Value *, 16> Found;
  for (Value *V : LiveIns)
    if (V->getType()->isPointerTy())
      Found.insert(V);
  for (PHINode *Phi : Carried)
    if (Phi->getType()->isPointerTy())
      Found.insert(Phi);
  auto Look = [&](Instruction &I) {
    bool Loaded = isa<LoadInst>(I) && I.getType()->isPointerTy();
    if (Loaded || isa<IntToPtrInst>(I))
      Found.insert(&I);
    for (Value *Operand : I.operands())
      if (Operand->getType()->isPointerTy())
        if (auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Operand)))
          Found.insert(Global);
  };
  for (Loop *C : SweepLoops)
    for (Block *B : C->blocks())
      for_each(*B, Look);
  for (const Instruction *I : InPlace)
    Look(*const_cast<Instruction *>(I));
  for (Instruction *Store : Stores)
    Look(*Store);
  return Found;
}

/// Each iteration has its own, before the sweeps.
bool ShimStretches::isFresh(const Value *V) const {
  auto *Made = dyn_cast<Instruction>(V);
  return Made && isNoAliasCall(Made) && isDirect(Made->getParent());
}

/// Somebody may know the address of a fresh object when the sweeps of its iteration run.
bool ShimStretches::escapesBefore(const Instruction &Fresh) const {
  SmallPtrSet<Block *, 1> Next{L.getHeader()};
  SmallPtrSet<const Value *, 16> Seen{&Fresh};
  SmallVector<const Value *, 16> Work{&Fresh};
  auto Keeps = [](const Use &U) {
    auto *I = cast<Instruction>(U.getUser());
    if (auto *Store = dyn_cast<StoreInst>(I))
      return U.getOperandNo() != Store->getPointerOperandIndex();
    auto *Call = dyn_cast<CallBase>(I);
    if (Call && Call->isArgOperand(&U))
      return !Call->doesNotCapture(Call->getArgOperandNo(&U));
    return !isa<LoadInst, ICmpInst>(I);
  };
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      if (isa<PHINode>(I) && Next.contains(I->getParent()))
        continue;
      if (isa<PHINode, PtrToIntInst, IntToPtrInst, GetElementPtrInst, SelectInst>(I)) {
        if (Seen.insert(I).second)
          Work.push_back(I);
      } else if (Keeps(U) && (Next.contains(I->getParent()) ||
                              isPotentiallyReachable(I, AppendBefore, &Next, &A.DT, &A.LI))) {
        return true;
      }
    }
  return false;
}

/// Whoever is told of a failing check can't know this pointer.
bool ShimStretches::isUnknownToCallees(const Value *V) const {
  SmallVector<const Value *, 4> Roots;
  getUnderlyingObjects(V, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(Roots, [&](const Value *Root) {
    if (isNowhere(Root))
      return true;
    if (isa<Argument>(Root))
      return cast<Argument>(Root)->hasNoAliasAttr();
    if (Apart && isFresh(Root))
      return !escapesBefore(*cast<Instruction>(Root));
    return isIdentifiedFunctionLocal(Root) &&
           !PointerMayBeCaptured(Root, /*ReturnCaptures=*/false);
  });
}

/// In each iteration, `X` and `Y` lead to different memory. Alias analysis gives up
/// where one phi leads to another, as they do where pointers are swapped: what
/// phis start with and go on with is followed here, by induction over the
/// iterations. `Assumed`: the pairs that the question has led to.
bool ShimStretches::areApart(
    const Value *X, const Value *Y,
    DenseSet<std::pair<const Value *, const Value *>> &Assumed) const {
  if (isNowhere(X) || isNowhere(Y) ||
      A.AA.isNoAlias(MemoryLocation::getBeforeOrAfter(X),
                     MemoryLocation::getBeforeOrAfter(Y)))
    return true;
  if (X == Y || Assumed.size() > MostPairs)
    return false;
  if (!Assumed.insert(std::minmax(X, Y)).second)
    return true;
  for (auto [Pointer, Other] : {std::pair(X, Y), std::pair(Y, X)}) {
    // What was known before an object was made doesn't lead there.
    auto *Made = isFresh(Pointer) ? cast<Instruction>(Pointer) : nullptr;
    auto *Known = dyn_cast<Instruction>(Other);
    if (Made && (!Known || A.DT.dominates(Known, Made)))
      return true;
  }
  auto AsPhi = [&](const Value *V) {
    auto *Phi = dyn_cast<PHINode>(V);
    return Phi && isDirect(Phi->getParent()) ? Phi : nullptr;
  };
  auto IsCarried = [&](const PHINode *Phi) {
    return Phi && Phi->getParent() == L.getHeader();
  };
  const PHINode *P = AsPhi(X), *Q = AsPhi(Y);
  if (P && Q && P->getParent() == Q->getParent())
    return all_of(P->blocks(), [&](const Block *From) {
      return areApart(P->getIncomingValueForBlock(From),
                      Q->getIncomingValueForBlock(From), Assumed);
    });
  // What is carried is an iteration older than what the other may be made of.
  if (!P || (Q && IsCarried(P))) {
    std::swap(P, Q);
    std::swap(X, Y);
  }
  auto *Inside = dyn_cast<Instruction>(Y);
  if (!P || (IsCarried(P) && Inside && L.contains(Inside)))
    return false;
  return all_of(P->incoming_values(),
                [&](const Value *V) { return areApart(V, Y, Assumed); });
}

/// Of what the stretch is handed, all that nothing else of it leads to. Handed over
/// together, values are those of one iteration, as alias analysis has them.
SmallPtrSet<const Value *, 16> ShimStretches::findAlone() const {
  SmallPtrSet<const Value *, 16> Alone;
  SmallSetVector<Value *, 16> Points = startingPoints();
  auto Apart_ = [&](const Value *V, const Value *Other) {
    DenseSet<std::pair<const Value *, const Value *>> Assumed;
    return V == Other || areApart(V, Other, Assumed);
  };
  for (const Value *V : Points)
    if ((Failing.empty() || isUnknownToCallees(V)) &&
        all_of(Points, [&](const Value *Other) { return Apart_(V, Other); }))
      Alone.insert(V);
  return Alone;
}
