//===- look.cpp - May a function hold a time loop? ------------------------===//
//
// Consumes: functions as the host has them, also unoptimised ones with all
// variables in memory. Produces: yes or no, in time linear in the code.
//
// Why: a working copy with all callees inlined costs about what the host's own
// clean-up costs, and nearly no function of an ordinary program holds a grid.
//
// A sweep is a loop that reads and writes numbers at computed addresses, and
// calls nothing unknown; a time loop has one inside, or calls one. Whatever else
// they must be is seen in the copy.
//
//===----------------------------------------------------------------------===//

#include "look.h"
#include "step_storage.h"
#include "taken.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace hexpass {

void Deeds::add(const Deeds &Other) {
  Read |= Other.Read;
  Written |= Other.Written;
  ReadForCaller |= Other.ReadForCaller;
  WrittenForCaller |= Other.WrittenForCaller;
  Swept |= Other.Swept;
  Computes |= Other.Computes;
  Remainders |= Other.Remainders;
  Opaque |= Other.Opaque;
  FollowsData |= Other.FollowsData;
  Recurs |= Other.Recurs;
  MayClearUp |= Other.MayClearUp;
  Builds |= Other.Builds;
}

unsigned Deeds::sweep() const {
  // A structure of numbers is of use to who computes with numbers.
  auto OfFloats = [&](unsigned Set) {
    return Set & (1 << Floats) || (Computes && Set & (1 << Structures));
  };
  unsigned Both = Read & Written & (1 << Integers | 1 << Pieces);
  return Both | ((OfFloats(Read) && OfFloats(Written)) << Floats);
}

namespace {

/// Pointers that lead to pointers, at most so many.
constexpr unsigned MaxChain = 16;

/// A local variable may be set somewhere in the loop.
bool isSetIn(const AllocaInst &Variable, const Loop *Around) {
  return any_of(Variable.users(), [&](const User *U) {
    auto *I = cast<Instruction>(U);
    return !isa<LoadInst>(I) && !I->isLifetimeStartOrEnd() &&
           Around->contains(I);
  });
}

/// A local variable holds what the caller gave, and nothing else ever.
bool holdsArgument(const AllocaInst &Variable) {
  return all_of(Variable.users(), [](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return isa<LoadInst>(U) || cast<Instruction>(U)->isLifetimeStartOrEnd() ||
           (Store && isa<Argument>(Store->getValueOperand()));
  });
}

/// How an address changes from one iteration to the next.
enum class Motion { Fixed, CallersOwn, Moving };

/// Without a loop around, what comes from the caller moves as it does there.
Motion motion(const Value *Address, const Loop *Around) {
  Motion Outside = Around ? Motion::Fixed : Motion::CallersOwn;
  for (unsigned I = 0; I < MaxChain; ++I) {
    Address = Address->stripPointerCasts();
    if (auto *GEP = dyn_cast<GEPOperator>(Address)) {
      if (!GEP->hasAllConstantIndices())
        return Motion::Moving;
      Address = GEP->getPointerOperand();
      continue;
    }
    if (isa<AllocaInst>(Address) || isa<Constant>(Address))
      return Motion::Fixed;
    if (isa<Argument>(Address))
      return Outside;
    auto *Load = dyn_cast<LoadInst>(Address);
    if (!Load)
      return Motion::Moving;
    if (auto *Variable = dyn_cast<AllocaInst>(
            getUnderlyingObject(Load->getPointerOperand()))) {
      if (Around)
        return isSetIn(*Variable, Around) ? Motion::Moving : Motion::Fixed;
      return holdsArgument(*Variable) ? Motion::CallersOwn : Motion::Moving;
    }
    Address = Load->getPointerOperand();
  }
  return Motion::Moving;
}

/// The value is another one in each iteration of `L`: a variable's that is set
/// there, or what is computed from such.
bool changesIn(const Value *V, const Loop &L, unsigned Depth = MaxChain) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 0 || !L.contains(I))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    const Value *From = Load->getPointerOperand();
    auto *Variable = dyn_cast<AllocaInst>(From);
    return Variable ? isSetIn(*Variable, &L) : changesIn(From, L, Depth - 1);
  }
  if (isa<PHINode>(I))
    return true;
  return (isa<CastInst>(I) || isa<BinaryOperator>(I) ||
          isa<GetElementPtrInst>(I)) &&
         any_of(I->operands(), [&](const Value *Operand) {
           return changesIn(Operand, L, Depth - 1);
         });
}

