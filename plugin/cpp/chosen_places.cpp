//===- chosen_places.cpp - Elements that a condition chooses among -------------===//
//
// Consumes: a working copy in which clean-up has made one load of several, from a place that is
// chosen:
//
//     %left  = getelementptr i8, ptr %here, i64 -8
//     %right = getelementptr i8, ptr %here, i64 8
//     %place = select i1 %blows, ptr %left, ptr %right
//     %x     = load double, ptr %place
//
// as it is of `if (v > 0) x = u[j - 1]; else x = u[j + 1];`. Produces: a branch, and a load on
// either side, whose places are subscripts again; where branches that meet choose, a load at the
// end of each. The choice may be of a pointer, or of an index where it asks for data: among
// indices, others choose by what counters are.
//
// When nobody looks at the function any more, one load again stands where it stood, from the place
// that it had: an assumption that says nothing keeps that place meanwhile. Where it has got lost,
// clean-up joins the loads, which makes more of the addresses than the source does.
//
// Refuses pointers that are chosen for a whole loop by the parity of a counter, as those of grids
// are that exchange their roles, and more loads of one than an element has neighbours.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Operations from a load back to the choice of its place, and from a condition to the data.
constexpr unsigned MaxDepth = 8;
/// Loads that one may become.
constexpr unsigned MaxLoads = 32;
/// Stands at what joins the loads that one has become, and where that one was.
constexpr StringLiteral JoinsMark = "hexpass.joins";

/// What one value becomes where a way is known: others that are made of it follow.
class Following {
public:
  /// New instructions stand before `At`.
  explicit Following(Instruction &At) : At(At) {}

  void set(Value *V, Value *Known) { Made[V] = Known; }

  Value *operator()(Value *V, unsigned Depth = MaxDepth) {
    if (Value *Known = Made.lookup(V))
      return Known;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Depth || !isa<GetElementPtrInst, BinaryOperator, CastInst, SelectInst>(I))
      return V;
    SmallVector<Value *, 4> Operands;
    for (Value *Operand : I->operands())
      Operands.push_back((*this)(Operand, Depth - 1));
    Value *New = V;
    if (!equal(Operands, I->operands())) {
      Instruction *Copy = I->clone();
      for (auto [U, To] : zip(Copy->operands(), Operands))
        U.set(To);
      Copy->insertBefore(At.getIterator());
      New = Copy;
    }
    return Made[V] = New;
  }

private:
  Instruction &At;
  DenseMap<Value *, Value *> Made;
};

/// The condition of a choice: of a select, or of a number made of a condition.
Value *conditionOf(Instruction &I) {
  Value *Condition = nullptr;
  if (!match(&I, m_ZExtOrSExt(m_Value(Condition))) &&
      !match(&I, m_Select(m_Value(Condition), m_Value(), m_Value())))
    return nullptr;
  return Condition->getType()->isIntegerTy(1) && !isa<Constant>(Condition) ? Condition : nullptr;
}

/// What such a choice gives where the condition holds (side 0), or does not.
Value *armOf(Instruction &Choice, unsigned Side) {
  if (isa<SelectInst>(Choice))
    return Choice.getOperand(1 + Side);
  if (Side == 1)
    return Constant::getNullValue(Choice.getType());
  return isa<SExtInst>(Choice) ? Constant::getAllOnesValue(Choice.getType())
                               : ConstantInt::get(Choice.getType(), 1);
}

