//===- call_targets.cpp - Functions that are called by address -------------===//
//
// Consumes: a time loop whose sweep is chosen elsewhere, and called by its address: as an argument,
// a member of a structure, a virtual function.
//
//     for (t = 0; t < steps; t++) {
//         step(u, v);
//         swap(u, v);
//     }
//
// Produces, in two parts: calls by name for what the address may be (the inliner asks for that, and
// takes the bodies in), the call by address being what hardly ever happens (rare_paths.cpp takes it
// out of the loop, so that nothing in there may change the pointer),
//
//     if (step == five_points) ...
//     else if (step == nine_points) ...
//     else step(u, v);
//
// and a loop for each of them. Refuses calls that many functions may be meant by, and pointers that
// change in the loop: those loops stay as they are.
//
//===----------------------------------------------------------------------===//

#include "call_targets.h"
#include "copied_blocks.h"
#include "loops.h"
#include "step_storage.h"
#include "taken.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace hexpass {

//===----------------------------------------------------------------------===//
// Who may be called
//===----------------------------------------------------------------------===//

namespace {

/// A call that more functions than these may be meant by stays one by address.
constexpr unsigned MostTargets = 4;

/// Itanium's tables of virtual functions.
constexpr StringLiteral TablePrefix = "_ZTV";

/// Classes' descriptions, which their tables lead to.
constexpr StringLiteral TypePrefix = "_ZTI";

/// The table of the object that a virtual function is called for, and the bytes from there to where
/// its address is looked up; null if the call is none of those.
std::pair<Instruction *, uint64_t> placeInTable(const CallBase &Call) {
  auto *Address = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Address || Call.arg_empty())
    return {nullptr, 0};
  const DataLayout &DL = Call.getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Address->getPointerOperandType()), 0);
  Value *Table = Address->getPointerOperand()->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/false);
  auto *Load = dyn_cast<LoadInst>(Table);
  if (!Load || isa<AllocaInst>(Load->getPointerOperand()))
    return {nullptr, 0};
  return {Load, Offset.getZExtValue()};
}

bool hasUsableBody(const Function &F) {
  return !F.isDeclaration() && !F.isInterposable() && !F.isVarArg();
}

} // namespace

/// One of a class's tables: numbers, what describes the class, and from there on functions.
void CallTargets::findVirtual(GlobalVariable &G, ConstantArray &Words, unsigned Group) {
  auto IsType = [](const Use &U) { return U->getName().starts_with(TypePrefix); };
  auto *Described = find_if(Words.operands(), IsType);
  // Without descriptions there is a null in its place.
  unsigned Begin = Described == Words.op_end() ? 2 : Described->getOperandNo() + 1;
  auto *Index = Type::getInt32Ty(G.getContext());
  auto Number = [&](unsigned I) { return ConstantInt::get(Index, I); };
  Constant *Table = ConstantExpr::getInBoundsGetElementPtr(
      G.getValueType(), &G, ArrayRef<Constant *>{Number(0), Number(Group), Number(Begin)});
  uint64_t Word = G.getDataLayout().getPointerSize();
  for (unsigned I = Begin; I < Words.getNumOperands(); ++I)
    if (auto *F = dyn_cast<Function>(Words.getOperand(I)->stripPointerCasts());
        F && hasUsableBody(*F))
      InTables[(I - Begin) * Word].push_back({F, Table});
}

void CallTargets::find(Module &M) {
  Found = true;
  for (Function &F : M)
    if (hasUsableBody(F) && F.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/true,
                                              /*IgnoreAssumeLikeCalls=*/true,
                                              /*IgnoreLLVMUsed=*/true))
      Taken[F.getFunctionType()].push_back({&F, nullptr});
  for (GlobalVariable &G : M.globals()) {
    auto *All = G.getName().starts_with(TablePrefix) && G.hasInitializer()
                    ? dyn_cast<ConstantStruct>(G.getInitializer())
                    : nullptr;
    for (unsigned Group = 0; All && Group < All->getNumOperands(); ++Group)
      if (auto *Words = dyn_cast<ConstantArray>(All->getOperand(Group)))
        findVirtual(G, *Words, Group);
  }
}

