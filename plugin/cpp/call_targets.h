//===- call_targets.h - Functions that are called by address ----*- C++ -*-===//

#ifndef HEXPASS_CALL_TARGETS_H
#define HEXPASS_CALL_TARGETS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// A function that a call by address may mean.
struct CallTarget {
  llvm::Function *Callee;
  /// Where the call is one of a virtual function: the address of a class's table, of whose objects
  /// it is this one. Otherwise null.
  llvm::Constant *Table;
};

/// Which functions of a module a call by address may mean.
class CallTargets {
public:
  using Targets = llvm::SmallVector<CallTarget, 4>;

  /// Functions with a body whose address is taken and whose type is that of the call; of C++
  /// classes' tables, what stands where the call looks. None if they are many. Others may be
  /// called, too.
  Targets of(const llvm::CallBase &Call);

private:
  void find(llvm::Module &M);
  void findVirtual(llvm::GlobalVariable &G, llvm::ConstantArray &Words, unsigned Group);

  bool Found = false;
  llvm::DenseMap<const llvm::FunctionType *, Targets> Taken;
  /// By the bytes from what an object's first word points to.
  llvm::DenseMap<uint64_t, Targets> InTables;
};

/// The call by name that takes the place of one by address where it means this; the other one stays
/// for all else.
llvm::CallBase &callByName(llvm::CallBase &Call, const CallTarget &Target);

/// Gives each of several functions that a loop may call by address a loop of its own.
struct LoopsByTarget : llvm::PassInfoMixin<LoopsByTarget> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

} // namespace hexpass

#endif // HEXPASS_CALL_TARGETS_H
