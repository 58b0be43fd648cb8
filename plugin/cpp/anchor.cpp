//===- anchor.cpp - What makes a linker take the runtime's archive --------===//
//
// A weak reference takes no member out of an archive; a common symbol does, and
// where the archive is not linked it is one byte of zeros.
//
//===----------------------------------------------------------------------===//

#include "shim.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

void shim_add_anchor(LLVMModuleRef Module_, const char *Name, size_t Length) {
  Module &M = *unwrap(Module_);
  StringRef N(Name, Length);
  if (M.getNamedValue(N))
    return;
  auto *Byte = Type::getInt8Ty(M.getContext());
  auto *Anchor = new GlobalVariable(M, Byte, /*isConstant=*/false,
                                    GlobalValue::CommonLinkage,
                                    ConstantInt::get(Byte, 0), N);
  Anchor->setVisibility(GlobalValue::HiddenVisibility);
  Anchor->setAlignment(Align(1));
  GlobalValue *Kept[] = {Anchor};
  appendToCompilerUsed(M, Kept);
}