/// The loads of one function, and what becomes of them.
class Places {
public:
  Places(Function &F, FunctionAnalysisManager &FAM)
      : LI(FAM.getResult<LoopAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        Updates(DT, DomTreeUpdater::UpdateStrategy::Eager) {
    for (Instruction &I : instructions(F))
      if (auto *Load = dyn_cast<LoadInst>(&I))
        if (Load->isSimple() && LI.getLoopFor(Load->getParent())) {
          Loads.push_back({Load, MaxLoads});
          Written[Load] = Load->getPointerOperand();
        }
  }

  /// Where branches meet first: loads move from there, and others don't.
  bool separate() {
    bool Changed = false;
    for (bool Branches : {true, false}) {
      SmallVector<Part, 32> Rest;
      while (!Loads.empty()) {
        Part Next = Loads.pop_back_val();
        if (Next.Left > 1 && (Branches ? separateWays(Next) : branch(Next)))
          Changed = true;
        else
          Rest.push_back(Next);
      }
      Loads = std::move(Rest);
    }
    return Changed;
  }

private:
  struct Part {
    LoadInst *Load;
    unsigned Left;
  };

  /// Is there a choice among what an address is made of? The first that is wanted.
  template <typename Wanted>
  Instruction *find(Value *V, const Wanted &IsWanted, unsigned Depth = MaxDepth) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Depth || !LI.getLoopFor(I->getParent()))
      return nullptr;
    if (IsWanted(*I))
      return I;
    if (!isa<GetElementPtrInst, BinaryOperator, CastInst, SelectInst>(I))
      return nullptr;
    for (Value *Operand : I->operands())
      if (Instruction *Found = find(Operand, IsWanted, Depth - 1))
        return Found;
    return nullptr;
  }

  /// Nothing that changes with a counter leads to the place.
  bool isFixed(const Value *V, unsigned Depth = MaxDepth) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !LI.getLoopFor(I->getParent()))
      return true;
    return Depth && isa<GetElementPtrInst, LoadInst>(I) &&
           all_of(I->operands(), [&](const Value *O) { return isFixed(O, Depth - 1); });
  }

  /// A number of rows or columns, that a step asks for.
  bool isSize(const LoadInst &Load) const {
    return Load.getType()->isIntegerTy() && isFixed(Load.getPointerOperand());
  }

  /// True if what `V` is depends on an element that a loop reads.
  bool asksForData(const Value *V, unsigned Depth = MaxDepth) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Depth || !LI.getLoopFor(I->getParent()))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(I))
      return !isSize(*Load);
    if (ByWay.contains(I))
      return true;
    return isa<CmpInst, BinaryOperator, UnaryOperator, CastInst, SelectInst, FreezeInst>(I) &&
           any_of(I->operands(), [&](Value *O) { return asksForData(O, Depth - 1); });
  }

  /// True if `V` compares the loop's counter, and does not ask for its parity.
  bool comparesCounters(Value *V, const Loop &Around, unsigned Depth = MaxDepth) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Around.isLoopInvariant(I) || (isa<PHINode>(I) && LI.isLoopHeader(I->getParent())))
      return !V->getType()->isIntegerTy(1);
    bool Linear = isa<CmpInst, SExtInst, ZExtInst, FreezeInst>(I) ||
                  I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub ||
                  I->getOpcode() == Instruction::Mul;
    return Depth && Linear &&
           all_of(I->operands(), [&](Value *O) { return comparesCounters(O, Around, Depth - 1); });
  }

  /// A choice by data, or of a pointer that the loop around it changes or its counter chooses.
  bool isChoice(Instruction &I) const {
    Value *Condition = conditionOf(I);
    if (!Condition)
      return false;
    if (asksForData(Condition))
      return true;
    const Loop &Around = *LI.getLoopFor(I.getParent());
    // Where a grid lies may be asked in each step (an allocatable array's descriptor).
    auto Moves = [&](Value *Arm) { return !Around.isLoopInvariant(Arm) && !isFixed(Arm); };
    return I.getType()->isPointerTy() &&
           (any_of(drop_begin(I.operands()), Moves) || comparesCounters(Condition, Around));
  }

  /// A load behind a branch.
  bool branch(Part Part) {
    LoadInst &Load = *Part.Load;
    auto IsChoice = [&](Instruction &I) { return isChoice(I); };
    Instruction *Choice = find(Load.getPointerOperand(), IsChoice);
    if (!Choice)
      return false;
    IRBuilder<> B(&Load);
    Value *Condition = conditionOf(*Choice);
    Instruction *Ends[2];
    SplitBlockAndInsertIfThenElse(B.CreateFreeze(Condition), Load.getIterator(), &Ends[0],
                                  &Ends[1], nullptr, &Updates, &LI);
    B.SetInsertPoint(&Load);
    PHINode *Either = B.CreatePHI(Load.getType(), 2);
    for (unsigned Side : {0, 1}) {
      Following Way(*Ends[Side]);
      for (User *U : Condition->users())
        if (auto *I = dyn_cast<Instruction>(U); I && conditionOf(*I) == Condition)
          Way.set(I, armOf(*I, Side));
      add(*Either, Load, Way(Way(Load.getPointerOperand())), *Ends[Side], Part.Left / 2);
    }
    replace(Load, *Either);
    return true;
  }

  /// A phi that says by branches what the load's place is, and was it not a loop that did.
  PHINode *meetingOf(LoadInst &Load) const {
    auto Meets = [&](Instruction &I) {
      BasicBlock &Here = *I.getParent();
      return isa<PHINode>(I) && !LI.isLoopHeader(&Here) &&
             LI.getLoopFor(&Here) == LI.getLoopFor(Load.getParent()) &&
             (I.getType()->isPointerTy() || branchesOnData(Here));
    };
    auto *Phi = cast_or_null<PHINode>(find(Load.getPointerOperand(), Meets));
    SmallPtrSet<BasicBlock *, 4> From;
    bool Distinct = Phi && all_of(Phi->blocks(), [&](BasicBlock *Pred) {
      return From.insert(Pred).second && isa<BranchInst, SwitchInst>(Pred->getTerminator());
    });
    return Distinct ? Phi : nullptr;
  }

  /// True if what is loaded is the same at the end of each way that leads to its block, and it is
  /// surely loaded.
  bool isFirst(LoadInst &Load) const {
    for (Instruction &I : *Load.getParent()) {
      if (&I == &Load)
        return true;
      if (I.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&I))
        return false;
    }
    return false;
  }

  /// Which of the ways that meet in this block is taken depends on data.
  bool branchesOnData(BasicBlock &Meeting) const {
    const DomTreeNode *Node = DT.getNode(&Meeting);
    BasicBlock *Top = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    SmallVector<BasicBlock *, 8> Open(predecessors(&Meeting));
    SmallPtrSet<BasicBlock *, 8> Seen;
    while (!Open.empty()) {
      BasicBlock *Next = Open.pop_back_val();
      if (!Seen.insert(Next).second)
        continue;
      Instruction *End = Next->getTerminator();
      if (End->getNumSuccessors() > 1 && asksForData(End->getOperand(0)))
        return true;
      if (Next != Top)
        append_range(Open, predecessors(Next));
    }
    return false;
  }

  /// Several loads instead of one behind a meeting.
  bool separateWays(Part Part) {
    PHINode *Phi = meetingOf(*Part.Load);
    unsigned Ways = Phi ? Phi->getNumIncomingValues() : 0;
    if (Ways < 2 || Ways > Part.Left)
      return false;
    if (Phi->getParent() == Part.Load->getParent() && isFirst(*Part.Load)) {
      moveUp(Part, *Phi);
      return true;
    }
    return chooseByWay(Part, *Phi);
  }

  /// A load at the end of each way instead of one where they meet.
  void moveUp(Part Part, PHINode &Phi) {
    LoadInst &Load = *Part.Load;
    unsigned Ways = Phi.getNumIncomingValues();
    BasicBlock &Here = *Load.getParent();
    SmallVector<BasicBlock *, 8> From(Phi.blocks());
    for (BasicBlock *&Pred : From)
      if (Pred->getTerminator()->getNumSuccessors() > 1)
        Pred = SplitEdge(Pred, &Here, &DT, &LI);
    IRBuilder<> B(&Here, Here.begin());
    B.SetCurrentDebugLocation(Load.getDebugLoc());
    PHINode *Either = B.CreatePHI(Load.getType(), Ways);
    for (BasicBlock *Pred : From) {
      Instruction &End = *Pred->getTerminator();
      Following Way(End);
      for (PHINode &P : Here.phis())
        if (&P != Either)
          Way.set(&P, P.getIncomingValueForBlock(Pred));
      add(*Either, Load, Way(Load.getPointerOperand()), End, Part.Left / Ways);
    }
    replace(Load, *Either);
  }

  /// Where something lies between the meeting and the load, as a bounds check does: choices by the
  /// way that was taken, of what the phi is on each, computed once more at the load.
  bool chooseByWay(Part Part, PHINode &Phi) {
    LoadInst &Load = *Part.Load;
    if (any_of(Phi.incoming_values(), [&](Value *V) { return !isAnywhere(V, Load); }))
      return false;
    BasicBlock &Here = *Phi.getParent();
    IRBuilder<> B(&Load);
    SmallVector<BasicBlock *, 8> From(Phi.blocks());
    Value *Chosen = anew(Phi.getIncomingValueForBlock(From.front()), Load);
    for (BasicBlock *Pred : drop_begin(From)) {
      PHINode *Taken = IRBuilder<>(&Here, Here.begin()).CreatePHI(B.getInt1Ty(), From.size());
      for (BasicBlock *Other : From)
        Taken->addIncoming(B.getInt1(Other == Pred), Other);
      Chosen = B.CreateSelect(Taken, anew(Phi.getIncomingValueForBlock(Pred), Load), Chosen);
      ByWay.insert(Taken);
    }
    Following Way(Load);
    Way.set(&Phi, Chosen);
    Load.setOperand(0, Way(Load.getPointerOperand()));
    Loads.push_back(Part);
    return true;
  }

  /// Can `V` be computed again at the load?
  bool isAnywhere(Value *V, const LoadInst &Load, unsigned Depth = MaxDepth) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || DT.dominates(I, &Load))
      return true;
    return Depth && isa<GetElementPtrInst, BinaryOperator, CastInst>(I) &&
           isSafeToSpeculativelyExecute(I) &&
           all_of(I->operands(), [&](Value *O) { return isAnywhere(O, Load, Depth - 1); });
  }

  Value *anew(Value *V, LoadInst &Load) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || DT.dominates(I, &Load))
      return V;
    Instruction *Copy = I->clone();
    for (Use &U : Copy->operands())
      U.set(anew(U.get(), Load));
    Copy->insertBefore(Load.getIterator());
    return Copy;
  }

  void add(PHINode &Either, LoadInst &Load, Value *Place, Instruction &End, unsigned Left) {
    auto *Mine = cast<LoadInst>(Load.clone());
    Mine->setOperand(0, Place);
    Mine->insertBefore(End.getIterator());
    Either.addIncoming(Mine, End.getParent());
    Loads.push_back({Mine, Left});
  }

  void replace(LoadInst &Load, PHINode &Either) {
    Either.takeName(&Load);
    MDNode *Both = MDNode::getDistinct(Either.getContext(), {});
    Either.setMetadata(JoinsMark, Both);
    if (Value *Place = Written.lookup(&Load)) {
      IRBuilder<> B(&Load);
      Value *Known[] = {Place, B.getInt64(1)};
      B.CreateAssumption(B.getTrue(), OperandBundleDef("align", Known))
          ->setMetadata(JoinsMark, Both);
      Written.erase(&Load);
    }
    Load.replaceAllUsesWith(&Either);
    Load.eraseFromParent();
  }

  LoopInfo &LI;
  DominatorTree &DT;
  DomTreeUpdater Updates;
  SmallVector<Part, 32> Loads;
  /// The places that the function's own loads had at first.
  DenseMap<const LoadInst *, Value *> Written;
  /// Conditions that say which way was taken.
  SmallPtrSet<const Value *, 8> ByWay;
};

} // namespace

