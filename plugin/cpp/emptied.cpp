//===- emptied.cpp - Owners that have been emptied -------------------------===//
//
// Consumes: a working copy with loops in simplified form, whose steps exchange two owners of
// storage (`std::swap` of structures with a `unique_ptr`). Each is emptied before another's
// storage is put into it, and frees what it has, which is nothing unless both are the same:
//
//     first->at = null;
//     t = second->at;
//     second->at = null;
//     old = first->at;                      old = first->at;
//     first->at = t;                        first->at = t;
//     if (old) free(old);      becomes      if (!apart) free(old);
//
// Produces: a question that does not change with the steps, whether the places lie apart. Where
// they do, which is nearly always, what is read there is the null that was stored; that they don't
// is a rare path (rare_paths.cpp), and who frees nothing does nothing. Refuses what calls something
// in between, places that change, and owners that do more than to free.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "step_storage.h"
#include "turns.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Stores between an owner's emptying and the look at it, at most.
constexpr size_t MostStores = 32;

/// Bytes from a place on.
struct Bytes {
  Value *At;
  uint64_t Size;
};

class Emptied {
public:
  Emptied(Function &F, LoopInfo &LI, const TargetLibraryInfo &TLI)
      : DL(F.getDataLayout()), LI(LI), TLI(TLI) {}

  /// Asks whether places lie apart before a block looks at what it frees.
  bool ask(BasicBlock &In);

private:
  bool freesOnly(BasicBlock &Frees, const Value &Owned) const;
  std::pair<const Value *, int64_t> placeOf(const Value *At) const;
  bool findStores(LoadInst &Owned, const Loop &L);
  Value *lieApart(const Bytes &X, const Bytes &Y, IRBuilderBase &B) const;

  const DataLayout &DL;
  LoopInfo &LI;
  const TargetLibraryInfo &TLI;
  /// Blocks that ask already, and what.
  DenseMap<BasicBlock *, Value *> Asked;
  /// Of the owner at hand: what may have changed it since it was emptied, and what has been asked
  /// on the way.
  SmallVector<Bytes, 8> Between;
  SmallVector<Value *, 2> Besides;
};

std::pair<const Value *, int64_t> Emptied::placeOf(const Value *At) const {
  APInt Offset(DL.getIndexTypeSizeInBits(At->getType()), 0);
  for (const Value *From = nullptr; From != At;) {
    From = At;
    At = throughExits(const_cast<Value *>(At->stripAndAccumulateConstantOffsets(DL, Offset, true)));
  }
  return {At, Offset.getSExtValue()};
}

/// Goes back from where the owner is read to where it was emptied; false: it was not.
bool Emptied::findStores(LoadInst &Owned, const Loop &L) {
  Between.clear();
  Besides.clear();
  auto [Base, Offset] = placeOf(Owned.getPointerOperand());
  int64_t Size = DL.getTypeStoreSize(Owned.getType()).getFixedValue();
  BasicBlock *In = Owned.getParent();
  for (Instruction *At = Owned.getPrevNode();; At = At->getPrevNode()) {
    while (!At) {
      // Where places lie apart, the block above goes straight on to this one.
      BasicBlock *Above = nullptr;
      for (BasicBlock *From : predecessors(In))
        if (Asked.contains(From))
          Above = From;
      if (!Above || In == L.getHeader())
        return false;
      Besides.push_back(Asked.lookup(Above));
      In = Above;
      At = &In->back();
    }
    auto *Store = dyn_cast<StoreInst>(At);
    if (!Store) {
      if (At->mayWriteToMemory() || At->mayThrow())
        return false;
      continue;
    }
    Value *To = Store->getPointerOperand();
    auto [Other, Behind] = placeOf(To);
    int64_t Bytes = DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue();
    if (!Store->isSimple() || !L.isLoopInvariant(Other) || Between.size() == MostStores)
      return false;
    if (Other == Base && Behind == Offset)
      return isa<ConstantPointerNull>(Store->getValueOperand());
    if (Other == Base && (Behind + Bytes <= Offset || Offset + Size <= Behind))
      continue;
    if (Other == Base)
      return false;
    Between.push_back({To, uint64_t(Bytes)});
  }
}

