//===- scev.cpp - Scalar evolution as plain queries ------------------------===//
//
// Consumes: values and loops of an analysed function. Produces: expressions,
// trip counts, ranges, and (shim_expand_scev, the one function that changes the
// IR) code for an expression.
//
//===----------------------------------------------------------------------===//

#include "internal.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace hexpass;

ShimScevRef shim_scev(ShimAnalyses *A, LLVMValueRef V) {
  Value *Of = llvm::unwrap(V);
  if (!A->SE.isSCEVable(Of->getType()))
    return nullptr;
  return hexpass::wrap(A->SE.getSCEV(Of));
}

ShimScevRef shim_scev_at_scope(ShimAnalyses *A, ShimScevRef S,
                               ShimLoopRef Scope) {
  return hexpass::wrap(
      A->SE.getSCEVAtScope(hexpass::unwrap(S), hexpass::unwrap(Scope)));
}

ShimScevKind shim_scev_kind(ShimScevRef S) {
  switch (hexpass::unwrap(S)->getSCEVType()) {
  case scConstant:
    return ShimScevConstant;
  case scVScale:
    return ShimScevVScale;
  case scTruncate:
    return ShimScevTruncate;
  case scZeroExtend:
    return ShimScevZeroExtend;
  case scSignExtend:
    return ShimScevSignExtend;
  case scAddExpr:
    return ShimScevAdd;
  case scMulExpr:
    return ShimScevMul;
  case scUDivExpr:
    return ShimScevUDiv;
  case scAddRecExpr:
    return ShimScevAddRec;
  case scUMaxExpr:
    return ShimScevUMax;
  case scSMaxExpr:
    return ShimScevSMax;
  case scUMinExpr:
    return ShimScevUMin;
  case scSMinExpr:
    return ShimScevSMin;
  case scSequentialUMinExpr:
    return ShimScevSequentialUMin;
  case scPtrToInt:
    return ShimScevPtrToInt;
  case scUnknown:
    return ShimScevUnknown;
  case scCouldNotCompute:
    break;
  }
  return ShimScevCouldNotCompute;
}

static bool isComputed(const SCEV *S) { return !isa<SCEVCouldNotCompute>(S); }

static bool areComputed(ShimScevRef Left, ShimScevRef Right) {
  return isComputed(hexpass::unwrap(Left)) &&
         isComputed(hexpass::unwrap(Right));
}

size_t shim_scev_operand_count(ShimScevRef S) {
  const SCEV *Of = hexpass::unwrap(S);
  return isComputed(Of) ? Of->operands().size() : 0;
}

ShimScevRef shim_scev_operand(ShimScevRef S, size_t Index) {
  ArrayRef<const SCEV *> Operands = hexpass::unwrap(S)->operands();
  return Index < Operands.size() ? hexpass::wrap(Operands[Index]) : nullptr;
}

bool shim_scev_constant(ShimScevRef S, int64_t *Value) {
  auto *C = dyn_cast<SCEVConstant>(hexpass::unwrap(S));
  if (!C || C->getAPInt().getSignificantBits() > 64)
    return false;
  *Value = C->getAPInt().getSExtValue();
  return true;
}

LLVMTypeRef shim_scev_type(ShimScevRef S) {
  const SCEV *Of = hexpass::unwrap(S);
  return isComputed(Of) ? llvm::wrap(Of->getType()) : nullptr;
}

unsigned shim_scev_bits(ShimAnalyses *A, ShimScevRef S) {
  const SCEV *Of = hexpass::unwrap(S);
  return isComputed(Of) ? A->SE.getTypeSizeInBits(Of->getType()) : 0;
}

bool shim_scev_is_pointer(ShimScevRef S) {
  const SCEV *Of = hexpass::unwrap(S);
  return isComputed(Of) && Of->getType()->isPointerTy();
}

bool shim_scev_nuw(ShimScevRef S) {
  auto *N = dyn_cast<SCEVNAryExpr>(hexpass::unwrap(S));
  return N && N->hasNoUnsignedWrap();
}

bool shim_scev_nsw(ShimScevRef S) {
  auto *N = dyn_cast<SCEVNAryExpr>(hexpass::unwrap(S));
  return N && N->hasNoSignedWrap();
}

