//===- lazy.cpp - Functions that a host of another major may lack ---------===//
//
// A host of another LLVM major must get as far as our version check, so nothing
// that it lacks may be needed for loading. C++ calls go through the procedure
// linkage table and are bound when they happen. Rust's are bound at load time:
// what is newer than LLVM 16 is routed through here (build.rs passes --wrap).
// For the same reason the shim names no data of LLVM's that is newer.
//
//===----------------------------------------------------------------------===//

#include "llvm-c/IRReader.h"
#include "llvm-c/Transforms/PassBuilder.h"

extern "C" {

LLVMErrorRef __real_LLVMRunPassesOnFunction(LLVMValueRef, const char *,
                                            LLVMTargetMachineRef,
                                            LLVMPassBuilderOptionsRef);

LLVMErrorRef __wrap_LLVMRunPassesOnFunction(LLVMValueRef F, const char *Passes,
                                            LLVMTargetMachineRef TM,
                                            LLVMPassBuilderOptionsRef Options) {
  return __real_LLVMRunPassesOnFunction(F, Passes, TM, Options);
}

LLVMBool __real_LLVMParseIRInContext2(LLVMContextRef, LLVMMemoryBufferRef,
                                      LLVMModuleRef *, char **);

LLVMBool __wrap_LLVMParseIRInContext2(LLVMContextRef Context,
                                      LLVMMemoryBufferRef Buffer,
                                      LLVMModuleRef *Module, char **Message) {
  return __real_LLVMParseIRInContext2(Context, Buffer, Module, Message);
}
}