/// Nothing else happens there, and freeing null is nothing: so it is of the C and C++ libraries'.
bool Emptied::freesOnly(BasicBlock &Frees, const Value &Owned) const {
  return all_of(Frees, [&](Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    LibFunc Known;
    return !I.mayHaveSideEffects() ||
           (Callee && TLI.getLibFunc(*Callee, Known) && isLibFreeFunction(Callee, Known) &&
            getFreedOperand(Call, &TLI) == &Owned);
  });
}

Value *Emptied::lieApart(const Bytes &X, const Bytes &Y, IRBuilderBase &B) const {
  auto Number = [&](const Bytes &Of, uint64_t Behind) {
    auto [Base, Offset] = placeOf(Of.At);
    Value *Address = B.CreatePtrToInt(const_cast<Value *>(Base), B.getInt64Ty());
    return B.CreateAdd(Address, B.getInt64(Offset + Behind));
  };
  return B.CreateOr(B.CreateICmpULE(Number(X, X.Size), Number(Y, 0)),
                    B.CreateICmpULE(Number(Y, Y.Size), Number(X, 0)));
}

bool Emptied::ask(BasicBlock &In) {
  Loop *L = LI.getLoopFor(&In);
  auto *Branch = dyn_cast<BranchInst>(In.getTerminator());
  CmpPredicate P;
  Value *Is;
  if (!L || !L->getLoopPreheader() || !Branch || !Branch->isConditional() ||
      !match(Branch->getCondition(), m_ICmp(P, m_Value(Is), m_Zero())) || !ICmpInst::isEquality(P))
    return false;
  auto *Owned = dyn_cast<LoadInst>(Is);
  bool IfTrue = P == ICmpInst::ICMP_NE;
  BasicBlock *Frees = Branch->getSuccessor(IfTrue ? 0 : 1);
  BasicBlock *On = Branch->getSuccessor(IfTrue ? 1 : 0);
  if (!Owned || !Owned->isSimple() || !Owned->getType()->isPointerTy() ||
      Frees->getSinglePredecessor() != &In || Frees->getSingleSuccessor() != On ||
      !L->contains(On) || On == L->getHeader() ||
      !L->isLoopInvariant(placeOf(Owned->getPointerOperand()).first) ||
      !freesOnly(*Frees, *Owned) ||
      !findStores(*Owned, *L) || Between.empty())
    return false;
  IRBuilder<> B(L->getLoopPreheader()->getTerminator());
  Value *Apart = B.getTrue();
  Bytes Owner{Owned->getPointerOperand(), DL.getTypeStoreSize(Owned->getType()).getFixedValue()};
  for (const Bytes &Other : Between)
    Apart = B.CreateAnd(Apart, lieApart(Owner, Other, B));
  for (Value *Also : Besides)
    Apart = B.CreateAnd(Apart, Also);
  Apart = B.CreateFreeze(Apart);
  B.SetInsertPoint(Branch);
  markSeldom(*B.CreateCondBr(Apart, On, Frees), 1);
  Branch->eraseFromParent();
  Asked[&In] = Apart;
  return true;
}

} // namespace

PreservedAnalyses AskIfEmptied::run(Function &F, FunctionAnalysisManager &FAM) {
  Emptied Owners(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<TargetLibraryAnalysis>(F));
  SmallVector<BasicBlock *, 64> Blocks;
  ReversePostOrderTraversal<Function *> Order(&F);
  append_range(Blocks, Order);
  bool Changed = false;
  for (BasicBlock *B : Blocks)
    Changed |= Owners.ask(*B);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
