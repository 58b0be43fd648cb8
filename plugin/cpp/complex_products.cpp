//===- complex_products.cpp - Products of complex numbers ------------------===//
//
// Consumes: a working copy whose scalars are in registers. In it a product of complex numbers
// calls the compiler's library where both of its parts have come out as NaN:
//
//     re = a * c - b * d;
//     im = a * d + b * c;
//     if (isnan(re) && isnan(im))
//         (re, im) = __muldc3(a, b, c, d);
//
// Produces: the arithmetic of that function in its place, as choices between values. libgcc and
// compiler-rt compute what Annex G of the C standard proposes: where a factor is infinite, or a
// product of two parts is, the result is infinite, too:
//
//     (A, B) = a or b infinite ? (isinf(a) ? copysign(1, a) : 0, same of b) : a, b without NaNs;
//     (C, D) = the same of c, d;
//     re = INFINITY * (A * C - B * D);
//     im = INFINITY * (A * D + B * C);
//
// A zero that stands for something else has no sign here, where the libraries keep one: as a
// summand it vanishes beside any other number, and what is zero as a whole becomes NaN. So the
// results differ in the payloads and signs of NaNs at most.
//
// Also `cabs`, which is `hypot`; and complex numbers come apart that are moved whole: as vectors of
// two floats, as the ABI has them, or by a copy of so many bytes.
//
// Refuses quotients: the libraries round theirs in different ways.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {

bool isComplexProduct(const Function &F) {
  return F.isDeclaration() && (F.getName() == "__muldc3" || F.getName() == "__mulsc3");
}

bool isComplexModulus(const Function &F) {
  return F.isDeclaration() && (F.getName() == "cabs" || F.getName() == "cabsf");
}

namespace {

/// A pair of numbers.
using Pair = std::array<Value *, 2>;

/// Of a factor that may be infinite, which of its parts are, and whether one is; null: surely not.
struct Infinities {
  Pair Are{};
  Value *Any = nullptr;
};

/// Writes before a call what it computes.
class Writer {
public:
  explicit Writer(CallInst &Call) : B(&Call), T(Call.getArgOperand(0)->getType()) {
    if (isa<FPMathOperator>(Call))
      Usual.setAllowContract(Call.hasAllowContract());
    Infinity = ConstantFP::getInfinity(T);
    Zero = ConstantFP::get(T, 0.0);
  }

  Pair product(Pair X, Pair Y) {
    // What stands before the call, with the same flags: clean-up makes one of both.
    B.setFastMathFlags(Usual);
    Pair Fast{B.CreateFSub(B.CreateFMul(X[0], Y[0]), B.CreateFMul(X[1], Y[1])),
              B.CreateFAdd(B.CreateFMul(X[0], Y[1]), B.CreateFMul(X[1], Y[0]))};
    B.clearFastMathFlags();
    Infinities OfX = infinities(X), OfY = infinities(Y);
    Value *Overflows = nullptr;
    for (Value *P : X)
      for (Value *Q : Y)
        if (mayOverflow(P, Q))
          Overflows = either(Overflows, overflows(P, Q));
    Value *Recovers = either(either(OfX.Any, OfY.Any), Overflows);
    if (!Recovers)
      return Fast;
    Value *Slow = B.CreateAnd(B.CreateFCmpUNO(Fast[0], Fast[0]), B.CreateFCmpUNO(Fast[1], Fast[1]));
    Recovers = B.CreateAnd(Slow, Recovers);
    Pair A = boxed(X, OfX, /*Others=*/OfY.Any || Overflows);
    Pair C = boxed(Y, OfY, /*Others=*/OfX.Any || Overflows);
    Pair Sums{sum(times(A[0], C[0]), times(A[1], C[1]), true),
              sum(times(A[0], C[1]), times(A[1], C[0]), false)};
    return {B.CreateSelect(Recovers, B.CreateFMul(Sums[0], Infinity), Fast[0]),
            B.CreateSelect(Recovers, B.CreateFMul(Sums[1], Infinity), Fast[1])};
  }

  IRBuilder<> B;

private:
  static const APFloat *constant(Value *V) {
    const APFloat *C;
    return match(V, m_APFloat(C)) ? C : nullptr;
  }

  Value *either(Value *X, Value *Y) { return X && Y ? B.CreateOr(X, Y) : X ? X : Y; }

  Value *magnitude(Value *V) { return B.CreateUnaryIntrinsic(Intrinsic::fabs, V); }

  Value *isInfinite(Value *V) { return B.CreateFCmpOEQ(magnitude(V), Infinity); }

  /// A product of its own: the usual ones may be parts of fused operations only where nothing
  /// else uses them.
  Value *overflows(Value *X, Value *Y) {
    return B.CreateFCmpOEQ(B.CreateFMul(magnitude(X), magnitude(Y)), Infinity);
  }

