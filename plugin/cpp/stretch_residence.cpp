//===- stretch_residence.cpp - Loops around nests -----------------------------===//
//
// Consumes: a function whose nests have all been taken. Produces: a frame for those in
// an outermost loop, in which their arrays stay on a device until that loop is left, and
// marks before everything in it that may look (stretch_home.cpp). Refuses loops that can
// be left where nothing can be called.
//
//===----------------------------------------------------------------------===//

#include "rare_paths.h"
#include "stretches.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// The arrays of all nests in an outermost loop stay on a device until it is left: those
/// of time loops that were taken whole, and of stretches.
class Residence {
public:
  Residence(ShimAnalyses &A, Loop &Around, ArrayRef<BasicBlock *> Originals)
      : A(A), Around(Around), Originals(Originals), Touched(A),
        Home(A, Touched, Around.getStartLoc()) {}

  /// There is a nest inside whose arrays would go home at its end, or a whole one that
  /// relies on it that they don't.
  bool isOfUse();
  bool isNeeded() const { return Whole; }
  void keep();

  /// Whatever way it is left, there is a place to bring arrays home at.
  static bool isFit(const Loop &Around);

private:
  using Arguments = DenseMap<const Argument *, Value *>;

  bool isOriginal(const Loop &C) const {
    return is_contained(Originals, C.getHeader());
  }
  bool holdsNest(const Loop &C) const;
  bool isOurs(const Instruction &I) const;
  void addNests(const Loop &C);
  void addCallee(const CallBase &Call, const Arguments &Outer);
  void noteAll(Loop &C);
  void removeMarks(CallBase &Run);

  ShimAnalyses &A;
  Loop &Around;
  ArrayRef<BasicBlock *> Originals;
  Footprint Touched;
  HomeMarks Home;
  SmallPtrSet<const Value *, 8> Own;
  bool Whole = false;
};

bool Residence::isFit(const Loop &Around) {
  SmallVector<BasicBlock *, 4> Exits;
  Around.getUniqueExitBlocks(Exits);
  return Around.isLoopSimplifyForm() && Around.hasDedicatedExits() &&
         all_of(Exits, [](BasicBlock *Exit) {
           return Exit->getFirstInsertionPt() != Exit->end();
         });
}

bool isLeaving(const Instruction &I) {
  auto *Mark = isHomeMark(I) ? cast<CallInst>(&I) : nullptr;
  return Mark && !isRange(*Mark) &&
         cast<ConstantInt>(Mark->getArgOperand(1))->getZExtValue() == HomeLeaves;
}

bool Residence::isOfUse() {
  bool Leaves = false;
  for (BasicBlock *B : Around.blocks())
    for (Instruction &I : *B) {
      Leaves |= isLeaving(I);
      auto *Call = dyn_cast<CallBase>(&I);
      AllocaInst *Slots = Call ? argumentsOf(*Call) : nullptr;
      if (!Slots)
        continue;
      Whole |= hasFrame(I);
      Own.insert(Slots);
      for (User *Field : Slots->users())
        for (User *U : Field->users())
          if (auto *Store = dyn_cast<StoreInst>(U))
            if (isa<AllocaInst>(Store->getValueOperand()))
              Own.insert(Store->getValueOperand());
    }
  return Leaves || Whole;
}

bool Residence::holdsNest(const Loop &C) const {
  return any_of(C.blocks(), [&](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) { return hasFrame(I); });
  });
}

/// What generated code does for the nests.
bool Residence::isOurs(const Instruction &I) const {
  if (isHomeMark(I) || hasFrame(I) || I.isLifetimeStartOrEnd())
    return true;
  if (auto *Call = dyn_cast<CallBase>(&I))
    if (const Function *Callee = Call->getCalledFunction())
      return Callee->getName().starts_with("hexrt_") && !argumentsOf(*Call);
  const Value *At = getLoadStorePointerOperand(&I);
  auto *Root = At ? dyn_cast<AllocaInst>(getUnderlyingObject(At)) : nullptr;
  return Root && (Own.contains(Root) || isOwn(*Root));
}

void Residence::addNests(const Loop &C) {
  for (BasicBlock *B : C.blocks()) {
    const Loop *In = A.LI.getLoopFor(B);
    while (In && !isOriginal(*In))
      In = In->getParentLoop();
    for (Instruction &I : *B) {
      if (In)
        Touched.add(I);
      else if (auto *Call = dyn_cast<CallBase>(&I);
               Call && !argumentsOf(*Call) && hasFrame(I) && !isHomeMark(I))
        addCallee(*Call, Arguments());
    }
  }
}