CallTargets::Targets CallTargets::of(const CallBase &Call) {
  if (Call.getCalledFunction() || Call.isInlineAsm() || Call.isMustTailCall() ||
      isa<Constant>(Call.getCalledOperand()))
    return {};
  if (!Found)
    find(*const_cast<Module *>(Call.getModule()));
  Targets All = Taken.lookup(Call.getFunctionType());
  if (auto [Table, At] = placeInTable(Call); Table) {
    Targets Virtual = InTables.lookup(At);
    erase_if(Virtual, [&](CallTarget T) {
      return T.Callee->getFunctionType() != Call.getFunctionType();
    });
    // A table of pointers that is no class's has other functions.
    if (!Virtual.empty())
      All = Virtual;
  }
  erase_if(All, [&](CallTarget T) { return T.Callee == Call.getFunction(); });
  return All.size() <= MostTargets ? All : Targets();
}

CallBase &callByName(CallBase &Call, const CallTarget &Target) {
  if (!Target.Table)
    return promoteCallWithIfThenElse(Call, Target.Callee);
  return promoteCallWithVTableCmp(Call, placeInTable(Call).first, Target.Callee, {Target.Table},
                                  /*BranchWeights=*/nullptr);
}

//===----------------------------------------------------------------------===//
// A loop for each
//===----------------------------------------------------------------------===//

namespace {

/// Instructions of a loop that is copied, and of a function that grows by such copies.
constexpr unsigned MaxLoop = 6000, MaxFunction = 40000;

/// Pointers that lead to the address of a function: an object, its class's table.
constexpr unsigned MaxChain = 4;

/// The branch asks whether a pointer is the address of a function, or of a table of them.
ICmpInst *asksForTarget(const BasicBlock &B) {
  auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
  auto *Asks =
      Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Asks || !Asks->isEquality())
    return nullptr;
  Value *Address = Asks->getOperand(1);
  auto *Table = dyn_cast<GlobalVariable>(Address->stripInBoundsOffsets());
  bool IsTarget = isa<Function>(Address) || (Table && Table->getName().starts_with(TablePrefix));
  return IsTarget ? Asks : nullptr;
}

/// A loop in which several functions may be what a pointer leads to.
class Choice {
public:
  Choice(Loop &L, AAResults &AA)
      : L(L), AA(AA), Header(L.getHeader()), Before(L.getLoopPreheader()) {}

  /// False: no more than one is asked for, or the pointer can't be read before the loop.
  bool find();
  /// A loop for each but the first, which the loop itself is for.
  void separate();

private:
  bool collect(Value *From);
  bool writesWhatIsRead(const Instruction &I) const;
  bool canReadBefore() const;
  bool asksFirst() const;
  Instruction *copyOf(Instruction &I, DenseMap<Value *, Value *> &Map, BasicBlock &To) const;
  BasicBlock *firstStep(DenseMap<Value *, Value *> &Map);
  void choose(BasicBlock *&At, Value *Is, Value *Target);
  void favour(const CopiedBlocks *Copied, const Value *Target) const;

  Loop &L;
  AAResults &AA;
  BasicBlock *Header, *Before, *First = nullptr;
  Value *Pointer = nullptr;
  /// Blocks that ask for it.
  SmallVector<BasicBlock *, 4> Asking;
  SmallVector<Value *, 4> Targets;
  /// What leads from what doesn't change in the loop to the pointer; the last first.
  SmallVector<Instruction *, 4> Chain;
};

