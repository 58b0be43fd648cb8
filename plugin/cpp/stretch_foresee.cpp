//===- stretch_foresee.cpp - Values of steps that are yet to come --------------===//
//
// Consumes: a plan whose sweeps run ahead (stretch_reduce.cpp), and need values that each step
// computes before them: a source that follows the time.
//
//     u[k] += exp(-a * (t - t0) * (t - t0));
//     sweep(u, v);
//     printf("%g\n", v[r]);                      (so the sweeps run ahead)
//     t += dt;
//
// Produces: the values of all steps of a run, which the host computes when the run begins, from
// what the step has at hand, as the steps would one after the other. Refuses values that are made
// of anything but what goes on from step to step by arithmetic, functions of libm, and what stays
// as it is.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "turns.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace hexpass;

/// Adds what `V` is made of in the loop, in this step and in those before; false where later steps'
/// can't be said.
bool ShimStretches::foresee(Value *V) {
  constexpr size_t MostParts = 64;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || Foreseen.contains(I))
    return true;
  if (!isDirect(I->getParent()) || Foreseen.size() >= MostParts)
    return false;
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getParent() != L.getHeader())
      return Phi->getNumIncomingValues() == 1 && foresee(Phi->getIncomingValue(0));
    Value *Next = Phi->getIncomingValueForBlock(L.getLoopLatch());
    Foreseen[Phi] = Next;
    return foresee(Next);
  }
  auto *Load = dyn_cast<LoadInst>(I);
  if (Load ? SweepLoads.contains(Load) || !staysSame(*Load) : !isPlainOrMath(*I))
    return false;
  if (!all_of(I->operand_values(), [&](Value *O) { return foresee(O); }))
    return false;
  // Behind what it is made of.
  Foreseen[I] = nullptr;
  return true;
}

/// All that the sweeps need from steps that they are ahead of can be computed before.
bool ShimStretches::foreseesAll() {
  return !hasSums() && all_of(Queued, [&](Value *V) { return foresee(V); });
}

/// Computes the values of this step and those that may come with it.
void ShimStretches::fillQueues(IRBuilderBase &B) {
  if (Queued.empty())
    return;
  Instruction *Behind = &*B.GetInsertPoint();
  Block *Before = Behind->getParent();
  Block *After = SplitBlock(Before, Behind);
  Block *Fill = Block::Create(B.getContext(), "foresee", &A.F, After);
  Before->getTerminator()->replaceUsesOfWith(After, Fill);
  B.SetInsertPoint(Fill);
  B.SetCurrentDebugLocation(L.getStartLoc());
  PHINode *Step = B.CreatePHI(B.getInt64Ty(), 2);
  Step->addIncoming(B.getInt64(0), Before);
  DenseMap<const Value *, Value *> Copies;
  for (auto [I, Next] : Foreseen)
    if (Next) {
      PHINode *Copy = B.CreatePHI(I->getType(), 2);
      Copy->addIncoming(I, Before);
      Copies[I] = Copy;
    }
  auto Copied = [&](Value *V) {
    V = throughExits(V);
    Value *Copy = Copies.lookup(V);
    return Copy ? Copy : V;
  };
  for (auto [I, Next] : Foreseen) {
    if (Next)
      continue;
    Instruction *Copy = I->clone();
    for (Use &U : Copy->operands())
      U.set(Copied(U.get()));
    Copy->dropUBImplyingAttrsAndMetadata();
    B.Insert(Copy);
    Copies[I] = Copy;
  }
  for (auto [V, Queue] : zip(Queued, Queues))
    B.CreateStore(Copied(V), B.CreateInBoundsGEP(V->getType(), Queue, Step));
  Value *More = B.CreateAdd(Step, B.getInt64(1), "", true, true);
  Step->addIncoming(More, Fill);
  for (auto [I, Next] : Foreseen)
    if (Next)
      cast<PHINode>(Copies[I])->addIncoming(Copied(Next), Fill);
  B.CreateCondBr(B.CreateICmpULT(More, B.getInt64(Most)), Fill, After);
  B.SetInsertPoint(Behind);
  B.SetCurrentDebugLocation(L.getStartLoc());
}
