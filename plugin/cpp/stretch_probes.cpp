//===- stretch_probes.cpp - Elements that each step looks at ------------------===//
//
// Consumes: a time loop that looks at single elements of its grids in each step: a
// receiver whose value it prints, the largest that one point has seen.
//
//     sweep(u, v);
//     fprintf(file, "%g\n", v[i][j]);
//     swap(u, v);
//
// Produces: reductions of one term each, which is added to the negative zero, so that the
// sweeps run ahead of such loops as of those that look at sums (stretch_reduce.cpp); the
// host finds the elements of one step after the other among the results.
//
// Refuses elements between which and the sweeps the loop may be left, those at places that
// move on with the steps (of those `movesOn` tells), and integers. Elements that only some
// steps look at, or that are only kept, don't need it.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Elements of a step that are looked at; each is an array and a statement of the model.
constexpr size_t MostProbes = 8;
/// Instructions that an element is followed through.
constexpr size_t MostParts = 64;

} // namespace

bool ShimStretches::isProbe(const Value *V) const {
  return any_of(Reductions, [&](const Reduction &R) { return R.Probe && R.Probe == V; });
}

/// What each step does with it, beside what belongs to the sweeps: it is printed, stored,
/// compared, or goes into the next step.
bool ShimStretches::isLookedAt(const LoadInst &Load) const {
  SmallSetVector<const Instruction *, 16> Parts;
  Parts.insert(&Load);
  for (unsigned At = 0; At < Parts.size() && At < MostParts; ++At)
    for (const User *U : Parts[At]->users()) {
      auto *By = cast<Instruction>(U);
      if (!L.contains(By) || !isDirect(By->getParent()) || !SpineOf.contains(By->getParent()))
        continue;
      if (auto *Phi = dyn_cast<PHINode>(By)) {
        if (Phi->getParent() == L.getHeader())
          return true;
        Parts.insert(By);
      } else if (auto *Store = dyn_cast<StoreInst>(By)) {
        if (!Sweeps.meets(*Store) && !isTrace(*Store))
          return true;
      } else if (isPlainOrMath(*By)) {
        Parts.insert(By);
      } else {
        return true;
      }
    }
  return false;
}

/// It is only kept, which the host can do where it has the element at hand.
bool ShimStretches::isKeptInTrace(const LoadInst &Load) const {
  return any_of(Load.users(), [&](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && L.contains(Store) && SpineOf.contains(Store->getParent()) && isTrace(*Store);
  });
}

/// The elements that steps look at, as reductions.
void ShimStretches::findProbes() {
  if (Apart || !WithReductions || !WithStores)
    return;
  SmallVector<LoadInst *, 4> Looked, Traced;
  for (Block *B : Spine)
    for (Instruction &I : *B) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !Load->isSimple() || !Sweeps.mayWrite(*Load) ||
          !(Load->getType()->isDoubleTy() || Load->getType()->isFloatTy()))
        continue;
      if (isLookedAt(*Load))
        Looked.push_back(Load);
      else if (isKeptInTrace(*Load))
        Traced.push_back(Load);
    }
  if (!Looked.empty())
    Looked.append(Traced);
  if (Looked.size() > MostProbes)
    return;
  for (LoadInst *Load : Looked) {
    Reduction R;
    R.Probe = Load;
    R.IsSum = R.IsOrdered = true;
    R.Initial = ConstantFP::getNegativeZero(Load->getType());
    R.Word = words();
    Reductions.push_back(R);
    Reduces = true;
  }
}

/// Between the step's last sweep, at `End`, and the probe stands something that may write what it
/// reads, or a check without which it may not be there. Else it might as well be read at `End`,
/// before what may leave the loop.
bool ShimStretches::hasToStay(const LoadInst &Probe, Place End) const {
  Footprint Read(A);
  Read.add(Probe);
  Place At = placeOf(Probe);
  auto IsBetween = [&](const Instruction &I) {
    Place Here = placeOf(I);
    return End < Here && !(At < Here);
  };
  return any_of(L.blocks(), [&](Block *B) {
    return any_of(*B, [&](Instruction &I) {
      if (isInSweep(I) || Stores.contains(&I))
        return false;
      if (isa<BranchInst, SwitchInst>(I) && L.isLoopExiting(B))
        return IsBetween(I);
      // Who does not come back changes nothing for those who come there.
      return I.mayWriteToMemory() && Read.conflicts(I) && (Read.touch(I) & TouchWrites) &&
             IsBetween(I);
    });
  });
}

/// The host takes it from the results, when all that belongs to the sweeps is done. `Before`: what
/// is made of it until then, and can be made later.
bool ShimStretches::isLookedAtBehind(LoadInst &Probe,
                                     SmallSetVector<Instruction *, 8> &Before) const {
  SmallSetVector<Instruction *, 8> Parts;
  Parts.insert(&Probe);
  for (unsigned At = 0; At < Parts.size(); ++At)
    for (const Use &U : Parts[At]->uses()) {
      auto *By = cast<Instruction>(U.getUser());
      if (By == AppendBefore || A.DT.dominates(AppendBefore, U) || Stores.contains(By) ||
          isInSweep(*By))
        continue;
      if (!L.contains(By) || !SpineOf.contains(By->getParent()) || !isPlain(*By) ||
          Parts.size() > MostParts)
        return false;
      Parts.insert(By);
    }
  Before.insert_range(drop_begin(Parts));
  return true;
}

/// What is made of elements before the step's last sweep is made behind it.
void ShimStretches::makeLater() {
  SmallSetVector<Instruction *, 8> Before;
  for (const Reduction &R : Reductions)
    if (R.Probe)
      isLookedAtBehind(*R.Probe, Before);
  for (Instruction *I : Before)
    if (!is_contained(Early, I))
      Early.push_back(I);
  // All of them stand where every step comes.
  llvm::sort(Early, [&](const Instruction *X, const Instruction *Y) {
    return X != Y && A.DT.dominates(X, Y);
  });
}

/// In the step's array of the model, whose only element it is.
void ShimStretches::addProbe(const Reduction &R, ValueToValueMapTy &VMap) {
  auto *Load = cast<Instruction>(VMap[Map[R.Probe]]);
  Instruction *At = Load->getNextNode();
  Value *Element = gridElement(R, R.Word, *At, VMap);
  IRBuilder<>(At).CreateStore(Load, Element);
}
