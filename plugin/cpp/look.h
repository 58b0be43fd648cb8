//===- look.h - May a function hold a time loop? ----------------*- C++ -*-===//

#ifndef HEXPASS_LOOK_H
#define HEXPASS_LOOK_H

#include "call_targets.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// What is at an address, as far as the type of an access says. A structure is
/// copied whole, whatever it holds. Pieces are bytes, and integers that are members of structures.
enum Kind { Floats, Integers, Pieces, Structures };

/// What a piece of code does, calls followed. Sets are masks of kinds.
struct Deeds {
  /// At addresses that may move from iteration to iteration.
  unsigned Read = 0, Written = 0;
  /// At addresses that are its arguments: they move where its caller's do.
  unsigned ReadForCaller = 0, WrittenForCaller = 0;
  /// Both in a loop inside that does nothing that is not known.
  unsigned Swept = 0;
  /// It computes with floating numbers.
  bool Computes = false;
  /// It takes remainders, by what is no constant power of two.
  bool Remainders = false;
  /// It calls code that is not here, or accesses memory that others look at.
  bool Opaque = false;
  /// A loop in it goes on for as long as what it reads says so, or goes where
  /// that says: it is part of no sweep.
  bool FollowsData = false;
  /// It calls itself.
  bool Recurs = false;
  /// It calls by address, or what may hold a time loop, or its recursion may
  /// become one: later passes may learn more of it.
  bool MayClearUp = false;
  /// It allocates as C++ does: pieces are as good as always text and records.
  bool Builds = false;

  void add(const Deeds &Other);
  /// The kinds that it may sweep over if it is a loop.
  unsigned sweep() const;
  /// The kinds that it sweeps over if it is a loop, or the loops inside it.
  unsigned swept() const;
};

/// Answers, for the loops and functions of one module as they stand, whether
/// they may be time loops around sweeps: from types and the form of addresses,
/// without rewriting anything. It may say yes to what is none.
class Look {
public:
  /// `BodiesElsewhere`: a link will have the bodies of functions declared here.
  explicit Look(bool BodiesElsewhere) : BodiesElsewhere(BodiesElsewhere) {}

  /// A loop of the function may be a time loop.
  bool mayHoldTimeLoop(llvm::Function &F);
  /// The kinds that are swept if `L`, or a loop inside it, is a time loop; none
  /// if it can't be one.
  unsigned hopes(const llvm::Loop &L);
  /// A call of `F` in such a loop is side code: nothing is gained by its body.
  bool isAside(llvm::Function &F);
  /// The function takes remainders, by what is no constant power of two.
  bool takesRemainders(llvm::Function &F) { return of(F).Remainders; }
  /// What a call by address may call.
  CallTargets::Targets targetsOf(const llvm::CallBase &Call) { return Targets.of(Call); }
  /// Other passes may make a time loop of what is none now. Its callees that may
  /// hold one have been asked for.
  bool mayClearUp(llvm::Function &F) { return of(F).MayClearUp; }

private:
  Deeds of(llvm::Function &F);
  Deeds of(const llvm::Loop &L);
  Deeds of(llvm::Instruction &I, const llvm::Loop *Around);
  Deeds of(llvm::CallBase &Call, const llvm::Loop *Around);
  Deeds ofTarget(llvm::Function &Target);
  Deeds ofCallee(llvm::CallBase &Call, Deeds D, const llvm::Loop *Around);
  unsigned ownSweep(const llvm::Loop &L);
  bool followsData(const llvm::Loop &L);
  bool goesWhereDataSay(const llvm::Loop &L);
  bool isLed(llvm::PHINode &At, const llvm::Loop &L);
  bool wanders(const llvm::Loop &L);
  bool branchesByData(const llvm::BasicBlock &B, const llvm::Loop &L);
  bool isOfElements(llvm::Value *V, const llvm::Loop &L, unsigned Depth = 16);
  bool asksData(llvm::Value *Condition, const llvm::Loop &L, unsigned Depth);

  bool BodiesElsewhere;
  llvm::DenseMap<const llvm::Function *, Deeds> Known;
  CallTargets Targets;
  /// What functions do as far as calls by name say; while that is looked for, it stands in `Known`.
  llvm::DenseMap<const llvm::Function *, Deeds> KnownByName;
  bool ByNameOnly = false;
};

/// Visits each block that control may come to which leaves `L` for `From`, but those that
/// are `Seen`; false if one of them is `L`'s, they and the seen ones are more than `Most`,
/// or `Visit` says so.
bool walkOut(const llvm::BasicBlock &From, const llvm::Loop &L, unsigned Most,
             llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &Seen,
             llvm::function_ref<bool(const llvm::BasicBlock &)> Visit);

/// Control that leaves `L` for `From` comes back neither to `L` nor to the caller: a
/// panic or a thrown exception, with what it cleans up. Where the program ends behind the
/// loop, so that this is true of all ways out, the loop's own end is none.
bool isFailure(const llvm::BasicBlock &From, const llvm::Loop &L);

/// What is called where a product of complex numbers has come out as NaN, and their modulus
/// (complex_products.cpp).
bool isComplexProduct(const llvm::Function &F);
bool isComplexModulus(const llvm::Function &F);

/// How far a working copy has come.
enum class Stage { ScalarsInRegisters, PathsApart };

/// A second look, at a working copy whose scalars are in registers: false where
/// every loop around loops runs through its arrays once, or writes where data
/// say. Once paths that were joined are apart, loops over integers count, too.
bool mayHoldTimeLoop(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM,
                     Stage At);

} // namespace hexpass

#endif // HEXPASS_LOOK_H
