//===- small_numbers.cpp - What a number in a table likely is -------------===//
//
// Consumes: a number that is loaded from a fixed place (a direction, `dx[3]`, after its loop has
// been unrolled), and the function around. Produces: the number that lies there if nobody changes
// it: of a variable that is not const what it begins with, of an object, be it a local variable or
// just allocated, what the function has stored there (a constructor's members, say).
//
// Whoever asks has a guard compare it (plugin/src/detect/numbers.rs). Still, sizes are no such
// numbers: somebody may want to change them, and a guard that fails is a loop that is left. Of an
// object that other functions get to see, only a number among several side by side counts that
// look like directions.
//
//===----------------------------------------------------------------------===//

#include "small_numbers.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Of an argument: what is passed is likely to be this.
constexpr StringLiteral LikelyNumber = "hexpass-likely-number";
/// Stores of numbers that fill a table of a variable's own, at least.
constexpr unsigned FewestStores = 3;
/// Numbers side by side that make a table of part of an object.
constexpr size_t FewestInRow = 4, MostInRow = 64;
/// Users of an object, and addresses in it, that are looked at.
constexpr unsigned MostUsers = 2000;

std::optional<int64_t> numberAt(const Constant *Whole, int64_t Offset, Type *Ty,
                                const DataLayout &DL) {
  auto *Number = dyn_cast_or_null<ConstantInt>(
      ConstantFoldLoadFromConst(const_cast<Constant *>(Whole), Ty, APInt(64, Offset, true), DL));
  if (!Number)
    return std::nullopt;
  return Number->getSExtValue();
}

/// What a function writes to an object, at places known here.
class Writes {
public:
  Writes(const Value &Object, const Function &F) : DL(F.getDataLayout()) {
    SmallVector<std::pair<const Value *, int64_t>, 16> Work{{&Object, 0}};
    for (unsigned Next = 0; Next < Work.size(); ++Next) {
      auto [At, Offset] = Work[Next];
      for (const User *U : At->users()) {
        if (++Seen > MostUsers)
          return;
        if (auto *GEP = dyn_cast<GEPOperator>(U)) {
          APInt By(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
          if (GEP->getPointerOperand() == At && GEP->accumulateConstantOffset(DL, By))
            Work.push_back({GEP, Offset + By.getSExtValue()});
          continue;
        }
        auto *I = dyn_cast<Instruction>(U);
        if (!I || I->getFunction() != &F)
          continue;
        if (auto *Store = dyn_cast<StoreInst>(I); Store && Store->getPointerOperand() == At)
          Stores.push_back({Offset, Store->getValueOperand()});
        if (auto *Copy = dyn_cast<MemCpyInst>(I); Copy && Copy->getRawDest() == At)
          noteCopy(*Copy, Offset);
      }
    }
  }

  /// The one constant that is written there, as a number of that type.
  std::optional<int64_t> at(int64_t Offset, Type *Ty) const {
    std::optional<int64_t> Found;
    int64_t Size = DL.getTypeStoreSize(Ty);
    for (auto [To, Stored] : Stores) {
      int64_t Bytes = DL.getTypeStoreSize(Stored->getType());
      if (To >= Offset + Size || Offset >= To + Bytes)
        continue;
      auto *Known = dyn_cast<Constant>(Stored);
      auto Number = Known ? numberAt(Known, Offset - To, Ty, DL) : std::nullopt;
      if (!Number || (Found && *Found != *Number))
        return std::nullopt;
      Found = Number;
    }
    for (const Copied &C : Copies) {
      if (C.To >= Offset + Size || Offset >= C.To + C.Bytes)
        continue;
      bool Whole = C.To <= Offset && Offset + Size <= C.To + C.Bytes;
      auto Number = Whole ? numberAt(C.What, C.From + Offset - C.To, Ty, DL) : std::nullopt;
      if (!Number || (Found && *Found != *Number))
        return std::nullopt;
      Found = Number;
    }
    return Found;
  }

  size_t stores() const { return Stores.size(); }

private:
  struct Copied {
    int64_t To;
    int64_t Bytes;
    const Constant *What;
    int64_t From;
  };

  void noteCopy(const MemCpyInst &Copy, int64_t Offset) {
    auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    int64_t From = 0;
    const Value *Source = GetPointerBaseWithConstantOffset(Copy.getRawSource(), From, DL);
    auto *Variable = dyn_cast<GlobalVariable>(Source);
    if (Length && Variable && Variable->isConstant() && Variable->hasDefinitiveInitializer())
      Copies.push_back({Offset, Length->getSExtValue(), Variable->getInitializer(), From});
  }

  const DataLayout &DL;
  unsigned Seen = 0;
  SmallVector<std::pair<int64_t, const Value *>, 32> Stores;
  SmallVector<Copied, 4> Copies;
};

/// Directions, some of which point back, or numbers of such: each once. Sizes and flags are none of
/// both, whatever they are at first.
bool isTable(SmallVectorImpl<int64_t> &Row) {
  if (Row.size() < FewestInRow)
    return false;
  llvm::sort(Row);
  bool Each = Row.front() == 0 || Row.front() == 1;
  for (size_t I = 1; I < Row.size(); ++I)
    Each &= Row[I] == Row[I - 1] + 1;
  return Row.front() < 0 || Each;
}

std::optional<int64_t> stored(const Value &Object, int64_t Offset, Type *Ty, const Function &F) {
  Writes Writes(Object, F);
  auto Number = Writes.at(Offset, Ty);
  if (!Number)
    return std::nullopt;
  if (isa<GlobalVariable, AllocaInst>(Object) && isOnlyRead(Object, &F) &&
      Writes.stores() >= FewestStores)
    return Number;
  if (!isa<AllocaInst>(Object) && !isNoAliasCall(&Object))
    return std::nullopt;
  int64_t Size = F.getDataLayout().getTypeStoreSize(Ty);
  SmallVector<int64_t, 32> Row{*Number};
  for (int64_t Step : {-Size, Size})
    for (int64_t At = Offset + Step; Row.size() < MostInRow; At += Step) {
      auto Next = Writes.at(At, Ty);
      if (!Next)
        break;
      Row.push_back(*Next);
    }
  return isTable(Row) ? Number : std::nullopt;
}

} // namespace

