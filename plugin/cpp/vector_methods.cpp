//===- vector_methods.cpp - Methods of vectors, by their names --------------===//
//
// Consumes: calls of methods of vectors of numbers, and of vectors of such vectors, by the names that
// libstdc++ has and those that Rust gives (RFC 2603, v0). Produces: what a method does, how many
// vectors are in one another and what they hold; and where Rust's heads have what, which is read off
// the functions that clone and destroy such vectors. Refuses other elements, and heads of which these
// functions don't say the same.
//
//===----------------------------------------------------------------------===//

#include "vector_methods.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <string>

using namespace llvm;

namespace hexpass {
namespace {

/// Vectors in one another.
constexpr unsigned MaxDepth = 3;

/// Bytes of a number, by its mangled type; none for others.
uint64_t bytesInCxx(char Element) {
  switch (Element) {
  case 'a': case 'c': case 'h':
    return 1;
  case 's': case 't':
    return 2;
  case 'f': case 'i': case 'j':
    return 4;
  case 'd': case 'l': case 'm': case 'x': case 'y':
    return 8;
  default:
    return 0;
  }
}

/// What a name says, if it is that of such a method: `std::vector<std::vector<double>>` and its
/// like are substitutions of what stands before in the name, two for each vector.
std::optional<Known> readCxx(StringRef Name) {
  if (!Name.consume_front("_ZNSt6vectorI"))
    return std::nullopt;
  Known K{Method::Make, 1, '\0'};
  while (Name.consume_front("S_I"))
    ++K.Depth;
  if (Name.empty() || !bytesInCxx(Name.front()) || K.Depth > MaxDepth)
    return std::nullopt;
  K.Element = Name.front();
  std::string Rest = "SaI";
  Rest += K.Element;
  Rest += "EE";
  auto Number = [](unsigned N) { return "S" + std::to_string(N) + "_"; };
  for (unsigned D = 2; D <= K.Depth; ++D)
    Rest += "SaI" + Number(2 * D - 3) + "EE";
  Name = Name.drop_front();
  if (!Name.consume_front(Rest))
    return std::nullopt;
  const std::string Self = Number(2 * K.Depth - 1);
  if (Name.consume_front("aS")) {
    bool Copies = Name == "ERK" + Self;
    if (!Copies && Name != "EO" + Self)
      return std::nullopt;
    K.What = Copies ? Method::Assign : Method::Move;
    return K;
  }
  if (Name == "D2Ev" || Name == "D1Ev") {
    K.What = Method::Destroy;
    return K;
  }
  if (!Name.consume_front("C2E") && !Name.consume_front("C1E"))
    return std::nullopt;
  std::string Value = K.Depth == 1 ? std::string(1, K.Element) : Number(2 * K.Depth - 3);
  std::string Allocator = K.Depth == 1 ? Number(0) : Number(2 * K.Depth - 2);
  if (Name == "RK" + Self)
    K.What = Method::Copy;
  else if (Name == "mRK" + Value + "RK" + Allocator ||
           (K.Depth == 1 && Name == "mRK" + Allocator))
    K.What = Method::Fill;
  return K;
}

/// Bytes of one of Rust's numbers or truth values; none for others.
uint64_t bytesInRust(char Element) {
  switch (Element) {
  case 'a': case 'b': case 'h':
    return 1;
  case 's': case 't':
    return 2;
  case 'f': case 'l': case 'm': case 'c':
    return 4;
  case 'd': case 'i': case 'j': case 'x': case 'y':
    return 8;
  default:
    return 0;
  }
}

/// What stands behind `3Vec`, where it is numbers, or more such vectors, each of which names `Vec`
/// by a place earlier in the name.
std::optional<Known> readArguments(StringRef &Name) {
  Known K{Method::Make, 1, '\0', true};
  while (Name.consume_front("IB")) {
    ++K.Depth;
    Name = Name.drop_while([](char C) { return C != '_'; });
    if (!Name.consume_front("_"))
      return std::nullopt;
  }
  if (Name.empty() || !bytesInRust(Name.front()) || K.Depth > MaxDepth)
    return std::nullopt;
  K.Element = Name.front();
  Name = Name.drop_front();
  for (unsigned D = 0; D < K.Depth; ++D)
    if (!Name.consume_front("E"))
      return std::nullopt;
  return K;
}

/// Takes what stands before `Until`, and that, off the front of a name: the number of a crate, or
/// of an implementation. False where something else stands there.
bool skipTo(StringRef &Name, StringRef Until) {
  auto [Number, Rest] = Name.split(Until);
  bool IsThere = Number.size() + Rest.size() < Name.size() &&
                 all_of(Number, [](char C) { return isAlnum(C) || C == '_'; });
  Name = Rest;
  return IsThere;
}

std::optional<Known> readAs(Method What, StringRef &Name) {
  auto K = readArguments(Name);
  if (K)
    K->What = What;
  return K;
}

/// `drop_in_place::<Vec<…>>`
std::optional<Known> readDrop(StringRef Name) {
  if (!Name.consume_front("INvNtCs") || !skipTo(Name, "_4core3ptr13drop_in_placeINtNtCs") ||
      !skipTo(Name, "_5alloc3vec3Vec"))
    return std::nullopt;
  auto K = readAs(Method::Destroy, Name);
  return K && Name.starts_with("E") ? K : std::nullopt;
}

/// `<Vec<…> as Clone>::clone`
std::optional<Known> readClone(StringRef Name) {
  if (!Name.consume_front("NvX") || !skipTo(Name, "_5alloc3vecINtB") || !skipTo(Name, "_3Vec"))
    return std::nullopt;
  auto K = readAs(Method::Copy, Name);
  return K && Name.consume_front("NtNtCs") && skipTo(Name, "_4core5clone5Clone5clone")
             ? K
             : std::nullopt;
}

/// What `vec![…; n]` calls: `<… as SpecFromElem>::from_elem`, of a number or another vector.
std::optional<Known> readFill(StringRef Name) {
  if (!Name.consume_front("INvX") || !skipTo(Name, "_5alloc3vec14spec_from_elem"))
    return std::nullopt;
  std::optional<Known> K;
  if (Name.consume_front("INtB")) {
    if (!skipTo(Name, "_3Vec") || !(K = readAs(Method::Fill, Name)) || ++K->Depth > MaxDepth)
      return std::nullopt;
  } else if (!Name.empty() && bytesInRust(Name.front())) {
    K = Known{Method::Fill, 1, Name.front(), true};
    Name = Name.drop_front();
  } else {
    return std::nullopt;
  }
  return Name.consume_front("NtB") && skipTo(Name, "_12SpecFromElem9from_elem") ? K : std::nullopt;
}

/// Where a function looks for a pointer and for a number in what it is handed, if that is all that
/// it looks for there.
std::optional<Layout> layoutBy(const Function &F, unsigned Arg) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<uint64_t, 2> Pointers, Words;
  for (const Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load)
      continue;
    APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    const Value *At =
        Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
    if (At != F.getArg(Arg))
      continue;
    auto &Of = Load->getType()->isPointerTy() ? Pointers : Words;
    if (!is_contained(Of, Offset.getZExtValue()))
      Of.push_back(Offset.getZExtValue());
  }
  if (Pointers.size() != 1 || Words.size() != 1 || Pointers[0] == Words[0] ||
      Pointers[0] % 8 != 0 || Words[0] % 8 != 0 || Pointers[0] >= HeadBytes ||
      Words[0] >= HeadBytes)
    return std::nullopt;
  return Layout{Pointers[0], Words[0], HeadBytes - Pointers[0] - Words[0], true};
}

