//===- plain_streams.h - Output by C++'s own streams ---------------*- C++ -*-===//

#ifndef HEXPASS_PLAIN_STREAMS_H
#define HEXPASS_PLAIN_STREAMS_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Has loops around sweeps ask at the beginning of each step, and behind what may change the
/// answer, whether `std::cout` and its like are as the library made them; steps in which they are
/// not are for rare_paths.cpp. True if there was such a loop.
bool askForPlainStreams(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// Once rare paths stand apart: what is printed in the usual steps is known to touch nothing but
/// what it is handed. Elsewhere nothing is. False if there are no such steps.
bool believePlainStreams(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// It looks up in a table of the library's where the rest of a stream lies: nobody writes there.
bool readsStreamTable(const llvm::Instruction &I);

/// The same, or in what a library's stream has of characters: no grid lies there.
bool readsStream(const llvm::Instruction &I);

/// It lies in one of the library's streams, or in what that leads to: who prints changes it.
bool isInStream(const llvm::Value *Address);

/// The call was found to be such, or is the question.
bool usesPlainStream(const llvm::CallBase &Call);

} // namespace hexpass

#endif // HEXPASS_PLAIN_STREAMS_H
