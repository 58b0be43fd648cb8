//===- readers.cpp - What functions of the unit do with what they are handed -===//
//
// Consumes: a working copy after inlining. Produces: the same calls; of those whose bodies are in
// the module it is said which arguments they don't keep, which they only look at, and whether they
// write anything at all, so that what lies in a structure is known behind a function that shows it,
// and what an object holds behind code that never saw it. Callees are read as they are, before the
// host has cleaned them up: arguments are followed through variables.
// Refuses what may be replaced when linking, recursion, bodies that are too long, and units of Rust.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "stretches.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Instructions of a body that is read.
constexpr unsigned MostRead = 4000;

/// A local variable of one pointer, whose own address nobody has.
bool isVariable(const Value *At) {
  auto *Slot = dyn_cast<AllocaInst>(At);
  return Slot && Slot->isStaticAlloca() && all_of(Slot->uses(), [](const Use &U) {
           auto *I = cast<Instruction>(U.getUser());
           if (auto *Load = dyn_cast<LoadInst>(I))
             return Load->isSimple() && Load->getType()->isPointerTy();
           if (auto *Store = dyn_cast<StoreInst>(I))
             return Store->isSimple() && U.getOperandNo() == Store->getPointerOperandIndex() &&
                    Store->getValueOperand()->getType()->isPointerTy();
           return I->isLifetimeStartOrEnd();
         });
}

bool isLocal(const Value *At) { return isa<AllocaInst>(getUnderlyingObject(At)); }

/// What becomes of a pointer that a function is handed.
struct Deed {
  bool Kept = false, Written = false, Returned = false;

  static Deed anything() { return {true, true, true}; }
};

class Readers {
public:
  /// `Early`: bodies are as they were written.
  explicit Readers(bool Early) : Early(Early) {}

  Deed of(const Argument &A) {
    // Who calls itself is not followed.
    if (auto [Found, New] = Deeds.try_emplace(&A, Deed::anything()); !New)
      return Found->second;
    bool IsOwn = A.hasPassPointeeByValueCopyAttr() || A.hasStructRetAttr();
    Deed Does = isRead(*A.getParent()) && !IsOwn ? follow(A) : Deed::anything();
    return Deeds[&A] = Does;
  }

  /// It leaves the program's memory as it was.
  bool writesNothing(const Function &F) {
    if (auto [Found, New] = Quiet.try_emplace(&F, false); !New)
      return Found->second;
    bool Nothing = isRead(F) && all_of(instructions(F), [&](const Instruction &I) {
                     return !I.mayWriteToMemory() || staysInside(I);
                   });
    return Quiet[&F] = Nothing;
  }

private:
  /// What another unit has in its place was made of the same source; as that was written, it does
  /// nothing that this one does not.
  bool isRead(const Function &F) const {
    bool IsTheSame = F.hasExactDefinition() || (Early && !F.isInterposable());
    return !F.isDeclaration() && IsTheSame && F.getInstructionCount() <= MostRead;
  }

  /// Everything that is made of the pointer.
  Deed follow(const Argument &A) {
    SmallVector<const Value *, 16> Work{&A};
    SmallPtrSet<const Value *, 16> Seen{&A};
    auto Add = [&](const Value *V) {
      if (Seen.insert(V).second)
        Work.push_back(V);
    };
    Deed Does;
    while (!Work.empty() && !(Does.Kept && Does.Written))
      for (const Use &U : Work.pop_back_val()->uses()) {
        auto *I = cast<Instruction>(U.getUser());
        if (isa<GetElementPtrInst, PHINode, SelectInst, AddrSpaceCastInst, FreezeInst>(I)) {
          Add(I);
        } else if (auto *Load = dyn_cast<LoadInst>(I)) {
          Does.Written |= !Load->isSimple();
        } else if (auto *Test = dyn_cast<ICmpInst>(I)) {
          Does.Kept |= !isa<ConstantPointerNull>(Test->getOperand(1 - U.getOperandNo()));
        } else if (auto *Store = dyn_cast<StoreInst>(I)) {
          if (U.getOperandNo() == Store->getPointerOperandIndex()) {
            Does.Written = true;
          } else if (isVariable(Store->getPointerOperand())) {
            for (const User *Other : Store->getPointerOperand()->users())
              if (isa<LoadInst>(Other))
                Add(Other);
          } else {
            return Deed::anything();
          }
        } else if (auto *Call = dyn_cast<CallBase>(I)) {
          Deed There = of(*Call, U);
          Does.Kept |= There.Kept;
          Does.Written |= There.Written;
          if (There.Returned)
            Add(Call);
        } else if (isa<ReturnInst>(I)) {
          Does.Returned = true;
        } else {
          return Deed::anything();
        }
      }
    return Does;
  }

