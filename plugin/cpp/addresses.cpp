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
// and loads here. Refuses phis of other numbers than addresses, constants and, where what comes out
// is a pointer, words that are loaded.
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

/// Something takes the number for an address.
bool isTakenForAddress(const Value *V, PointerType *P) {
  return any_of(V->users(),
                [&](const User *U) { return isa<IntToPtrInst>(U) && U->getType() == P; });
}

/// A word that is loaded as a number.
LoadInst *loadedWord(Value *V, Type *Word) {
  auto *Load = dyn_cast<LoadInst>(V);
  return Load && Load->isSimple() && Load->getType() == Word ? Load : nullptr;
}

using Phis = SmallSetVector<PHINode *, 8>;

/// Those of the phis which are taken for addresses, perhaps behind others.
Phis takenForAddresses(const Phis &All, PointerType *P) {
  Phis Taken;
  for (PHINode *Phi : All)
    if (isTakenForAddress(Phi, P))
      Taken.insert(Phi);
  for (size_t At = 0; At < Taken.size(); ++At)
    for (Value *V : Taken[At]->incoming_values())
      if (auto *Phi = dyn_cast<PHINode>(V); Phi && All.contains(Phi))
        Taken.insert(Phi);
  return Taken;
}

/// Phis that hand on addresses: pointers go in as numbers, or words that are loaded come out as
/// pointers.
Phis addressPhis(Function &F, Type *Word, PointerType *P) {
  Phis All;
  for (Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->getType() == Word)
      All.insert(Phi);
  const Phis Taken = takenForAddresses(All, P);
  auto IsAddress = [&](PHINode *Phi, Value *V) {
    return pointerOf(V) || (loadedWord(V, Word) && Taken.contains(Phi));
  };
  for (size_t Before = 0; Before != All.size();) {
    Before = All.size();
    All.remove_if([&](PHINode *Phi) {
      return !all_of(Phi->incoming_values(), [&](Value *V) {
        auto *Other = dyn_cast<PHINode>(V);
        return isa<ConstantInt>(V) || IsAddress(Phi, V) || (Other && All.contains(Other));
      });
    });
  }
  // Of constants alone nothing says that they are addresses.
  Phis Found;
  for (size_t Before = ~size_t(0); Before != Found.size();) {
    Before = Found.size();
    for (PHINode *Phi : All)
      if (any_of(Phi->incoming_values(), [&](Value *V) {
            auto *Other = dyn_cast<PHINode>(V);
            return IsAddress(Phi, V) || (Other && Found.contains(Other));
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

/// Loads the pointer of which the word is the address.
void loadPointer(LoadInst *Load, PointerType *P) {
  IRBuilder<> B(Load->getNextNode());
  auto *Pointer = new LoadInst(P, Load->getPointerOperand(), Load->getName(), false,
                               Load->getAlign(), Load->getIterator());
  Pointer->setDebugLoc(Load->getDebugLoc());
  AAMDNodes Tags = Load->getAAMetadata();
  Tags.TBAA = nullptr;
  Pointer->setAAMetadata(Tags);
  Load->replaceAllUsesWith(B.CreatePtrToInt(Pointer, Load->getType()));
  Load->eraseFromParent();
}

/// Numbers that are loaded, as words of a structure that is moved in memory, and are addresses.
bool loadPointers(Function &F, Type *Word, PointerType *P) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (LoadInst *Load = loadedWord(&I, Word); Load && isTakenForAddress(Load, P)) {
      loadPointer(Load, P);
      Changed = true;
    }
  return Changed;
}

/// The same for those that the phis hand on.
void loadHandedOn(const Phis &Numbers, Type *Word, PointerType *P) {
  for (PHINode *Phi : Numbers)
    for (unsigned At = 0; At < Phi->getNumIncomingValues(); ++At)
      if (LoadInst *Load = loadedWord(Phi->getIncomingValue(At), Word))
        loadPointer(Load, P);
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
  const Phis Numbers = addressPhis(F, Word, P);
  loadHandedOn(Numbers, Word, P);
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
