//===- addresses.cpp - Pointers that travel as numbers ---------------------===//
//
// Consumes: a working copy in which structures have come apart. Where nothing but its size is
// known of a word of one, as of Rust's, a pointer goes through it as a number, and comes out as a
// pointer:
//
//     %n = ptrtoint ptr %p to i64
//     %c = phi i64 [ %n, %allocated ], [ 8, %empty ]
//     store i64 %c, ptr %head
//     %q = inttoptr i64 %c to ptr
//     %d = load i64, ptr %head
//     %r = inttoptr i64 %d to ptr
//
// Produces: pointers all the way. What LLVM folds of one pair of casts is done across phis, stores
// and loads here. Refuses phis of other numbers than addresses and constants.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace hexpass {
namespace {

/// The pointer that a number is the address of.
Value *pointerOf(Value *V) {
  auto *Cast = dyn_cast<PtrToIntOperator>(V);
  Value *P = Cast ? Cast->getPointerOperand() : nullptr;
  return P && P->getType()->isPointerTy() && P->getType()->getPointerAddressSpace() == 0 ? P
                                                                                         : nullptr;
}

/// Phis that hand on addresses, with at least one pointer and one number among them.
SmallSetVector<PHINode *, 8> addressPhis(Function &F, Type *Word) {
  SmallSetVector<PHINode *, 8> All;
  for (Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->getType() == Word)
      All.insert(Phi);
  auto MayBe = [&](Value *V) {
    auto *Phi = dyn_cast<PHINode>(V);
    return isa<ConstantInt>(V) || pointerOf(V) || (Phi && All.contains(Phi));
  };
  for (size_t Before = 0; Before != All.size();) {
    Before = All.size();
    All.remove_if([&](PHINode *Phi) { return !all_of(Phi->incoming_values(), MayBe); });
  }
  // Of constants alone nothing says that they are addresses.
  SmallSetVector<PHINode *, 8> Found;
  for (size_t Before = ~size_t(0); Before != Found.size();) {
    Before = Found.size();
    for (PHINode *Phi : All)
      if (any_of(Phi->incoming_values(), [&](Value *V) {
            auto *Other = dyn_cast<PHINode>(V);
            return pointerOf(V) || (Other && Found.contains(Other));
          }))
        Found.insert(Phi);
  }
  Found.remove_if([&](PHINode *Phi) {
    return !all_of(Phi->incoming_values(), [&](Value *V) {
      auto *Other = dyn_cast<PHINode>(V);
      return !Other || Found.contains(Other);
    });
  });
  return Found;
}

/// Numbers that are loaded, as words of a structure that is moved in memory, and are addresses.
bool loadPointers(Function &F, Type *Word, PointerType *P) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isSimple() || Load->getType() != Word ||
        none_of(Load->users(), [&](const User *U) {
          return isa<IntToPtrInst>(U) && U->getType() == P;
        }))
      continue;
    IRBuilder<> B(Load->getNextNode());
    auto *Pointer = new LoadInst(P, Load->getPointerOperand(), Load->getName(), false,
                                 Load->getAlign(), Load->getIterator());
    Pointer->setDebugLoc(Load->getDebugLoc());
    AAMDNodes Tags = Load->getAAMetadata();
    Tags.TBAA = nullptr;
    Pointer->setAAMetadata(Tags);
    Load->replaceAllUsesWith(B.CreatePtrToInt(Pointer, Word));
    Load->eraseFromParent();
    Changed = true;
  }
  return Changed;
}

/// No object lies below.
constexpr uint64_t LowestAddress = 4096;

} // namespace

bool isNowhere(const Value *V) {
  auto *Cast = dyn_cast<ConstantExpr>(V);
  auto *Small = Cast && Cast->getOpcode() == Instruction::IntToPtr
                    ? dyn_cast<ConstantInt>(Cast->getOperand(0))
                    : nullptr;
  return Small && Small->getValue().ult(LowestAddress);
}

PreservedAnalyses AddressesToPointers::run(Function &F, FunctionAnalysisManager &) {
  Type *Word = F.getDataLayout().getIntPtrType(F.getContext());
  PointerType *P = PointerType::getUnqual(F.getContext());
  bool Changed = loadPointers(F, Word, P);
  SmallSetVector<PHINode *, 8> Numbers = addressPhis(F, Word);
  DenseMap<Value *, PHINode *> Pointers;
  for (PHINode *Phi : Numbers)
    Pointers[Phi] =
        PHINode::Create(P, Phi->getNumIncomingValues(), Phi->getName(), Phi->getIterator());
  for (PHINode *Phi : Numbers)
    for (auto [From, V] : zip(Phi->blocks(), Phi->incoming_values())) {
      Value *Is = Pointers.lookup(V);
      if (!Is)
        Is = pointerOf(V);
      Pointers[Phi]->addIncoming(Is ? Is : ConstantExpr::getIntToPtr(cast<Constant>(V), P), From);
    }
  for (PHINode *Phi : Numbers) {
    IRBuilder<> B(Phi->getParent(), Phi->getParent()->getFirstInsertionPt());
    Phi->replaceAllUsesWith(B.CreatePtrToInt(Pointers[Phi], Word));
  }
  for (PHINode *Phi : Numbers)
    Phi->eraseFromParent();
  Changed |= !Numbers.empty();
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Cast = dyn_cast<IntToPtrInst>(&I)) {
      Value *Is = pointerOf(Cast->getOperand(0));
      if (Is && Is->getType() == Cast->getType() && Cast->getOperand(0)->getType() == Word) {
        Cast->replaceAllUsesWith(Is);
        Cast->eraseFromParent();
        Changed = true;
      }
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      Value *Is = pointerOf(Store->getValueOperand());
      if (Is && Store->isSimple() && Store->getValueOperand()->getType() == Word) {
        Store->setOperand(0, Is);
        Store->setMetadata(LLVMContext::MD_tbaa, nullptr);
        Changed = true;
      }
    }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