  Deed of(const CallBase &Call, const Use &U) {
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call))
      if (Intrinsic->isAssumeLikeIntrinsic())
        return {};
    if (!Call.isArgOperand(&U))
      return Deed::anything();
    unsigned N = Call.getArgOperandNo(&U);
    if (Call.isByValArgument(N))
      return {};
    if (bool Writes; lendsOnly(Call, N, Writes))
      return {false, Writes, false};
    bool IsKept = !Call.doesNotCapture(N);
    Deed Does{IsKept, !Call.onlyReadsMemory(N), IsKept};
    const Function *Callee = Call.getCalledFunction();
    if ((Does.Kept || Does.Written) && Callee && N < Callee->arg_size()) {
      Deed There = of(*Callee->getArg(N));
      Does.Kept &= There.Kept;
      Does.Written &= There.Written;
      Does.Returned &= There.Returned;
    }
    return Does;
  }

  /// What it writes is the function's own, or out of the program.
  bool staysInside(const Instruction &I) {
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return Store->isSimple() && isLocal(Store->getPointerOperand());
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      return false;
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(Call)) {
      auto *Mem = dyn_cast<MemIntrinsic>(Intrinsic);
      return Intrinsic->isAssumeLikeIntrinsic() ||
             (Mem && !Mem->isVolatile() && isLocal(Mem->getRawDest()));
    }
    const Function *Callee = Call->getCalledFunction();
    return leavesMemory(*Call) || (Callee && writesNothing(*Callee));
  }

  bool Early;
  DenseMap<const Argument *, Deed> Deeds;
  DenseMap<const Function *, bool> Quiet;
};

} // namespace

const Value *onlyValueOf(const Value *Variable) {
  if (!isVariable(Variable))
    return nullptr;
  const Value *Only = nullptr;
  for (const User *U : Variable->users())
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Only)
        return nullptr;
      Only = Store->getValueOperand();
    }
  return Only;
}

/// Rust's compiler says it itself, of references; of what more is known, clean-up makes subscripts that
/// are harder to read (a torus of rows is no nest any more).
static bool isOfRust(const Module &M) {
  const NamedMDNode *Ident = M.getNamedMetadata("llvm.ident");
  return Ident && any_of(Ident->operands(), [](const MDNode *Of) {
           auto *Name = Of->getNumOperands() ? dyn_cast<MDString>(Of->getOperand(0)) : nullptr;
           return Name && Name->getString().starts_with("rustc");
         });
}

void sayWhatCalleesDo(Function &Copy, bool Early) {
  if (isOfRust(*Copy.getParent()))
    return;
  Readers Of(Early);
  auto NotKept = Attribute::getWithCaptureInfo(Copy.getContext(), CaptureInfo::none());
  for (Instruction &I : instructions(Copy)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->isDeclaration())
      continue;
    for (const Argument &A : Callee->args()) {
      unsigned N = A.getArgNo();
      if (N >= Call->arg_size() || !A.getType()->isPointerTy())
        continue;
      Deed Does = Of.of(A);
      if (Does.Kept || Does.Returned)
        continue;
      Call->addParamAttr(N, NotKept);
      if (!Does.Written)
        Call->addParamAttr(N, Attribute::ReadOnly);
    }
    if (!Of.writesNothing(*Callee))
      continue;
    // An object without members may be returned in memory that its caller says is writable.
    for (unsigned N = 0; N < Call->arg_size(); ++N)
      Call->removeParamAttr(N, Attribute::Writable);
    Call->setMemoryEffects(Call->getMemoryEffects() &
                           (MemoryEffects::readOnly() | MemoryEffects::inaccessibleMemOnly() |
                            MemoryEffects::errnoMemOnly()));
  }
}

} // namespace hexpass