  /// The product of two parts may be infinite where neither of them is.
  static bool mayOverflow(Value *X, Value *Y) {
    auto Shrinks = [](Value *V) {
      const APFloat *C = constant(V);
      return C && (C->isNaN() || abs(*C) <= APFloat::getOne(C->getSemantics()));
    };
    return !Shrinks(X) && !Shrinks(Y);
  }

  /// The same product of two parts, or null where it is zero.
  Value *times(Value *X, Value *Y) {
    if (match(X, m_AnyZeroFP()) || match(Y, m_AnyZeroFP()))
      return nullptr;
    return B.CreateFMul(X, Y);
  }

  Value *sum(Value *X, Value *Y, bool Minus) {
    if (!Y)
      return X ? X : Zero;
    if (!X)
      return Minus ? B.CreateFNeg(Y) : Y;
    return Minus ? B.CreateFSub(X, Y) : B.CreateFAdd(X, Y);
  }

  Infinities infinities(Pair Parts) {
    Infinities Found;
    for (unsigned I : {0, 1}) {
      const APFloat *C = constant(Parts[I]);
      if (C && !C->isInfinity())
        continue;
      Found.Are[I] = isInfinite(Parts[I]);
      Found.Any = either(Found.Any, Found.Are[I]);
    }
    return Found;
  }

  /// What stands for a factor where infinities are recovered: of an infinite one the signs of its
  /// infinite parts. Of one that isn't, if there are others: its numbers.
  Pair boxed(Pair Parts, const Infinities &Found, bool Others) {
    Pair Box;
    for (unsigned I : {0, 1}) {
      Value *V = Parts[I], *Sign = Zero, *Number = V;
      if (Value *Is = Found.Are[I])
        Sign = B.CreateSelect(
            Is, B.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::get(T, 1.0), V), Zero);
      if (const APFloat *C = constant(V))
        Number = C->isNaN() ? Zero : V;
      else if (Others)
        Number = B.CreateSelect(B.CreateFCmpORD(V, V), V, Zero);
      bool Both = Others && Found.Any;
      Box[I] = Both ? B.CreateSelect(Found.Any, Sign, Number) : Found.Any ? Sign : Number;
    }
    return Box;
  }

  Type *T;
  FastMathFlags Usual;
  Constant *Infinity, *Zero;
};

/// Two numbers as the ABI passes them.
Value *asReturned(IRBuilder<> &B, Type *T, Pair Parts) {
  Value *Whole = PoisonValue::get(T);
  for (unsigned I : {0, 1})
    Whole = T->isVectorTy() ? B.CreateInsertElement(Whole, Parts[I], I)
                            : B.CreateInsertValue(Whole, Parts[I], I);
  return Whole;
}

bool isPairOf(Type *Whole, Type *T) {
  if (auto *Vector = dyn_cast<FixedVectorType>(Whole))
    return Vector->getNumElements() == 2 && Vector->getElementType() == T;
  auto *Struct = dyn_cast<StructType>(Whole);
  return Struct && Struct->getNumElements() == 2 && Struct->getElementType(0) == T &&
         Struct->getElementType(1) == T;
}

bool isReal(Type *T) { return T->isFloatTy() || T->isDoubleTy(); }

/// A product, if the call is one of this form.
bool replaceProduct(CallInst &Call) {
  if (Call.arg_size() != 4)
    return false;
  Type *T = Call.getArgOperand(0)->getType();
  if (!isReal(T) || any_of(Call.args(), [&](Value *V) { return V->getType() != T; }) ||
      !isPairOf(Call.getType(), T))
    return false;
  Writer W(Call);
  Pair Parts = W.product({Call.getArgOperand(0), Call.getArgOperand(1)},
                         {Call.getArgOperand(2), Call.getArgOperand(3)});
  Call.replaceAllUsesWith(asReturned(W.B, Call.getType(), Parts));
  Call.eraseFromParent();
  return true;
}

/// A modulus; of a float's the parts may come as one vector.
bool replaceModulus(CallInst &Call) {
  Type *T = Call.getType();
  IRBuilder<> B(&Call);
  Pair Parts;
  if (Call.arg_size() == 2)
    Parts = {Call.getArgOperand(0), Call.getArgOperand(1)};
  else if (Call.arg_size() == 1 && isPairOf(Call.getArgOperand(0)->getType(), T) &&
           Call.getArgOperand(0)->getType()->isVectorTy())
    Parts = {B.CreateExtractElement(Call.getArgOperand(0), uint64_t(0)),
             B.CreateExtractElement(Call.getArgOperand(0), uint64_t(1))};
  else
    return false;
  if (!isReal(T) || Parts[0]->getType() != T || Parts[1]->getType() != T)
    return false;
  StringRef Name = T->isFloatTy() ? "hypotf" : "hypot";
  CallInst *New = B.CreateCall(Call.getModule()->getOrInsertFunction(Name, T, T, T), Parts);
  New->setAttributes(AttributeList::get(Call.getContext(), Call.getAttributes().getFnAttrs(),
                                        AttributeSet(), {}));
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
  return true;
}