PreservedAnalyses ChosenPlaces::run(Function &F, FunctionAnalysisManager &FAM) {
  return Places(F, FAM).separate() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

/// One of the loads that a phi joins.
static LoadInst *joinedBy(PHINode &Either) {
  for (Value *V : Either.incoming_values()) {
    if (auto *Load = dyn_cast<LoadInst>(V))
      return Load;
    if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->hasMetadata(JoinsMark))
      if (LoadInst *Load = joinedBy(*Phi))
        return Load;
  }
  return nullptr;
}

/// The load as it was, where the assumption stands that knows its place.
static bool restore(PHINode &Either, const AssumeInst &Place) {
  LoadInst *Part = joinedBy(Either);
  if (!Part || Place.getParent() != Either.getParent() ||
      any_of(make_range(Place.getParent()->begin(), Place.getIterator()), [](const Instruction &I) {
        return I.mayWriteToMemory() && !isa<AssumeInst>(I);
      }))
    return false;
  auto *Load = cast<LoadInst>(Part->clone());
  Load->setOperand(0, Place.getOperandBundleAt(0).Inputs[0]);
  Load->insertBefore(const_cast<AssumeInst &>(Place).getIterator());
  Load->takeName(&Either);
  Either.replaceAllUsesWith(Load);
  return true;
}