ShimLoopRef shim_scev_loop(ShimScevRef S) {
  auto *Rec = dyn_cast<SCEVAddRecExpr>(hexpass::unwrap(S));
  return Rec ? hexpass::wrap(Rec->getLoop()) : nullptr;
}

LLVMValueRef shim_scev_value(ShimScevRef S) {
  auto *U = dyn_cast<SCEVUnknown>(hexpass::unwrap(S));
  return U ? llvm::wrap(U->getValue()) : nullptr;
}

ShimScevRef shim_scev_pointer_base(ShimAnalyses *A, ShimScevRef S) {
  if (!shim_scev_is_pointer(S))
    return nullptr;
  return hexpass::wrap(A->SE.getPointerBase(hexpass::unwrap(S)));
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static ShimScevRef notComputed(ShimAnalyses *A) {
  return hexpass::wrap(A->SE.getCouldNotCompute());
}

static bool haveSameType(ShimScevRef Left, ShimScevRef Right, ShimAnalyses *A) {
  return areComputed(Left, Right) &&
         A->SE.getEffectiveSCEVType(hexpass::unwrap(Left)->getType()) ==
             A->SE.getEffectiveSCEVType(hexpass::unwrap(Right)->getType());
}

/// Both of one type, and not addresses.
static bool areNumbers(ShimScevRef Left, ShimScevRef Right, ShimAnalyses *A) {
  return haveSameType(Left, Right, A) && !shim_scev_is_pointer(Left) &&
         !shim_scev_is_pointer(Right);
}

ShimScevRef shim_scev_minus(ShimAnalyses *A, ShimScevRef Left,
                            ShimScevRef Right) {
  // An integer less a pointer is nothing that LLVM defines.
  if (!haveSameType(Left, Right, A) ||
      (shim_scev_is_pointer(Right) && !shim_scev_is_pointer(Left)))
    return notComputed(A);
  return hexpass::wrap(
      A->SE.getMinusSCEV(hexpass::unwrap(Left), hexpass::unwrap(Right)));
}

ShimScevRef shim_scev_add(ShimAnalyses *A, ShimScevRef Left,
                          ShimScevRef Right) {
  if (!haveSameType(Left, Right, A) ||
      (shim_scev_is_pointer(Left) && shim_scev_is_pointer(Right)))
    return notComputed(A);
  return hexpass::wrap(
      A->SE.getAddExpr(hexpass::unwrap(Left), hexpass::unwrap(Right)));
}

ShimScevRef shim_scev_mul(ShimAnalyses *A, ShimScevRef Left,
                          ShimScevRef Right) {
  return areNumbers(Left, Right, A)
             ? hexpass::wrap(A->SE.getMulExpr(hexpass::unwrap(Left), hexpass::unwrap(Right)))
             : notComputed(A);
}

ShimScevRef shim_scev_urem(ShimAnalyses *A, ShimScevRef Left,
                           ShimScevRef Right) {
  return areNumbers(Left, Right, A)
             ? hexpass::wrap(A->SE.getURemExpr(hexpass::unwrap(Left), hexpass::unwrap(Right)))
             : notComputed(A);
}

ShimScevRef shim_scev_of_i64(ShimAnalyses *A, int64_t Value, ShimScevRef Like) {
  if (!isComputed(hexpass::unwrap(Like)))
    return notComputed(A);
  Type *T = A->SE.getEffectiveSCEVType(hexpass::unwrap(Like)->getType());
  return hexpass::wrap(
      A->SE.getConstant(T, static_cast<uint64_t>(Value), /*isSigned=*/true));
}

ShimScevRef shim_scev_cast(ShimAnalyses *A, ShimScevRef S, unsigned Bits,
                           bool IsSigned) {
  if (!isComputed(hexpass::unwrap(S)) || shim_scev_is_pointer(S))
    return notComputed(A);
  Type *T = IntegerType::get(A->F.getContext(), Bits);
  return hexpass::wrap(
      IsSigned ? A->SE.getTruncateOrSignExtend(hexpass::unwrap(S), T)
               : A->SE.getTruncateOrZeroExtend(hexpass::unwrap(S), T));
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool shim_scev_is_invariant(ShimAnalyses *A, ShimScevRef S, ShimLoopRef L) {
  return isComputed(hexpass::unwrap(S)) &&
         A->SE.isLoopInvariant(hexpass::unwrap(S), hexpass::unwrap(L));
}

ShimScevRef shim_scev_apply_guards(ShimAnalyses *A, ShimScevRef S,
                                   ShimLoopRef L) {
  if (!isComputed(hexpass::unwrap(S)))
    return S;
  return hexpass::wrap(
      A->SE.applyLoopGuards(hexpass::unwrap(S), hexpass::unwrap(L)));
}

ShimRange shim_scev_range(ShimAnalyses *A, ShimScevRef S) {
  if (!isComputed(hexpass::unwrap(S)))
    return {0, 0, 0, 0, false, false};
  ConstantRange Signed = A->SE.getSignedRange(hexpass::unwrap(S));
  ConstantRange Unsigned = A->SE.getUnsignedRange(hexpass::unwrap(S));
  ShimRange Range{};
  APInt Low = Signed.getSignedMin(), High = Signed.getSignedMax();
  if (Low.getSignificantBits() <= 64 && High.getSignificantBits() <= 64) {
    Range.signed_fits = true;
    Range.signed_min = Low.getSExtValue();
    Range.signed_max = High.getSExtValue();
  }
  Low = Unsigned.getUnsignedMin(), High = Unsigned.getUnsignedMax();
  if (High.getActiveBits() <= 64) {
    Range.unsigned_fits = true;
    Range.unsigned_min = Low.getZExtValue();
    Range.unsigned_max = High.getZExtValue();
  }
  return Range;
}

static CmpPredicate predicateOf(int P) {
  return static_cast<CmpInst::Predicate>(P);
}

bool shim_scev_known(ShimAnalyses *A, int Predicate, ShimScevRef Left,
                     ShimScevRef Right) {
  return haveSameType(Left, Right, A) &&
         A->SE.isKnownPredicate(predicateOf(Predicate), hexpass::unwrap(Left),
                                hexpass::unwrap(Right));
}

bool shim_scev_known_on_entry(ShimAnalyses *A, ShimLoopRef L, int Predicate,
                              ShimScevRef Left, ShimScevRef Right) {
  const Loop *In = hexpass::unwrap(L);
  return haveSameType(Left, Right, A) &&
         A->SE.isAvailableAtLoopEntry(hexpass::unwrap(Left), In) &&
         A->SE.isAvailableAtLoopEntry(hexpass::unwrap(Right), In) &&
         A->SE.isLoopEntryGuardedByCond(In, predicateOf(Predicate),
                                        hexpass::unwrap(Left),
                                        hexpass::unwrap(Right));
}

ShimScevRef shim_backedge_taken(ShimAnalyses *A, ShimLoopRef L) {
  return hexpass::wrap(A->SE.getBackedgeTakenCount(hexpass::unwrap(L)));
}

ShimScevRef shim_exit_count(ShimAnalyses *A, ShimLoopRef L,
                            LLVMBasicBlockRef Exiting) {
  return hexpass::wrap(
      A->SE.getExitCount(hexpass::unwrap(L), llvm::unwrap(Exiting)));
}

ShimScevRef shim_condition_count(ShimAnalyses *A, ShimLoopRef L, LLVMValueRef Condition,
                                 bool LeavesIf) {
  return hexpass::wrap(A->SE
                           .computeExitLimitFromCond(hexpass::unwrap(L), llvm::unwrap(Condition),
                                                     LeavesIf, /*ControlsOnlyExit=*/false)
                           .ExactNotTaken);
}

LLVMValueRef shim_expand_scev(ShimAnalyses *A, ShimScevRef S, LLVMTypeRef T,
                              LLVMValueRef Before) {
  const SCEV *Of = hexpass::unwrap(S);
  auto *At = dyn_cast<Instruction>(llvm::unwrap(Before));
  Type *To = llvm::unwrap(T);
  if (!At || !isComputed(Of) || !A->SE.isSCEVable(To) ||
      A->SE.getTypeSizeInBits(To) != A->SE.getTypeSizeInBits(Of->getType()))
    return nullptr;
  SCEVExpander Expander(A->SE, "hexpass");
  if (!Expander.isSafeToExpandAt(Of, At))
    return nullptr;
  return llvm::wrap(Expander.expandCodeFor(Of, To, At->getIterator()));
}

void shim_scev_print(ShimScevRef S, ShimSink Sink, void *State) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << *hexpass::unwrap(S);
  put(Sink, State, Text);
}