/// A number that is read elsewhere in each iteration of `L`.
bool isData(const Value *V, const Loop &L) {
  auto *Load = dyn_cast<LoadInst>(V);
  return Load && !Load->getType()->isPointerTy() &&
         !isa<AllocaInst>(Load->getPointerOperand()) &&
         changesIn(Load->getPointerOperand(), L);
}

/// The address is looked up: a place of a table whose index is an element of
/// another one.
bool isLookedUp(const Value *Address, const Loop &L) {
  auto *GEP = dyn_cast<GEPOperator>(Address);
  return GEP && any_of(GEP->indices(), [&](const Value *Index) {
           while (auto *Cast = dyn_cast<CastInst>(Index))
             Index = Cast->getOperand(0);
           return isData(Index, L);
         });
}

/// What constant offsets are taken from.
const Value *withoutOffsets(const Value *Address) {
  while (auto *GEP = dyn_cast<GEPOperator>(Address)) {
    if (!GEP->hasAllConstantIndices())
      break;
    Address = GEP->getPointerOperand();
  }
  return Address;
}

/// The address is in an element of a list that the loop walks along: the pointer
/// to it is replaced by one that is found there.
bool isOfList(const Value *Address, const Loop &L) {
  const Value *Element = withoutOffsets(Address);
  auto IsNext = [&](const Value *V, const Value *Variable) {
    auto *Link = dyn_cast<LoadInst>(V);
    const Value *At = Link ? withoutOffsets(Link->getPointerOperand()) : nullptr;
    auto *Before = dyn_cast_or_null<LoadInst>(At);
    return At && (At == Variable ||
                  (Before && Before->getPointerOperand() == Variable));
  };
  if (auto *Phi = dyn_cast<PHINode>(Element))
    return L.contains(Phi) && any_of(Phi->incoming_values(), [&](const Use &V) {
             return IsNext(V, Phi);
           });
  auto *Load = dyn_cast<LoadInst>(Element);
  auto *Variable =
      Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return Variable && any_of(Variable->users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->getPointerOperand() == Variable &&
                  L.contains(Store) && IsNext(Store->getValueOperand(), Variable);
         });
}

/// By how many bytes a pointer goes on from one iteration to the next; 0 where that is not known.
uint64_t bytesPerStep(const Value *Pointer, const DataLayout &DL) {
  auto *Phi = dyn_cast<PHINode>(Pointer);
  if (!Phi)
    return 0;
  for (const Use &Next : Phi->incoming_values()) {
    auto *GEP = dyn_cast<GEPOperator>(Next);
    APInt Bytes(DL.getIndexTypeSizeInBits(Phi->getType()), 0);
    if (GEP && GEP->getPointerOperand() == Phi && GEP->accumulateConstantOffset(DL, Bytes))
      return Bytes.abs().getZExtValue();
  }
  return 0;
}

/// A number of a record, also where a pointer goes along an array of these and all that is left of
/// their type is the distance.
bool isMember(const Value *Address, Type *Number, const DataLayout &DL) {
  auto *GEP = dyn_cast<GEPOperator>(Address);
  return (GEP && GEP->getSourceElementType()->isStructTy() && GEP->hasAllConstantIndices()) ||
         bytesPerStep(withoutOffsets(Address), DL) > DL.getTypeStoreSize(Number);
}