/// By what clones a vector, or by what it is handed to where it is destroyed.
std::optional<Layout> layoutBy(const Function &F, const Known &Does) {
  if (F.isDeclaration() || F.isInterposable())
    return std::nullopt;
  if (Does.What == Method::Copy && F.arg_size() == 2)
    return layoutBy(F, 1);
  if (Does.What != Method::Destroy || F.arg_size() != 1)
    return std::nullopt;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const Function *Of = Call->getCalledFunction();
          Of && !Of->isDeclaration() && Of->arg_size() == 1 && Call->getArgOperand(0) == F.getArg(0))
        if (auto Found = layoutBy(*Of, 0))
          return Found;
  return std::nullopt;
}

} // namespace

uint64_t bytesOf(const Known &Of) {
  return Of.IsRust ? bytesInRust(Of.Element) : bytesInCxx(Of.Element);
}

std::optional<Known> methodInRust(StringRef Name) {
  if (!Name.consume_front("_R"))
    return std::nullopt;
  if (auto Drop = readDrop(Name))
    return Drop;
  auto Clone = readClone(Name);
  return Clone ? Clone : readFill(Name);
}

std::optional<Known> methodOf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Call.arg_size() == 0)
    return std::nullopt;
  auto Cxx = readCxx(Callee->getName());
  return Cxx ? Cxx : methodInRust(Callee->getName());
}

std::optional<Layout> layoutOf(const Known &Of, const Module &M) {
  std::optional<Layout> Found;
  bool Innermost = false, Outermost = false;
  for (const Function &F : M) {
    auto Does = methodInRust(F.getName());
    if (!Does || Does->Element != Of.Element || Does->Depth > Of.Depth)
      continue;
    auto Here = layoutBy(F, *Does);
    if (!Here)
      continue;
    if (Found && (Found->Begin != Here->Begin || Found->End != Here->End))
      return std::nullopt;
    Found = Here;
    Innermost |= Does->Depth == 1;
    Outermost |= Does->Depth == Of.Depth;
  }
  return Innermost && Outermost ? Found : std::nullopt;
}

} // namespace hexpass
