//===- remarks.cpp - Optimisation remarks of pass "hexpass" ----------------===//
//
// Consumes: a decision in words. Produces: what -Rpass=hexpass and its sisters
// print, and -fsave-optimization-record writes. The host filters and formats.
//
//===----------------------------------------------------------------------===//

#include "internal.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;
using namespace hexpass;

static constexpr char PassName[] = "hexpass";

static DiagnosticLocation position(const Function &F, const Loop *L,
                                   const Value *At) {
  if (auto *I = dyn_cast_or_null<Instruction>(At))
    if (I->getDebugLoc())
      return DebugLoc(inOwnSource(I->getDebugLoc().get()));
  if (L)
    if (DebugLoc Start = inOwnSource(L->getStartLoc().get()))
      return Start;
  return F.getSubprogram();
}

void shim_remark(ShimContext *Ctx, ShimRemarkKind Kind, LLVMValueRef Function_,
                 ShimLoopRef L, LLVMValueRef At, const char *Name,
                 size_t NameLength, const char *Message, size_t MessageLength) {
  auto &F = *cast<Function>(llvm::unwrap(Function_));
  StringRef Title(Name, NameLength), Text(Message, MessageLength);
  DiagnosticLocation Where =
      position(F, hexpass::unwrap(L), At ? llvm::unwrap(At) : nullptr);
  const BasicBlock *Region = &F.getEntryBlock();
  OptimizationRemarkEmitter ORE(&F);
  switch (Kind) {
  case ShimRemarkPassed:
    ORE.emit(OptimizationRemark(PassName, Title, Where, Region) << Text);
    break;
  case ShimRemarkMissed:
    ORE.emit(OptimizationRemarkMissed(PassName, Title, Where, Region) << Text);
    break;
  case ShimRemarkAnalysis:
    ORE.emit(OptimizationRemarkAnalysis(PassName, Title, Where, Region)
             << Text);
    break;
  }
}

bool shim_remarks_enabled(LLVMValueRef F) {
  return OptimizationRemarkEmitter::allowExtraAnalysis(
      *cast<Function>(llvm::unwrap(F)), PassName);
}