/// Notes an access.
void note(Deeds &D, Kind What, bool Writes, const Value *Address,
          const Loop *Around) {
  // Integers are everywhere: why these are left need not be told.
  if ((What == Integers || What == Pieces) && Around &&
      (isLookedUp(Address, *Around) || isOfList(Address, *Around)))
    return;
  switch (motion(Address, Around)) {
  case Motion::Fixed:
    break;
  case Motion::Moving:
    (Writes ? D.Written : D.Read) |= 1 << What;
    break;
  case Motion::CallersOwn:
    (Writes ? D.WrittenForCaller : D.ReadForCaller) |= 1 << What;
    break;
  }
}

/// Numbers in, number out, as the functions of libm.
bool isMath(const Function &F) {
  auto IsNumber = [](Type *T) {
    return T->isFloatingPointTy() || T->isIntegerTy();
  };
  FunctionType *T = F.getFunctionType();
  return T->getReturnType()->isFloatingPointTy() && !T->isVarArg() &&
         all_of(T->params(), IsNumber);
}

/// It allocates or frees, which looks at no grid.
bool isStorage(const Function &F) {
  return F.hasFnAttribute(Attribute::AllocKind) || isMarkOfRust(F) ||
         is_contained({"malloc", "calloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv",
                       "_ZdaPvm"},
                      F.getName());
}

/// It allocates as C++ does, also for its strings and lists.
bool isNew(const Function &F) { return is_contained({"_Znwm", "_Znam"}, F.getName()); }

/// The start of one of OpenMP's parallel regions.
bool isFork(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName().starts_with("__kmpc_fork");
}

/// The blocks from which the function returns: others end in a failure.
SmallPtrSet<const BasicBlock *, 32> returning(const Function &F) {
  SmallPtrSet<const BasicBlock *, 32> Found;
  SmallVector<const BasicBlock *, 32> Work;
  for (const BasicBlock &B : F)
    if (isa<ReturnInst>(B.getTerminator()))
      Work.push_back(&B);
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (Found.insert(B).second)
      append_range(Work, predecessors(B));
  }
  return Found;
}

} // namespace

bool Look::mayHoldTimeLoop(Function &F) {
  if (F.isDeclaration())
    return false;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  if (none_of(LI, [&](const Loop *L) { return !isTaken(*L) && hopes(*L) != 0; }))
    return false;
  // Among its callers' arguments it may be another matter.
  of(F);
  Known[&F].MayClearUp = true;
  return true;
}

unsigned Look::hopes(const Loop &L) {
  unsigned All = of(L).Swept;
  // A sweep of the function's own that is hopeless is still told about.
  for (const Loop *Inner : L)
    All |= (wanders(*Inner) ? 0 : ownSweep(*Inner) & (1 << Floats)) | hopes(*Inner);
  return All;
}

/// It gives a number that is made of what it reads: part of a sweep, whatever it says on the way.
static bool givesNumber(const Function &F, const Deeds &D) {
  return F.getReturnType()->isFloatingPointTy() &&
         ((D.Read | D.ReadForCaller) & (1 << Floats)) != 0;
}

/// What a loop may sweep, whatever else stands in it, but for callees that call
/// what is not here: side code.
unsigned Look::ownSweep(const Loop &L) {
  Deeds All;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      auto *Call = dyn_cast<CallBase>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || Callee->isDeclaration() || !of(*Callee).Opaque ||
          givesNumber(*Callee, of(*Callee)))
        All.add(of(I, &L));
    }
  return All.sweep();
}

bool Look::isAside(Function &F) {
  Deeds D = of(F);
  return D.Opaque && !D.Swept && !givesNumber(F, D);
}

/// What a loop does; swept is what the loops inside it sweep.
Deeds Look::of(const Loop &L) {
  Deeds All;
  All.FollowsData = followsData(L);
  for (const Loop *Inner : L) {
    Deeds D = of(*Inner);
    All.Swept |= D.swept();
    All.FollowsData |= D.FollowsData;
  }
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      All.add(of(I, &L));
  return All;
}

