//===- device_code.cpp - Code for a device, without what costs too much ---===//
//
// Consumes: a module and the code generator for it. Produces: the text of its
// code. Refuses what the code generator does.
//
// The target's own pipeline is used but for straight line strength reduction,
// which LLVM 22 does by way of scalar evolution's expressions: it looks at all
// earlier addresses for each address, which takes 9 of 10 parts of the time
// that code generation takes for kernels with many arrays.
//
//===----------------------------------------------------------------------===//

#include "internal.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// A pass manager that one pass never gets into.
class Without : public legacy::PassManagerBase {
public:
  explicit Without(StringRef Name) : Name(Name) {}

  void add(Pass *P) override {
    if (P->getPassName() == Name)
      delete P;
    else
      Passes.add(P);
  }

  void run(Module &M) { Passes.run(M); }

private:
  StringRef Name;
  legacy::PassManager Passes;
};

} // namespace

bool shim_device_code(LLVMTargetMachineRef Machine, LLVMModuleRef Of,
                      ShimSink Sink, void *State) {
  auto &Generator = *reinterpret_cast<TargetMachine *>(Machine);
  Module &M = *llvm::unwrap(Of);
  M.setDataLayout(Generator.createDataLayout());
  SmallString<0> Text;
  raw_svector_ostream Stream(Text);
  Without Passes("Straight line strength reduction");
  if (Generator.addPassesToEmitFile(Passes, Stream, nullptr,
                                    CodeGenFileType::AssemblyFile))
    return false;
  Passes.run(M);
  put(Sink, State, Text);
  return true;
}
