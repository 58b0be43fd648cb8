//===- vector_methods.h - Methods of vectors, by their names -----*- C++ -*-===//

#ifndef HEXPASS_VECTOR_METHODS_H
#define HEXPASS_VECTOR_METHODS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <optional>

namespace hexpass {

/// A vector's head takes three words.
constexpr uint64_t HeadBytes = 24;

/// Where in a head it says at which place its elements begin, where they end or how many there are,
/// and how large its storage is.
struct Layout {
  uint64_t Begin = 0, End = 8, Storage = 16;
  /// Rust's says how many there are, and its storage is a number.
  bool Counts = false;
};

enum class Method { Assign, Move, Copy, Fill, Make, Destroy };

/// A method of a vector, as its name says it.
struct Known {
  Method What;
  /// How many vectors are in one another, at least one.
  unsigned Depth;
  /// The mangled type of the elements.
  char Element;
  /// It is one of Rust's.
  bool IsRust = false;
};

/// Bytes of one of its elements.
uint64_t bytesOf(const Known &Of);

/// What a name says, if it is that of a method of Rust's vectors.
std::optional<Known> methodInRust(llvm::StringRef Name);

/// The method that is called. It is handed what it works on, nothing else.
std::optional<Known> methodOf(const llvm::CallBase &Call);

/// Where Rust's vectors have what, which the compiler chooses: the same in all that are in one
/// another, and known of the innermost and of the outermost ones.
std::optional<Layout> layoutOf(const Known &Of, const llvm::Module &M);

} // namespace hexpass

#endif // HEXPASS_VECTOR_METHODS_H