/// What a loop sweeps that does this, or the loops inside it.
unsigned Deeds::swept() const {
  unsigned All = Swept | (Opaque || FollowsData ? 0 : sweep());
  // Text and records are moved so, to what is allocated for them.
  return Builds ? All & ~(1 << Pieces) : All;
}

/// The blocks from which the loop is left when it is over: that an index is out of bounds is no end.
static SmallVector<BasicBlock *, 4> ends(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  erase_if(Exiting, [&](const BasicBlock *B) {
    return all_of(successors(B), [&](const BasicBlock *Next) {
      return L.contains(Next) || isFailure(*Next, L);
    });
  });
  return Exiting;
}

bool Look::branchesByData(const BasicBlock &B, const Loop &L) {
  auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
  return Branch && Branch->isConditional() && asksData(Branch->getCondition(), L, MaxChain);
}

/// Whether to go on depends on what is read, as in sorting and searching, or
/// where to.
bool Look::followsData(const Loop &L) {
  return any_of(ends(L), [&](BasicBlock *B) { return branchesByData(*B, L); }) ||
         goesWhereDataSay(L);
}

/// It is no loop over a grid, whose end may be found early, but one that goes on as long as elements
/// say so, or where they say. Space that is counted in floating point is a grid.
bool Look::wanders(const Loop &L) {
  auto Ends = ends(L);
  return goesWhereDataSay(L) || (!Ends.empty() && all_of(Ends, [&](BasicBlock *B) {
           return branchesByData(*B, L) &&
                  isOfElements(cast<BranchInst>(B->getTerminator())->getCondition(), L);
         }));
}

/// The pointer or index goes on from where it is by what data say, inside of a loop as well.
bool Look::isLed(PHINode &At, const Loop &L) {
  bool ByData = false, FromHere = false;
  SmallPtrSet<Value *, 16> Visited;
  SmallVector<Value *, 8> Work{At.getIncomingValueForBlock(L.getLoopLatch())};
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    FromHere |= I == &At;
    if (!I || !L.contains(I) || I->getParent() == L.getHeader() || !Visited.insert(I).second)
      continue;
    if (auto *Choice = dyn_cast<SelectInst>(I)) {
      ByData |= asksData(Choice->getCondition(), L, MaxChain);
      append_range(Work, drop_begin(Choice->operands()));
    } else if (auto *Phi = dyn_cast<PHINode>(I)) {
      ByData |= any_of(Phi->blocks(), [&](BasicBlock *From) {
        BasicBlock *Before = From->getSinglePredecessor();
        return branchesByData(*From, L) || (Before && branchesByData(*Before, L));
      });
      append_range(Work, Phi->incoming_values());
    } else if (isa<CastInst, BinaryOperator, GetElementPtrInst>(I)) {
      append_range(Work, I->operands());
    }
  }
  return ByData && FromHere;
}

/// Addresses are computed from the value.
static bool isOfAddress(const Value &V, unsigned Depth = 4) {
  return V.getType()->isPointerTy() || any_of(V.users(), [&](const User *U) {
           return isa<GetElementPtrInst>(U) ||
                  (Depth > 0 && isa<CastInst, BinaryOperator>(U) && isOfAddress(*U, Depth - 1));
         });
}

