//===- midway_exits.h - Loops that are left in mid-step ---------*- C++ -*-===//

#ifndef HEXPASS_MIDWAY_EXITS_H
#define HEXPASS_MIDWAY_EXITS_H

#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Has the steps of loops that are left between two of their sweeps begin there
/// (midway_exits.cpp). True if there was one.
bool turnAtExits(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

} // namespace hexpass

#endif // HEXPASS_MIDWAY_EXITS_H