/// Loads, and constant offsets, that lead to `From`.
bool Choice::collect(Value *From) {
  Chain.clear();
  while (!L.isLoopInvariant(From)) {
    auto *I = cast<Instruction>(From);
    auto *Load = dyn_cast<LoadInst>(I);
    auto *Offset = dyn_cast<GetElementPtrInst>(I);
    bool IsSimple = (Load && Load->isSimple()) || (Offset && Offset->hasAllConstantIndices());
    if (Chain.size() > 2 * MaxChain || !IsSimple)
      return false;
    Chain.push_back(I);
    From = I->getOperand(0);
  }
  return true;
}

bool Choice::writesWhatIsRead(const Instruction &I) const {
  return I.mayWriteToMemory() && any_of(Chain, [&](const Instruction *Of) {
           auto *Load = dyn_cast<LoadInst>(Of);
           return Load && isModSet(AA.getModRefInfo(&I, MemoryLocation::get(Load)));
         });
}

/// The first step, if there is one, comes to where the pointer is read, and finds there what is
/// there before the loop.
bool Choice::canReadBefore() const {
  if (Chain.empty())
    return true;
  const BasicBlock *Last = Chain.front()->getParent();
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{Header};
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    for (const Instruction &I : *B) {
      if (&I == Chain.front())
        break;
      if (!isGuaranteedToTransferExecutionToSuccessor(&I) || writesWhatIsRead(I))
        return false;
    }
    if (B == Last)
      continue;
    // A step that doesn't come there is none, or has not begun.
    for (const BasicBlock *Next : successors(B))
      if (L.contains(Next) && Next != Header)
        Work.push_back(Next);
      else if (B != Header || Next == Header)
        return false;
  }
  return Seen.contains(Last);
}

/// The loop is left where it begins, under a condition that may as well be computed twice.
bool Choice::asksFirst() const {
  return isa<BranchInst>(Header->getTerminator()) &&
         none_of(*Header, [](const Instruction &I) { return I.mayHaveSideEffects(); });
}

bool Choice::find() {
  for (BasicBlock *B : L.blocks()) {
    ICmpInst *Asks = seldomAfter(*B) ? nullptr : asksForTarget(*B);
    if (!Asks || (Pointer && Asks->getOperand(0) != Pointer))
      continue;
    Pointer = Asks->getOperand(0);
    Asking.push_back(B);
    if (!is_contained(Targets, Asks->getOperand(1)))
      Targets.push_back(Asks->getOperand(1));
  }
  if (!Pointer || !collect(Pointer))
    return false;
  // One that is read in each step, and asked about once, is rare_paths.cpp's.
  return Chain.empty() || (Targets.size() > 1 && canReadBefore() &&
                           (!L.isLoopExiting(Header) || asksFirst()));
}

/// An instruction once more, before the loop.
Instruction *Choice::copyOf(Instruction &I, DenseMap<Value *, Value *> &Map,
                            BasicBlock &To) const {
  Instruction *New = I.clone();
  for (Use &U : New->operands())
    if (Value *Of = Map.lookup(U))
      U = Of;
  New->insertInto(&To, To.end());
  New->setName(I.getName());
  Map[&I] = New;
  return New;
}

/// Where there is a first step, and the pointer may be read; from elsewhere control goes into the
/// loop, and leaves it.
BasicBlock *Choice::firstStep(DenseMap<Value *, Value *> &Map) {
  Function &F = *Header->getParent();
  auto *First = BasicBlock::Create(F.getContext(), "first", &F, Header);
  Instruction *End = Before->getTerminator();
  DebugLoc At = Header->getTerminator()->getDebugLoc();
  for (PHINode &Phi : Header->phis())
    Map[&Phi] = Phi.getIncomingValueForBlock(Before);
  End->removeFromParent();
  End->deleteValue();
  if (Chain.empty() || !L.isLoopExiting(Header)) {
    BranchInst::Create(First, Before)->setDebugLoc(At);
    Header->replacePhiUsesWith(Before, First);
  } else {
    for (Instruction &I : *Header)
      if (!isa<PHINode>(I) && !I.isTerminator())
        copyOf(I, Map, *Before);
    auto *Branch = cast<BranchInst>(copyOf(*Header->getTerminator(), Map, *Before));
    for (unsigned Way : {0, 1})
      Branch->setSuccessor(Way, L.contains(Branch->getSuccessor(Way)) ? First : Header);
    for (PHINode &Phi : Header->phis())
      Phi.addIncoming(Map[&Phi], First);
  }
  return First;
}