/// A variable that indexes goes on from where it is if data say so.
bool Look::goesWhereDataSay(const Loop &L) {
  if (L.getLoopLatch() && any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
        return isOfAddress(Phi) && isLed(Phi, L);
      }))
    return true;
  auto IsIndex = [&](const User *U) {
    auto *Load = dyn_cast<LoadInst>(U);
    return Load && L.contains(Load) && any_of(Load->users(), [](const User *Of) {
             return isa<GetElementPtrInst>(Of) || isa<CallBase>(Of) ||
                    isa<SExtInst>(Of);
           });
  };
  auto GoesOn = [](const StoreInst &Store, const AllocaInst &Variable) {
    auto *Sum = dyn_cast<BinaryOperator>(Store.getValueOperand());
    auto *From = Sum ? dyn_cast<LoadInst>(Sum->getOperand(0)) : nullptr;
    return From && From->getPointerOperand() == &Variable;
  };
  for (BasicBlock *B : L.blocks()) {
    BasicBlock *Before = B->getSinglePredecessor();
    auto *Branch =
        Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
    if (!Branch || !Branch->isConditional() || !L.contains(Before))
      continue;
    for (Instruction &I : *B) {
      auto *Store = dyn_cast<StoreInst>(&I);
      auto *Variable =
          Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
      if (Variable && Store->getValueOperand()->getType()->isIntegerTy() &&
          GoesOn(*Store, *Variable) && any_of(Variable->users(), IsIndex) &&
          asksData(Branch->getCondition(), L, MaxChain))
        return true;
    }
  }
  return false;
}

bool Look::asksData(Value *Condition, const Loop &L, unsigned Depth) {
  if (isa<FCmpInst>(Condition) || isData(Condition, L))
    return true;
  auto *I = dyn_cast<Instruction>(Condition);
  if (!I || Depth == 0)
    return false;
  if (auto *Call = dyn_cast<CallBase>(I)) {
    Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration())
      return false;
    Deeds D = of(*Callee);
    return D.Computes || ((D.Read | D.ReadForCaller) & (1 << Floats));
  }
  // Of two conditions, a phi or a select makes one.
  return (isa<CastInst>(I) || isa<BinaryOperator>(I) || isa<ICmpInst>(I) ||
          isa<SelectInst>(I) || (isa<PHINode>(I) && I->getType()->isIntegerTy(1))) &&
         any_of(I->operands(),
                [&](Value *V) { return asksData(V, L, Depth - 1); });
}

/// The value is computed from what is read elsewhere in each iteration.
bool Look::isOfElements(Value *V, const Loop &L, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 0)
    return false;
  if (isData(V, L))
    return true;
  if (isa<CallBase>(I))
    return asksData(I, L, Depth);
  return L.contains(I) && !isa<PHINode, LoadInst>(I) &&
         any_of(I->operands(), [&](Value *Of) { return isOfElements(Of, L, Depth - 1); });
}

Deeds Look::of(Function &F) {
  auto [It, New] = Known.try_emplace(&F);
  if (!New)
    return It->second;
  // What calls itself stays a call.
  It->second.Opaque = It->second.Recurs = true;
  Deeds All;
  auto Lives = returning(F);
  for (BasicBlock &B : F)
    if (Lives.contains(&B))
      for (Instruction &I : B)
        All.add(of(I, nullptr));
  DominatorTree DT(F);
  LoopInfo LI(DT);
  for (const Loop *L : LI) {
    Deeds D = of(*L);
    All.Swept |= D.swept();
    All.FollowsData |= D.FollowsData;
  }
  // Tail recursion around sweeps will be a loop.
  All.MayClearUp |= All.Recurs && All.Swept;
  // Integers are everywhere: what only prepares them is not looked into.
  if (All.Opaque)
    All.Swept &= ~(1 << Integers | 1 << Pieces);
  if (All.Builds)
    All.Swept &= ~(1 << Pieces);
  return Known[&F] = All;
}

Deeds Look::of(Instruction &I, const Loop *Around) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return of(*Call, Around);
  Deeds D;
  D.Opaque = I.isVolatile() || I.isAtomic();
  bool Reads = isa<LoadInst>(I);
  if (!Reads && !isa<StoreInst>(I)) {
    D.Computes = isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy();
    D.Remainders = (I.getOpcode() == Instruction::SRem || I.getOpcode() == Instruction::URem) &&
                   !match(I.getOperand(1), PatternMatch::m_Power2());
    return D;
  }
  Type *T = getLoadStoreType(&I)->getScalarType();
  // flang moves complex numbers whole.
  if (auto *Struct = dyn_cast<StructType>(T); Struct && Struct->getNumElements())
    T = Struct->getElementType(0);
  const Value *Address = getLoadStorePointerOperand(&I);
  if (T->isFloatingPointTy())
    note(D, Floats, !Reads, Address, Around);
  else if (T->isIntegerTy())
    note(D, T->isIntegerTy(8) || isMember(Address, T, I.getDataLayout()) ? Pieces : Integers, !Reads,
         Address, Around);
  return D;
}

