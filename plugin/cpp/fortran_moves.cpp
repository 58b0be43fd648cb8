//===- fortran_moves.cpp - Allocatable arrays that change places ------------===//
//
// Consumes: a working copy. Fortran's way to swap two allocatable arrays is three moves, each
// a call of flang's runtime with two descriptors:
//
//     call move_alloc(a, kept)        _FortranAMoveAlloc(&kept, &a, ...)
//     call move_alloc(b, a)           _FortranAMoveAlloc(&a, &b, ...)
//     call move_alloc(kept, b)        _FortranAMoveAlloc(&b, &kept, ...)
//
// Produces: loads of what the arrays' descriptors hold and stores of it into others, as swapped
// pointers are, for moves that stand together. What the runtime does besides, it does not do there:
// an array that is moved to is not allocated, since the program has just said so or a move has
// taken its memory, so that nothing is freed; nobody asks for a status. Where `kept` outlives the
// step (a variable of a main program), each step asks whether it is allocated, and makes the calls
// if so, which rare_paths.cpp takes out of a time loop. Of an array that is not allocated only that
// it isn't is kept.
//
// All arrays of such moves have the rank and type of one whose descriptor is known: Fortran has it
// so. Elements of derived types, whose descriptors are longer, are left as calls.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "fortran_descriptors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>
#include <optional>
#include <utility>

using namespace llvm;

namespace hexpass {
namespace {

/// Arguments of the runtime's function (flang/Runtime/allocatable.h).
enum : unsigned { ToArgument, FromArgument, DerivedArgument, StatusArgument, MessageArgument };

/// A call that moves an allocation and may not fail.
CallInst *move(Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || Callee->getName() != "_FortranAMoveAlloc" ||
      Call->arg_size() <= MessageArgument || !Call->use_empty())
    return nullptr;
  auto IsNothing = [&](unsigned Argument) {
    auto *C = dyn_cast<Constant>(Call->getArgOperand(Argument));
    return C && C->isNullValue();
  };
  return IsNothing(DerivedArgument) && IsNothing(StatusArgument) && IsNothing(MessageArgument)
             ? Call
             : nullptr;
}

/// Nothing that is in memory changes, nor does anybody look there.
bool leavesMemory(const Instruction &I) {
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return !I.mayReadOrWriteMemory() || (Intrinsic && Intrinsic->isAssumeLikeIntrinsic());
}

/// Descriptors that one row of moves works on.
class Exchange {
public:
  explicit Exchange(ArrayRef<CallInst *> Moves) : Moves(Moves) {}
  /// The moves are loads and stores now.
  bool replace();

private:
  struct Array {
    Value *Descriptor;
    std::pair<const Value *, int64_t> Place;
    /// Whose memory it has when the moves so far have been made; nothing, if it is not allocated.
    std::optional<size_t> Has;
    /// How the program reads its words.
    MDNode *Tag = nullptr;
    /// It is not allocated before the first of them; the program has to be asked.
    bool WasEmpty = false, IsAsked = false;
  };

  size_t indexOf(Value *Descriptor);
  bool isEmpty(const Value *Descriptor) const;
  std::optional<uint64_t> rank() const;
  bool follow();
  bool hasCalls() const;
  void askFirst(IRBuilder<> &B);