void joinPlaces(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<PHINode *, 8> Joins;
  DenseMap<const MDNode *, AssumeInst *> Places;
  for (Instruction &I : instructions(F)) {
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->hasMetadata(JoinsMark))
      Joins.push_back(Phi);
    if (auto *Place = dyn_cast<AssumeInst>(&I))
      if (MDNode *Both = Place->getMetadata(JoinsMark))
        Places[Both] = Place;
  }
  if (Joins.empty() && Places.empty())
    return;
  SmallVector<WeakVH, 8> Restored;
  for (PHINode *Either : Joins)
    if (AssumeInst *Place = Places.lookup(Either->getMetadata(JoinsMark)))
      if (restore(*Either, *Place))
        Restored.push_back(Either);
  for (auto &[Both, Place] : Places)
    Place->eraseFromParent();
  for (WeakVH &Either : Restored)
    if (auto *Phi = cast_or_null<Instruction>(static_cast<Value *>(Either)))
      RecursivelyDeleteTriviallyDeadInstructions(Phi);
  bool Left = false;
  for (Instruction &I : instructions(F))
    if (I.hasMetadata(JoinsMark)) {
      I.setMetadata(JoinsMark, nullptr);
      Left = true;
    }
  FunctionPassManager FPM;
  if (Left)
    FPM.addPass(InstCombinePass());
  FPM.addPass(ADCEPass());
  FPM.addPass(SimplifyCFGPass(SimplifyCFGOptions().needCanonicalLoops(true)));
  if (Left)
    FPM.addPass(InstCombinePass());
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, FPM.run(F, FAM));
}

} // namespace hexpass