/// What a stretch touches, through its arguments and otherwise.
void Residence::addCallee(const CallBase &Call, const Arguments &Outer) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isDeclaration())
    return Touched.addAnything();
  Arguments Known;
  for (auto [Formal, Actual] : zip(Callee->args(), Call.args())) {
    auto *Passed = dyn_cast<Argument>(Actual.get());
    Known[&Formal] = Passed && Outer.contains(Passed) ? Outer.lookup(Passed) : Actual.get();
  }
  for (const BasicBlock &B : *Callee)
    for (const Instruction &I : B) {
      auto *Inner = dyn_cast<CallBase>(&I);
      if (Inner && !isa<IntrinsicInst>(I)) {
        const Function *Of = Inner->getCalledFunction();
        bool Passes = any_of(Inner->args(), [&](const Use &U) {
          auto *Formal = dyn_cast<Argument>(U.get());
          return Formal && isFrame(Known.lookup(Formal));
        });
        if (Passes && Of && !Of->isDeclaration())
          addCallee(*Inner, Known);
        continue;
      }
      Touched.add(I, Known);
    }
}

void Residence::noteAll(Loop &C) {
  for (BasicBlock *B : C.blocks())
    if (A.LI.getLoopFor(B) == &C)
      for (Instruction &I : *B)
        if (!isOurs(I))
          Home.note(I);
  for (Loop *Inner : C.getSubLoops()) {
    if (isOriginal(*Inner))
      continue;
    if (holdsNest(*Inner))
      noteAll(*Inner);
    else
      Home.note(*Inner, [&](const Instruction &I) { return !isOurs(I); });
  }
}

/// What has been noted before a time loop that was then taken whole.
void Residence::removeMarks(CallBase &Run) {
  BasicBlock *Before = Run.getParent();
  do {
    Before = Before->getSinglePredecessor();
  } while (Before && succ_size(Before) != 1);
  if (Before)
    for (CallInst *Mark : trailingMarks(*Before))
      Mark->eraseFromParent();
}

void Residence::keep() {
  SmallVector<CallBase *, 4> Runs;
  for (BasicBlock *B : Around.blocks())
    for (Instruction &I : *B)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && argumentsOf(*Call) && hasFrame(I))
        Runs.push_back(Call);
  for (CallBase *Run : Runs)
    removeMarks(*Run);
  addNests(Around);
  noteAll(Around);
  Home.expand();
  SmallVector<Instruction *, 8> Gone;
  for (BasicBlock *B : Around.blocks())
    for (Instruction &I : *B) {
      // Memory that is used again for something else must not be written to later.
      bool Ends = I.isLifetimeStartOrEnd() && Touched.touches(I.getOperand(0));
      if (isLeaving(I) || Ends)
        Gone.push_back(&I);
    }
  for (Instruction *I : Gone)
    I->eraseFromParent();
  Home.mark();
  SmallVector<BasicBlock *, 4> Exits;
  Around.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits)
    Home.markHome(&*Exit->getFirstInsertionPt(), HomeLeaves);
  // The function has changed.
  *A.Memory = MemoryFacts();
}

} // namespace

//===----------------------------------------------------------------------===//
// The face to Rust
//===----------------------------------------------------------------------===//

LLVMValueRef shim_frame_around(ShimAnalyses *A, ShimLoopRef In) {
  const Loop *Around = hexpass::unwrap(In)->getOutermostLoop();
  // A settled loop begins anew once or twice, and where it ends, so does the loop around it.
  if (Around == hexpass::unwrap(In) || resumesSettled(*Around) || !Residence::isFit(*Around))
    return nullptr;
  return llvm::wrap(static_cast<Value *>(makeFrame(A->F)));
}

bool shim_stay(ShimAnalyses *A, const LLVMBasicBlockRef *Originals, size_t Count) {
  SmallVector<BasicBlock *, 8> Headers;
  for (LLVMBasicBlockRef B : ArrayRef(Originals, Count))
    Headers.push_back(llvm::unwrap(B));
  SmallVector<std::unique_ptr<Residence>, 4> Found;
  for (Loop *Around : A->LI) {
    auto One = std::make_unique<Residence>(*A, *Around, Headers);
    if (!One->isOfUse())
      continue;
    if (Residence::isFit(*Around))
      Found.push_back(std::move(One));
    else if (One->isNeeded())
      return false;
  }
  for (auto &Each : Found)
    Each->keep();
  return true;
}