  ArrayRef<CallInst *> Moves;
  SmallVector<Array, 4> Arrays;
};

/// The program has just said that the local array is not allocated.
bool Exchange::isEmpty(const Value *Descriptor) const {
  auto *Local = dyn_cast<AllocaInst>(Descriptor->stripPointerCasts());
  if (!Local)
    return false;
  auto Fields = fieldsBefore(*Moves.front(), Local);
  auto Base = Fields.find(BaseAt);
  return Base != Fields.end() && isa<ConstantPointerNull>(Base->second);
}

size_t Exchange::indexOf(Value *Descriptor) {
  APInt Offset(64, 0);
  const Value *Base = Descriptor->stripAndAccumulateConstantOffsets(
      Moves.front()->getDataLayout(), Offset, /*AllowNonInbounds=*/true);
  std::pair<const Value *, int64_t> Place(Base, Offset.getSExtValue());
  for (auto [Index, A] : enumerate(Arrays))
    if (A.Place == Place)
      return Index;
  size_t Index = Arrays.size();
  bool Empty = isEmpty(Descriptor);
  Arrays.push_back({Descriptor, Place, Empty ? std::nullopt : std::optional(Index),
                    tagOfWords(*Moves.front()->getFunction(), Descriptor), Empty});
  return Index;
}

/// Who has whose memory behind the moves; false if one of them may free some.
bool Exchange::follow() {
  for (CallInst *Call : Moves) {
    size_t To = indexOf(Call->getArgOperand(ToArgument)),
           From = indexOf(Call->getArgOperand(FromArgument));
    Array &Gets = Arrays[To];
    if (To == From || (Gets.Has && Gets.Has != To))
      return false;
    Gets.IsAsked |= Gets.Has.has_value();
    Gets.Has = std::exchange(Arrays[From].Has, std::nullopt);
  }
  // What is said of one descriptor is true of another.
  auto Tagged = find_if(Arrays, [](const Array &A) { return A.Tag; });
  for (Array &A : Arrays)
    if (!A.Tag && Tagged != Arrays.end())
      A.Tag = Tagged->Tag;
  return none_of(Arrays, [](const Array &A) { return A.IsAsked && A.Has; });
}

/// The dimensions of all of them, from a local array of numbers, or from one that the program
/// begins with.
std::optional<uint64_t> Exchange::rank() const {
  const DataLayout &DL = Moves.front()->getDataLayout();
  for (const Array &A : Arrays) {
    std::map<int64_t, Value *> Fields;
    auto *Global = dyn_cast<GlobalVariable>(const_cast<Value *>(A.Place.first));
    auto *Local = dyn_cast<AllocaInst>(A.Descriptor->stripPointerCasts());
    if (Local)
      Fields = fieldsBefore(*Moves.front(), Local);
    else if (Global && Global->hasDefinitiveInitializer())
      for (int64_t At : {RankAt, TypeAt, AttributeAt, ExtraAt})
        Fields[At] = ConstantFoldLoadFromConst(Global->getInitializer(),
                                               Type::getInt8Ty(Global->getContext()),
                                               APInt(64, A.Place.second + At), DL);
    auto Number = [&](int64_t At) -> uint64_t {
      auto Found = Fields.find(At);
      auto *C = Found == Fields.end() ? nullptr : dyn_cast_or_null<ConstantInt>(Found->second);
      std::optional<uint64_t> Kept;
      if (!C && Local)
        Kept = fieldOfLocal(*Local, At);
      return C ? C->getZExtValue() : Kept.value_or(~uint64_t(0));
    };
    uint64_t Rank = Number(RankAt);
    if (Rank >= 1 && Rank <= MostDimensions && isNumber(Number(TypeAt)) &&
        Number(AttributeAt) == Allocatable && Number(ExtraAt) == 0)
      return Rank;
  }
  return std::nullopt;
}

/// All that the calls are handed is known before the first of them.
bool Exchange::hasCalls() const {
  return all_of(Moves, [&](CallInst *Call) {
    return all_of(Call->args(), [&](const Use &Argument) {
      auto *I = dyn_cast<Instruction>(Argument.get());
      return !I || I->getParent() != Call->getParent() || I->comesBefore(Moves.front());
    });
  });
}

/// Makes the calls where an array is allocated that is not expected to be; `B` goes on where none is.
void Exchange::askFirst(IRBuilder<> &B) {
  Value *Empty = B.getTrue();
  for (const Array &A : Arrays)
    if (A.IsAsked) {
      LoadInst *Base = B.CreateAlignedLoad(B.getPtrTy(), A.Descriptor, Align(1));
      Base->setMetadata(LLVMContext::MD_tbaa, A.Tag);
      Empty = B.CreateAnd(Empty, B.CreateIsNull(Base));
    }
  BasicBlock *Before = Moves.front()->getParent();
  BasicBlock *After = SplitBlock(Before, Moves.front());
  LLVMContext &Context = After->getContext();
  auto *Exchanges = BasicBlock::Create(Context, "exchange", After->getParent(), After);
  auto *Calls = BasicBlock::Create(Context, "moves", After->getParent(), After);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Before);
  B.CreateCondBr(Empty, Exchanges, Calls);
  B.SetInsertPoint(Calls);
  for (CallInst *Call : Moves)
    B.Insert(Call->clone());
  B.CreateBr(After);
  B.SetInsertPoint(BranchInst::Create(After, Exchanges));
}

bool Exchange::replace() {
  if (!follow())
    return false;
  std::optional<uint64_t> Rank = rank();
  bool Asks = any_of(Arrays, [](const Array &A) { return A.IsAsked; });
  if (!Rank || (Asks && !hasCalls()))
    return false;
  IRBuilder<> B(Moves.front());
  if (Asks)
    askFirst(B);
  SmallVector<std::pair<int64_t, Type *>, 10> Words{{BaseAt, B.getPtrTy()}};
  for (uint64_t Field = 0; Field < 3 * *Rank; ++Field)
    Words.push_back({LowerAt + int64_t(8 * Field), B.getInt64Ty()});
  auto Place = [&](const Array &A, int64_t At) {
    return At ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), A.Descriptor, At) : A.Descriptor;
  };
  SmallVector<SmallVector<Value *, 10>, 4> Held(Arrays.size());
  for (auto [A, Values] : zip(Arrays, Held)) {
    if (A.WasEmpty || A.IsAsked)
      continue;
    for (auto [At, T] : Words) {
      LoadInst *Load = B.CreateAlignedLoad(T, Place(A, At), Align(1));
      Load->setMetadata(LLVMContext::MD_tbaa, A.Tag);
      Values.push_back(Load);
    }
  }
  for (auto [Index, A] : enumerate(Arrays)) {
    if (A.Has == Index || (!A.Has && (A.WasEmpty || A.IsAsked)))
      continue;
    for (auto [Word, Where] : enumerate(Words)) {
      Value *New = A.Has ? Held[*A.Has][Word] : Constant::getNullValue(Where.second);
      StoreInst *Store = B.CreateAlignedStore(New, Place(A, Where.first), Align(1));
      Store->setMetadata(LLVMContext::MD_tbaa, A.Tag);
      if (!A.Has)
        break;
    }
  }
  for (CallInst *Call : Moves)
    Call->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses MoveAllocations::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<SmallVector<CallInst *, 4>, 2> Rows;
  for (BasicBlock &Block : F) {
    const Loop *L = LI.getLoopFor(&Block);
    if (!L || L->isInnermost())
      continue;
    bool Goes = false;
    for (Instruction &I : Block) {
      if (CallInst *Call = move(I)) {
        if (!std::exchange(Goes, true))
          Rows.emplace_back();
        Rows.back().push_back(Call);
      } else if (!leavesMemory(I)) {
        Goes = false;
      }
    }
  }
  bool Changed = false;
  for (auto &Row : Rows)
    Changed |= Exchange(Row).replace();
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
