//===- unprototyped.cpp - Calls by declarations without parameters ---------===//
//
// Consumes: a module whose units have been linked. Produces: the same calls with the types of the
// functions that they call, where a unit of C knew only `void step();`: such a call passes what it
// likes, and nobody sees through it which function it is. Refuses calls that pass something else
// than the function takes, or in another way.
//
//===----------------------------------------------------------------------===//

#include "deferral.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hexpass {
namespace {

/// How an argument is passed is more than its type.
constexpr Attribute::AttrKind Ways[] = {
    Attribute::ByVal,    Attribute::ByRef,     Attribute::StructRet,  Attribute::InAlloca,
    Attribute::InReg,    Attribute::Nest,      Attribute::SwiftSelf,  Attribute::SwiftError,
    Attribute::SwiftAsync, Attribute::Preallocated,
};

bool passesAs(const CallBase &Call, unsigned I, const Function &F) {
  return Call.getArgOperand(I)->getType() == F.getFunctionType()->getParamType(I) &&
         all_of(Ways, [&](Attribute::AttrKind Way) {
           return Call.paramHasAttr(I, Way) == F.hasParamAttribute(I, Way);
         });
}

/// The call does not know what `F` takes (clang has it take what is passed, and anything else),
/// and passes just that.
bool fits(const CallBase &Call, const Function &F) {
  const FunctionType *Says = Call.getFunctionType(), *Is = F.getFunctionType();
  return Says->isVarArg() && !Is->isVarArg() && Says->getReturnType() == Is->getReturnType() &&
         Call.arg_size() == Is->getNumParams() &&
         Call.getCallingConv() == F.getCallingConv() && !Call.isMustTailCall() &&
         all_of(seq(Call.arg_size()), [&](unsigned I) { return passesAs(Call, I, F); });
}

} // namespace

bool giveCallsTheirTypes(Module &M) {
  bool Any = false;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    for (const Use &U : F.uses()) {
      auto *Call = dyn_cast<CallBase>(U.getUser());
      if (!Call || !Call->isCallee(&U) || Call->getCalledFunction() || !fits(*Call, F))
        continue;
      Call->mutateFunctionType(F.getFunctionType());
      Any = true;
    }
  }
  return Any;
}

} // namespace hexpass