bool isOnlyRead(const Value &V, const Function *But) {
  return all_of(V.users(), [&](const User *U) {
    if (isa<GEPOperator>(U))
      return isOnlyRead(*U, But);
    if (auto *Store = dyn_cast<StoreInst>(U))
      return Store->getFunction() == But && Store->getPointerOperand() == &V;
    if (auto *Move = dyn_cast<MemTransferInst>(U))
      return Move->getRawSource() == &V && Move->getRawDest() != &V;
    auto *Call = dyn_cast<IntrinsicInst>(U);
    return isa<LoadInst, ICmpInst>(U) || (Call && Call->isLifetimeStartOrEnd());
  });
}

std::optional<int64_t> likelyNumber(const Value &V, const Function &F) {
  if (auto *Passed = dyn_cast<Argument>(&V)) {
    Attribute Known =
        Passed->getParent()->getAttributes().getParamAttr(Passed->getArgNo(), LikelyNumber);
    int64_t Number;
    if (!Known.isValid() || Known.getValueAsString().getAsInteger(10, Number))
      return std::nullopt;
    return Number;
  }
  auto *Load = dyn_cast<LoadInst>(&V);
  Type *Ty = V.getType();
  if (!Load || !Load->isSimple() || !(Ty->isIntegerTy(32) || Ty->isIntegerTy(64)))
    return std::nullopt;
  int64_t Offset = 0;
  const DataLayout &DL = F.getDataLayout();
  const Value *Object = GetPointerBaseWithConstantOffset(Load->getPointerOperand(), Offset, DL);
  auto *Variable = dyn_cast<GlobalVariable>(Object);
  if (Variable && Variable->hasInitializer() && !Variable->isThreadLocal() &&
      Variable->getValueType()->isAggregateType() && isOnlyRead(*Variable, nullptr))
    return numberAt(Variable->getInitializer(), Offset, Ty, DL);
  return stored(*Object, Offset, Ty, F);
}

void passNumber(const Value &V, const Function &F, Argument &As) {
  if (auto Number = isa<Argument, LoadInst>(V) ? likelyNumber(V, F) : std::nullopt)
    As.addAttr(Attribute::get(F.getContext(), LikelyNumber, itostr(*Number)));
}

} // namespace hexpass
