//===- number_tables.h - Arrays of neighbours' numbers ----------*- C++ -*-===//

#ifndef HEXPASS_NUMBER_TABLES_H
#define HEXPASS_NUMBER_TABLES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"

namespace hexpass {

/// Variables of the module, and objects that a function has for itself.
using NumberTables = llvm::SmallPtrSet<const llvm::Value *, 4>;

/// Those that hold numbers, or lead to them, which a loop of the function looks up and computes
/// addresses with.
NumberTables numberTablesOf(llvm::Function &F);

/// The function that is called stores numbers to one of them: in a loop, or constants to an object
/// that it is handed.
bool fillsOne(const llvm::CallBase &Call, const NumberTables &Tables);

} // namespace hexpass

#endif