Deeds Look::of(CallBase &Call, const Loop *Around) {
  Deeds D;
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(&Call)) {
    if (isa<ConstantInt>(Copy->getLength())) {
      note(D, Structures, /*Writes=*/false, Copy->getRawSource(), Around);
      note(D, Structures, /*Writes=*/true, Copy->getRawDest(), Around);
    }
    return D;
  }
  if (isa<IntrinsicInst>(Call)) {
    D.Computes = Call.getType()->isFPOrFPVectorTy();
    return D;
  }
  Function *Callee = Call.getCalledFunction();
  if (Callee && !Callee->isDeclaration())
    return ofCallee(Call, of(*Callee), Around);
  CallTargets::Targets MayBe = ByNameOnly ? CallTargets::Targets() : targetsOf(Call);
  for (const CallTarget &Target : MayBe)
    D.add(ofCallee(Call, ofTarget(*Target.Callee), Around));
  D.Opaque |= MayBe.empty() && !Call.doesNotReturn() && !Call.doesNotAccessMemory() &&
              !(Callee && (BodiesElsewhere || isMath(*Callee) || isStorage(*Callee) ||
                           isComplexProduct(*Callee) || isComplexModulus(*Callee)));
  D.MayClearUp |= !Callee && !Call.isInlineAsm();
  D.Builds |= Callee && isNew(*Callee);
  // OpenMP's runtime is called with the function that it calls.
  if (isFork(Call))
    for (Value *Argument : Call.args())
      if (auto *Region = dyn_cast<Function>(Argument))
        D.add(of(*Region));
  return D;
}

/// Whatever may be called by address seems to call everything else in a circle: such calls are not
/// followed from there, and what is found on the way is kept apart.
Deeds Look::ofTarget(Function &Target) {
  std::swap(Known, KnownByName);
  ByNameOnly = true;
  Deeds D = of(Target);
  ByNameOnly = false;
  std::swap(Known, KnownByName);
  return D;
}

/// What a call does that does this in its callee.
Deeds Look::ofCallee(CallBase &Call, Deeds D, const Loop *Around) {
  Motion Most = Motion::Fixed;
  for (Value *Argument : Call.args())
    if (Argument->getType()->isPointerTy() && Most != Motion::Moving)
      Most = std::max(Most, motion(Argument, Around));
  if (Most == Motion::Moving) {
    D.Read |= D.ReadForCaller;
    D.Written |= D.WrittenForCaller;
  }
  if (Most != Motion::CallersOwn)
    D.ReadForCaller = D.WrittenForCaller = 0;
  return D;
}

//===----------------------------------------------------------------------===//
// The second look
//===----------------------------------------------------------------------===//

namespace {

/// The address grows with the counter of `L`. An index of few bits comes round.
bool growsWith(const SCEV *S, const Loop *L) {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
    return Counter && Counter->getLoop() == L;
  }) && !SCEVExprContains(S, [](const SCEV *Part) {
    return isa<SCEVTruncateExpr>(Part) || isa<SCEVUDivExpr>(Part) ||
           (Part->getType()->isIntegerTy() &&
            Part->getType()->getIntegerBitWidth() <= 8);
  });
}

bool isNumber(const Instruction &I) {
  Type *T = getLoadStoreType(&I)->getScalarType();
  return T->isFloatingPointTy() || T->isIntegerTy();
}