/// Loads and stores of both parts of a number of floats, as two of them.
bool splitAccess(Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!(Load && Load->isSimple()) && !(Store && Store->isSimple()))
    return false;
  Type *T = Type::getFloatTy(I.getContext()), *Whole = getLoadStoreType(&I);
  if (Whole != FixedVectorType::get(T, 2))
    return false;
  IRBuilder<> B(&I);
  const DataLayout &DL = I.getDataLayout();
  Pair Parts;
  for (unsigned Part : {0, 1}) {
    unsigned Offset = Part * DL.getTypeStoreSize(T);
    Align Alignment = commonAlignment(getLoadStoreAlignment(&I), Offset);
    Value *At = B.CreateConstInBoundsGEP1_32(T, getLoadStorePointerOperand(&I), Part);
    Instruction *New =
        Load ? cast<Instruction>(B.CreateAlignedLoad(T, At, Alignment))
             : B.CreateAlignedStore(B.CreateExtractElement(Store->getValueOperand(), Part), At,
                                    Alignment);
    New->setAAMetadata(I.getAAMetadata().adjustForAccess(Offset, T, DL));
    Parts[Part] = New;
  }
  if (Load)
    Load->replaceAllUsesWith(asReturned(B, Whole, Parts));
  I.eraseFromParent();
  return true;
}

/// The type of both parts, if that is what the address says it is of.
Type *partType(Value *Address) {
  auto *GEP = dyn_cast<GEPOperator>(Address);
  Type *Whole = GEP ? GEP->getResultElementType() : nullptr;
  while (auto *Struct = dyn_cast_or_null<StructType>(Whole)) {
    if (Struct->getNumElements() != 1) {
      Type *First = Struct->getNumElements() ? Struct->getElementType(0) : nullptr;
      return First && isReal(First) && isPairOf(Struct, First) ? First : nullptr;
    }
    Whole = Struct->getElementType(0);
  }
  return nullptr;
}

/// A copy of one number, as loads and stores of both parts.
bool splitCopy(Instruction &I) {
  auto *Copy = dyn_cast<MemCpyInst>(&I);
  auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
  if (!Length || Copy->isVolatile())
    return false;
  Type *T = partType(Copy->getRawDest());
  if (!T)
    T = partType(Copy->getRawSource());
  const DataLayout &DL = I.getDataLayout();
  if (!T || Length->getValue() != 2 * DL.getTypeStoreSize(T))
    return false;
  IRBuilder<> B(&I);
  auto Place = [&](Value *Start, unsigned Part) {
    return B.CreateConstInBoundsGEP1_32(T, Start, Part);
  };
  auto Mark = [&](Instruction *New, unsigned Offset) {
    New->setAAMetadata(I.getAAMetadata().adjustForAccess(Offset, T, DL));
    return New;
  };
  auto AlignmentOf = [](MaybeAlign Start, unsigned Offset) {
    return commonAlignment(Start.valueOrOne(), Offset);
  };
  unsigned Size = DL.getTypeStoreSize(T);
  Pair Parts;
  // Both are read before any is written, as the copy does.
  for (unsigned Part : {0, 1})
    Parts[Part] = Mark(B.CreateAlignedLoad(T, Place(Copy->getRawSource(), Part),
                                           AlignmentOf(Copy->getSourceAlign(), Part * Size)),
                       Part * Size);
  for (unsigned Part : {0, 1})
    Mark(B.CreateAlignedStore(Parts[Part], Place(Copy->getRawDest(), Part),
                              AlignmentOf(Copy->getDestAlign(), Part * Size)),
         Part * Size);
  I.eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses ComplexCopies::run(Function &F, FunctionAnalysisManager &) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    Changed |= splitCopy(I);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

PreservedAnalyses ComplexProducts::run(Function &F, FunctionAnalysisManager &) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (splitAccess(I)) {
      Changed = true;
      continue;
    }
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->getFunctionType() != Call->getFunctionType() ||
        Call->isMustTailCall() || Call->isStrictFP())
      continue;
    if (isComplexProduct(*Callee))
      Changed |= replaceProduct(*Call);
    else if (isComplexModulus(*Callee))
      Changed |= replaceModulus(*Call);
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