/// Where the pointer is the target's address, a copy of the loop, which `At` leads to; then `At` is
/// where it is not.
void Choice::choose(BasicBlock *&At, Value *Is, Value *Target) {
  SmallVector<BasicBlock *, 16> Blocks(L.blocks());
  CopiedBlocks Copied;
  Copied.add(Blocks, ".chosen");
  for (BasicBlock *B : Blocks)
    for (BasicBlock *Exit : SmallPtrSet<BasicBlock *, 4>(succ_begin(B), succ_end(B)))
      if (!L.contains(Exit))
        Copied.enter(*Exit, B);
  BasicBlock *Begin = Copied.of(Header), *Latch = Copied.of(L.getLoopLatch());
  for (PHINode &Phi : Begin->phis()) {
    Phi.removeIncomingValueIf(
        [&](unsigned I) { return !is_contained({First, Latch}, Phi.getIncomingBlock(I)); });
    Phi.replaceIncomingBlockWith(First, At);
  }
  auto *Otherwise =
      BasicBlock::Create(Header->getContext(), "otherwise", Header->getParent(), Header);
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(Header->getTerminator()->getDebugLoc());
  B.CreateCondBr(B.CreateICmpEQ(B.CreateFreeze(Is), Target), Begin, Otherwise);
  favour(&Copied, Target);
  At = Otherwise;
}

/// In these copies of blocks, or in the loop itself, the target is called, or hardly ever another:
/// none is where the pointer doesn't change.
void Choice::favour(const CopiedBlocks *Copied, const Value *Target) const {
  for (BasicBlock *Of : Asking) {
    auto *Branch = cast<BranchInst>((Copied ? Copied->of(Of) : Of)->getTerminator());
    auto *Asks = cast<ICmpInst>(Branch->getCondition());
    bool Is = Asks->getOperand(1) == Target;
    unsigned Yes = Asks->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
    if (Chain.empty())
      Branch->setCondition(ConstantInt::getBool(Branch->getContext(), Is == (Yes == 0)));
    else
      markSeldom(*Branch, Is ? 1 - Yes : Yes);
  }
}

void Choice::separate() {
  DenseMap<Value *, Value *> Map;
  First = firstStep(Map);
  for (Instruction *I : reverse(Chain))
    copyOf(*I, Map, *First);
  Value *Is = Chain.empty() ? Pointer : Map[Pointer];
  BasicBlock *At = First;
  for (Value *Target : drop_begin(Targets, Chain.empty() ? 0 : 1))
    choose(At, Is, Target);
  BranchInst::Create(Header, At)->setDebugLoc(Header->getTerminator()->getDebugLoc());
  Header->replacePhiUsesWith(First, At);
  favour(nullptr, Chain.empty() ? nullptr : Targets.front());
  // Why it calls by address is no news. A program that asks so by itself does something else
  // there, which may be a sweep.
  if (Chain.empty() && any_of(L.blocks(), [](BasicBlock *B) { return isSeldomReached(*B); }))
    markTaken(L);
}

bool separateOne(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (L->isInnermost() || !L->isLoopSimplifyForm() || isTaken(*L) || instructionsOf(*L) > MaxLoop)
      continue;
    Choice C(*L, AA);
    if (!C.find())
      continue;
    formLCSSARecursively(*L, DT, &LI, nullptr);
    C.separate();
    FAM.invalidate(F, PreservedAnalyses::none());
    return true;
  }
  return false;
}

} // namespace

PreservedAnalyses LoopsByTarget::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Any = false;
  while (F.getInstructionCount() <= MaxFunction && separateOne(F, FAM))
    Any = true;
  return Any ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