/// What the next iteration of the phi's loop gets is the sum of something that
/// this one has found, in a loop inside or in memory. Pointers and indices that
/// only change places are no sums.
bool goesOnFromWhatIsFound(const PHINode &Phi, const Loop &L,
                           const LoopInfo &LI) {
  SmallPtrSet<const Value *, 16> Visited;
  SmallVector<const Value *, 8> Work{
      Phi.getIncomingValueForBlock(L.getLoopLatch())};
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !L.contains(I) || I->getParent() == L.getHeader() ||
        !Visited.insert(I).second)
      continue;
    if (LI.getLoopFor(I->getParent()) != &L ||
        (isa<LoadInst>(I) && I->getType()->isIntegerTy()))
      return true;
    if (isa<PHINode>(I) || isa<CastInst>(I) || isa<BinaryOperator>(I) ||
        isa<GetElementPtrInst>(I))
      append_range(Work, I->operands());
    else if (isa<SelectInst>(I))
      append_range(Work, drop_begin(I->operands()));
  }
  return false;
}

/// The address moves in the loops inside `L`, or may turn out to do so.
bool mayMove(const SCEV *Address, const Loop &L, const LoopInfo &LI) {
  return SCEVExprContains(Address, [&](const SCEV *Part) {
    if (auto *Counter = dyn_cast<SCEVAddRecExpr>(Part))
      return Counter->getLoop() != &L && L.contains(Counter->getLoop());
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    return I && L.contains(I) && LI.getLoopFor(I->getParent()) != &L;
  });
}

/// The address is looked up in a loop inside `L`, or starts where the last step
/// has ended.
bool isLedByData(const SCEV *Address, const Loop &L, const LoopInfo &LI) {
  return SCEVExprContains(Address, [&](const SCEV *Part) {
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    if (!I || !L.contains(I))
      return false;
    const Loop *In = LI.getLoopFor(I->getParent());
    if (In != &L)
      return isData(I, *In);
    auto *Phi = dyn_cast<PHINode>(I);
    return Phi && Phi->getParent() == L.getHeader() && L.getLoopLatch() &&
           goesOnFromWhatIsFound(*Phi, L, LI);
  });
}

/// The loop is left at one place only, when something that it counts gets
/// somewhere.
bool counts(const Loop &L, ScalarEvolution &SE) {
  SmallVector<Loop::Edge, 4> Exits;
  L.getExitEdges(Exits);
  erase_if(Exits, [&](const Loop::Edge &E) { return isFailure(*E.second, L); });
  if (Exits.size() != 1)
    return false;
  auto *From = const_cast<BasicBlock *>(Exits[0].first);
  if (!isa<SCEVCouldNotCompute>(SE.getExitCount(&L, From)))
    return true;
  auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
  auto *Test = Branch && Branch->isConditional()
                   ? dyn_cast<ICmpInst>(Branch->getCondition())
                   : nullptr;
  return Test && any_of(Test->operands(), [&](Value *V) {
    return SCEVExprContains(SE.getSCEV(V), [&](const SCEV *Part) {
      auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
      return Counter && Counter->getLoop() == &L;
    });
  });
}

/// Stores of loops inside one that may be a time loop.
class Repeats {
public:
  Repeats(const Loop &L, const LoopInfo &LI, ScalarEvolution &SE, Stage At)
      : L(L), LI(LI), SE(SE), At(At) {}

