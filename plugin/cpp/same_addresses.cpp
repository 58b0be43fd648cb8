//===- same_addresses.cpp - Joined paths that bring one address ---------------===//
//
// Consumes: a working copy in which paths meet that have each computed the same address, as
// inlined constructors and assignments of containers do:
//
//     %a = getelementptr i8, ptr %head, i64 8          %b = getelementptr i8, ptr %head, i64 8
//     %place = phi ptr [ %a, ... ], [ %b, ... ]
//
// Produces: that address, computed once where the paths meet; what is read there is known again.
// Refuses addresses of more than one object, or at distances that are no constants.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Phis that one may go back to, at most.
constexpr size_t MostPhis = 16;

/// An object, and how many bytes behind its beginning.
struct Address {
  Value *Base = nullptr;
  APInt Offset;
};

/// What all that the phi may be come to.
std::optional<Address> onlyAddress(PHINode &Phi, const DataLayout &DL) {
  Address Only;
  SmallPtrSet<const PHINode *, 8> Seen{&Phi};
  SmallVector<PHINode *, 8> Work{&Phi};
  while (!Work.empty())
    for (Value *V : Work.pop_back_val()->incoming_values()) {
      APInt Offset(DL.getIndexTypeSizeInBits(V->getType()), 0);
      Value *Base = V->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
      // A pointer that goes on in a loop has no base of its own.
      if (auto *Next = dyn_cast<PHINode>(Base); Next && Offset.isZero()) {
        if (Seen.insert(Next).second)
          Work.push_back(Next);
        if (Seen.size() > MostPhis)
          return std::nullopt;
        continue;
      }
      if (Only.Base && (Base != Only.Base || Offset != Only.Offset))
        return std::nullopt;
      Only = {Base, Offset};
    }
  return Only;
}

} // namespace

PreservedAnalyses SameAddresses::run(Function &F, FunctionAnalysisManager &FAM) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<PHINode *, 16> Joins;
  for (BasicBlock &B : F)
    for (PHINode &Phi : B.phis())
      if (Phi.getType()->isPointerTy())
        Joins.push_back(&Phi);
  if (Joins.empty())
    return PreservedAnalyses::all();
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  bool Changed = false;
  for (PHINode *Phi : Joins) {
    std::optional<Address> Only = onlyAddress(*Phi, DL);
    auto At = Phi->getParent()->getFirstInsertionPt();
    if (!Only || !Only->Base || Only->Base == Phi || isa<PoisonValue>(Only->Base) ||
        At == Phi->getParent()->end() || !DT.dominates(Only->Base, &*At))
      continue;
    IRBuilder<> B(&*At);
    Value *Same = Only->Offset.isZero() ? Only->Base
                                        : B.CreatePtrAdd(Only->Base, B.getInt(Only->Offset));
    Phi->replaceAllUsesWith(Same);
    Phi->eraseFromParent();
    Changed = true;
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