  /// Some store of a loop inside goes to the same place each time, or to one
  /// near which `L` has read elsewhere: the history of an earlier step.
  bool any() {
    for (BasicBlock *B : L.blocks())
      for (Instruction &I : *B) {
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (isFork(*Call) || isCopyOfOne(*Call))
            return true;
        if (L.isInnermost() || (!isa<LoadInst>(I) && !isa<StoreInst>(I)) ||
            !isNumber(I))
          continue;
        const SCEV *Address = SE.getSCEV(getLoadStorePointerOperand(&I));
        if (isa<LoadInst>(I))
          Loaded.push_back(Address);
        else if (!isOfSweep(I, Address))
          continue;
        else if (growsWith(Address, &L))
          Stored.push_back(Address);
        else
          return true;
      }
    return any_of(Stored, [&](const SCEV *S) {
      return any_of(Loaded, [&](const SCEV *Other) {
        return S != Other && SE.getPointerBase(S) == SE.getPointerBase(Other);
      });
    });
  }

private:
  /// A structure is copied whole in a loop inside.
  bool isCopyOfOne(CallBase &Call) {
    auto *Copy = dyn_cast<AnyMemTransferInst>(&Call);
    return Copy && isa<ConstantInt>(Copy->getLength()) &&
           LI.getLoopFor(Call.getParent()) != &L &&
           mayMove(SE.getSCEV(Copy->getRawDest()), L, LI);
  }

  bool isOfSweep(Instruction &Store, const SCEV *Address) {
    const Loop *In = LI.getLoopFor(Store.getParent());
    if (In == &L || !mayMove(Address, L, LI))
      return false;
    // Why loops over floating numbers are left is told where all is known.
    if (getLoadStoreType(&Store)->getScalarType()->isFloatingPointTy())
      return true;
    if (isLedByData(Address, L, LI))
      return false;
    for (; At == Stage::PathsApart && In != &L; In = In->getParentLoop())
      if (!counts(*In, SE))
        return false;
    return true;
  }

  const Loop &L;
  const LoopInfo &LI;
  ScalarEvolution &SE;
  Stage At;
  SmallVector<const SCEV *, 16> Stored, Loaded;
};

} // namespace

bool walkOut(const BasicBlock &From, const Loop &L, unsigned Most,
             SmallPtrSetImpl<const BasicBlock *> &Seen,
             function_ref<bool(const BasicBlock &)> Visit) {
  SmallVector<const BasicBlock *, 16> Work{&From};
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    if (Seen.size() > Most || L.contains(B) || !Visit(*B))
      return false;
    append_range(Work, successors(B));
  }
  return true;
}

/// Control that leaves `L` for `From` comes back neither to `L` nor to the caller.
static bool leadsNowhere(const BasicBlock &From, const Loop &L) {
  constexpr unsigned MostBlocks = 512;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  // A loop that goes on for ever is no end.
  bool Ends = false;
  return walkOut(From, L, MostBlocks, Seen, [&](const BasicBlock &B) {
           const Instruction *End = B.getTerminator();
           Ends |= isa<UnreachableInst, ResumeInst>(End);
           return !isa<ReturnInst>(End);
         }) &&
         Ends;
}

/// Where the loop's own test ends it: behind its header, or else behind its latch. Null where
/// neither leaves it.
static const BasicBlock *ownEnd(const Loop &L) {
  for (const BasicBlock *From : {L.getHeader(), L.getLoopLatch()}) {
    if (!From || !L.isLoopExiting(From))
      continue;
    auto Outside = make_filter_range(successors(From), [&](auto *B) { return !L.contains(B); });
    return *Outside.begin();
  }
  return nullptr;
}

bool isFailure(const BasicBlock &From, const Loop &L) {
  if (!leadsNowhere(From, L))
    return false;
  if (ownEnd(L) != &From)
    return true;
  // The program may end behind the loop (`stop`, `exit`): then all ways out of it lead nowhere.
  SmallVector<BasicBlock *, 4> Exits;
  L.getExitBlocks(Exits);
  return any_of(Exits, [&](const BasicBlock *B) { return !leadsNowhere(*B, L); });
}

bool mayHoldTimeLoop(Function &Copy, FunctionAnalysisManager &FAM, Stage At) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(Copy);
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  return any_of(LI.getLoopsInPreorder(), [&](const Loop *L) {
    return !isTaken(*L) && Repeats(*L, LI, SE, At).any();
  });
}

} // namespace hexpass
