//===- stretches.h - Sweeps gathered over several steps -------------*- C++ -*-===//
//
// A time loop with side code (output every k steps, timers, time counted in
// floating point, an exit in the middle) keeps its scalar code as it is; its
// sweeps are counted, and executed several steps at a time by a function of
// their own, the stretch, whenever somebody may look at what they touch:
//
//     while (t < end) {                       while (t < end) {
//       sweep(u, v, f(t));                      pending (u, v on the first);
//       swap(u, v);                             queue[pending++] = f(t);
//       if (step % 100 == 0)      becomes       swap(u, v);
//         print(u);                             if (step % 100 == 0) {
//       t += dt;                                  flush; print(u); }
//     }                                         t += dt;
//                                             }
//                                             flush;
//
// where flush is `if (pending) stretch(pending, u, v, ..., queue), pending = 0`
// and the stretch is an ordinary counted time loop.
//
// Where each step ends in the largest (or smallest) of something, as for
// `while (change > tolerance)`, the sweeps run ahead of the host instead: the
// stretch keeps the value of each of its steps, and the host finds one after the
// other there. It is taken back as far as the host has not come when somebody may
// look (stretch_reduce.cpp). Pointers that each step exchanges in memory are exchanged by the
// host, step by step (stretch_words.cpp).
//
// Where a sweep leaves a sum, or another value that one instance after the other
// makes, and nobody looks at it but behind the loop or under a condition, the
// stretch leaves it out of all its steps but the last (stretch_keep.cpp).
//
// Where side code stands between the sweeps of one step, nothing waits: those that
// stand together are a stretch of one step (stretch_apart.cpp).
//
// Where the rest reads or writes variables of which only the runtime can say that they lie
// beside the grids, it is asked when the first step is pending (stretch_bystanders.cpp).
//
// Between stretches, what they touch may stay on a device: it comes home before
// somebody looks, and where the loop is left (stretch_home.cpp), or that
// around it (stretch_residence.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HEXPASS_STRETCHES_H
#define HEXPASS_STRETCHES_H

#include "internal.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <tuple>

namespace hexpass {

/// True for the call that stands before a nest that is taken: of the runtime, or of
/// what is called where there is none (plugin/src/emit/splice.rs).
inline bool callsRuntime(const llvm::Instruction &I) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
  if (!Call)
    return false;
  const llvm::Value *Callee = Call->getCalledOperand();
  auto IsEntry = [](const llvm::Value *V) { return V->getName() == "hexrt_run"; };
  if (auto *Either = llvm::dyn_cast<llvm::SelectInst>(Callee))
    return IsEntry(Either->getTrueValue()) || IsEntry(Either->getFalseValue());
  return IsEntry(Callee);
}

/// An object in memory as one kind of access sees it: the bytes from `Low` to
/// before `High` of it, or all where there are none.
struct Object {
  const llvm::Value *Root;
  llvm::AAMDNodes Tags;
  int64_t Low, High;

  bool operator==(const Object &Other) const {
    return Root == Other.Root && Tags == Other.Tags && Low == Other.Low &&
           High == Other.High;
  }
  bool isApartFrom(const Object &Other) const {
    return Root == Other.Root && Low < High && Other.Low < Other.High &&
           (High <= Other.Low || Other.High <= Low);
  }
};

/// How an instruction touches what others do: it reads what they write, or it may
/// write what they write or read.
enum : unsigned { TouchReads = 1, TouchWrites = 2 };

/// It grows from iteration to iteration of the loop; a few bits of that come round again.
inline bool goesOn(const llvm::SCEVAddRecExpr &S, const llvm::Loop &L) {
  constexpr unsigned FewBits = 8;
  bool IsNarrow = S.getType()->isIntegerTy() && S.getType()->getIntegerBitWidth() < FewBits;
  return S.getLoop() == &L && !IsNarrow;
}

/// Arguments of `hexrt_home` (runtime/abi/src/lib.rs).
enum HomeKind : unsigned { HomeReads, HomeWrites, HomeLeaves, HomeRepeats };

/// It stands for a call of `hexrt_home`.
bool isHomeMark(const llvm::Instruction &I);
/// A call that is handed the function's frame: a stretch.
bool hasFrame(const llvm::Instruction &I);

/// Calls for the marks that a stretch has been handed with a check's failing blocks, which
/// speak of its caller's frame.
void lowerHandedMarks(llvm::Function &Stretch);

/// Puts a mark before the instruction, of this frame.
void markHome(llvm::Instruction *Before, llvm::Value *Frame, HomeKind How, llvm::DebugLoc At);

/// The frame of a function, made if it has none.
llvm::AllocaInst *makeFrame(llvm::Function &F);

bool isFrame(const llvm::Value *V);

/// Of a variable's bytes, that they are only read: `ONLY_READ` of the runtime.
constexpr uint64_t OnlyRead = uint64_t(1) << 63;

/// What generated code hands the runtime, `NestArgs` on the stack, if this is its call.
llvm::AllocaInst *argumentsOf(const llvm::CallBase &Call);

/// The mark speaks of some bytes only.
bool isRange(const llvm::CallInst &Mark);

/// The marks for the loop that the block leads to; between them stands what they need to
/// know.
llvm::SmallVector<llvm::CallInst *, 8> trailingMarks(llvm::BasicBlock &B);

/// Made by `makeOwn`.
bool isOwn(const llvm::AllocaInst &Slot);

/// What has been found of a function's memory, in any iteration: the same is asked for each of its
/// loops, and of many pairs of accesses that differ in their distance only.
struct MemoryFacts {
  /// An object, whichever bytes of it.
  using Kind = std::pair<const llvm::Value *, llvm::AAMDNodes>;
  /// What an access reads, and what it writes.
  using Deeds = std::pair<llvm::SmallVector<Object, 2>, llvm::SmallVector<Object, 2>>;

  llvm::DenseMap<const llvm::Instruction *, Deeds> Accesses;
  llvm::DenseMap<std::pair<Kind, Kind>, bool> Alias;
  /// Who else may know the addresses of the function's own memory.
  llvm::DenseMap<const llvm::Value *, bool> Outside;
};

/// What a set of instructions reads and writes, in any iteration.
class Footprint {
public:
  explicit Footprint(const ShimAnalyses &A);

  /// A load, store or memory intrinsic.
  void add(const llvm::Instruction &I);
  /// One of another function, whose arguments are these values here.
  void add(const llvm::Instruction &I,
           const llvm::DenseMap<const llvm::Argument *, llvm::Value *> &Arguments);
  /// Nobody knows what.
  void addAnything() { Anything = true; }
  /// None of these comes to the function's own variable, whoever has its address.
  void leaveOut(const llvm::AllocaInst &Own) { Out.insert(&Own); }
  /// `I`, in one iteration, may write what these touch in another, or read
  /// what they write. A call that is not known to come back does.
  bool conflicts(llvm::Instruction &I) const;
  /// How an instruction that conflicts touches what these touch.
  unsigned touch(llvm::Instruction &I) const;
  /// The same of a call that nothing is known of, and of which objects.
  unsigned touch(llvm::CallBase &Call, llvm::SmallVectorImpl<const llvm::Value *> &Roots) const;
  /// `I` may write what these write or read, or read what these write; `I` is a
  /// plain load or store.
  bool meets(const llvm::Instruction &I) const;
  /// A store of these may write what the load reads.
  bool mayWrite(const llvm::LoadInst &Load) const;
  bool touches(const llvm::Value *Root) const;

private:
  MemoryFacts::Deeds deedsOf(const llvm::Instruction &I) const;
  bool mayAlias(const Object &X, const Object &O) const;
  bool anyAlias(const Object &X, llvm::ArrayRef<Object> Others) const;
  bool argumentsMeet(const llvm::CallBase &Call) const;
  bool isOlder(const llvm::Value *Root, const llvm::Value *Than) const;
  /// What the call, of which nothing is known, may do to it.
  llvm::ModRefInfo reach(const llvm::CallBase &Call, const Object &O) const;
  /// Somebody else may know its address.
  bool isShared(const Object &O) const;

  const ShimAnalyses *A;
  llvm::AAResults *AA;
  llvm::TypeBasedAAResult *Types;
  llvm::SmallVector<Object, 16> Reads, Writes;
  /// They also read and write what is not known.
  bool Anything = false;
  llvm::SmallPtrSet<const llvm::Value *, 4> Out;
};

/// Who may look at what nests touch, and calls that bring it home before.
class HomeMarks {
public:
  /// `Nests` may still grow until somebody is noted.
  HomeMarks(ShimAnalyses &A, const Footprint &Nests, llvm::DebugLoc At,
            const llvm::SmallPtrSetImpl<const llvm::Instruction *> *Relayed = nullptr)
      : A(A), Nests(Nests), At(At), Relayed(Relayed) {}

  /// The instruction, if it may.
  void note(llvm::Instruction &I);
  /// Those of a loop that count, once before it.
  void note(llvm::Loop &C, llvm::function_ref<bool(const llvm::Instruction &)> Counts);
  /// Before anything changes: which bytes loops look at.
  void expand();
  void mark();
  void markHome(llvm::Instruction *Before, HomeKind How);
  /// The same of so many bytes.
  void markHome(llvm::Instruction *Before, HomeKind How, llvm::Value *At, llvm::Value *Bytes) {
    markLook({Before, How, At, Bytes});
  }
  /// A call where the block that is built then goes on, if something is on a device.
  void callHome(llvm::IRBuilderBase &B, HomeKind How);
  /// The function's.
  llvm::AllocaInst *frame();

private:
  /// Before what somebody may look at what nests touch, and whether to write there:
  /// at `Bytes` times `Count` bytes from `At` on, where that is known.
  struct LookAt {
    llvm::Instruction *Before;
    HomeKind How;
    llvm::Value *At = nullptr, *Bytes = nullptr, *Count = nullptr;
    /// The same of a loop's accesses, until `expand`.
    const llvm::SCEV *Lowest = nullptr, *Length = nullptr;
  };

  bool isRelayed(const llvm::SCEV *S) const;
  bool noteRange(llvm::Instruction &I);
  bool noteObjects(llvm::CallBase &Call);
  bool findRange(llvm::Instruction &I, llvm::Loop &C, llvm::SmallVectorImpl<LookAt> &To);
  bool noteRanges(llvm::Loop &C, llvm::ArrayRef<llvm::Instruction *> Who);
  void noteLook(llvm::Instruction *Before, llvm::ArrayRef<llvm::Instruction *> Who);
  void markLook(const LookAt &Of);

  ShimAnalyses &A;
  const Footprint &Nests;
  llvm::DebugLoc At;
  /// Pointers that are read again where they are used.
  const llvm::SmallPtrSetImpl<const llvm::Instruction *> *Relayed;
  llvm::SmallVector<LookAt, 8> Looks;
  llvm::AllocaInst *Frame = nullptr;
};

/// Memory on the stack that is generated code's own.
llvm::AllocaInst *makeOwn(llvm::IRBuilderBase &B, llvm::Type *T,
                          llvm::Value *Count = nullptr, const llvm::Twine &Name = "");

/// Control goes from before a loop to behind it, where nobody wants what it has left.
void passBy(llvm::BasicBlock &Before, llvm::BasicBlock &Header, llvm::BasicBlock &After);

/// Never a negative zero, nor a NaN that was none before.
bool isMagnitude(const llvm::Value *V);

/// A known function that writes what its caller has on the stack at most, or out of the program.
bool leavesMemory(const llvm::CallBase &Call);
/// A known function keeps no address that it is handed there; `Writes`: it may write to it.
bool lendsOnly(const llvm::CallBase &Call, unsigned N, bool &Writes);
/// What a local pointer variable holds, whose own address nobody has and that is set once; else
/// null.
const llvm::Value *onlyValueOf(const llvm::Value *Variable);

/// It only computes: a function of libm, say.
bool isMathematics(const llvm::CallBase &Call);
/// It is known to touch no memory of the program but what its arguments point to.
bool touchesArgumentsOnly(const llvm::CallBase &Call);
/// The same, and which of its arguments lead to what it touches.
bool touchesArgumentsOnly(const llvm::CallBase &Call,
                          llvm::SmallVectorImpl<const llvm::Value *> &Pointers);
/// Flang's output of an array of numbers: it reads what a descriptor says, and writes nothing that
/// the program has.
bool showsNumbers(const llvm::CallBase &Call);

/// Where something stands in an iteration: the n-th block that every iteration
/// goes through, or between it and the next, and the instruction in the block.
struct Place {
  unsigned Spine;
  bool Between;
  unsigned Instruction;

  bool operator<(const Place &Other) const {
    return std::tie(Spine, Between, Instruction) <
           std::tie(Other.Spine, Other.Between, Other.Instruction);
  }
};

/// `Ahead` (runtime/abi/src/lib.rs), and its fields.
llvm::StructType *aheadType(llvm::LLVMContext &C);
enum AheadField { Credit, Taken, State_, Most_, Count, Initials_, Results_ };

/// The largest or smallest of a value over the instances of a sweep; or their sum, of
/// which a lower and an upper bound are told apart, or which is added up from its terms.
struct Reduction {
  /// The sweep, and the only thing outside that looks at the result.
  llvm::Loop *Of = nullptr;
  llvm::PHINode *Exit = nullptr;
  /// Instead of these: an element that the step looks at, a sum of one term.
  llvm::LoadInst *Probe = nullptr;
  /// Phis of the headers from `Of` inwards, and what closes loops between them.
  llvm::SmallVector<llvm::PHINode *, 8> Chain;
  /// The new value of one instance; of its operands, the value that competes.
  llvm::Instruction *Update = nullptr;
  unsigned Operand = 0;
  llvm::Value *Initial = nullptr;
  bool IsSum = false;
  /// The addition, or the better of two; `Update` chooses between it and the old value
  /// where it is under a condition.
  llvm::Instruction *Operation = nullptr;
  /// Of a sum: its terms are kept one by one, and added up in the order of the loops.
  bool IsOrdered = false;
  /// ... and the product among them that is not rounded before it is added.
  llvm::Instruction *Product = nullptr;
  /// A sum of integers: its terms are kept as doubles, which add up to it exactly.
  bool IsCount = false;
  /// ... of which any may be large: the lower 16 bits and the rest are added up by themselves.
  bool IsWide = false;
  /// Its result, of a sum the lower bound: the number of words before it.
  unsigned Word = 0;
  bool Largest = true;
  /// NaNs are not passed over: the result depends on where they stand.
  bool CountsNaNs = false;
  /// Says whether an alarm was raised (alarms.cpp): nobody looks at it but the runtime.
  bool IsAlarm = false;
  /// A NaN gives way to any number, also one that it begins with.
  bool Yields = false;
  /// An instance may give a negative zero; of a sum, a negative value.
  bool SignOfZero = false;
  /// What equals the best does not take its place.
  bool Strict = false;
  /// An address that the same instance stores to or loads from.
  llvm::Value *Near = nullptr;

  llvm::PHINode *root() const { return Chain.front(); }
  /// What the host has of it.
  llvm::Instruction *result() const {
    return Probe ? llvm::cast<llvm::Instruction>(Probe) : Exit;
  }
  llvm::Value *operand() const { return Operation->getOperand(Operand); }
  bool isBounded() const { return IsSum && !IsOrdered; }
  unsigned words() const { return isBounded() || Product || IsWide ? 2 : 1; }
  /// One array holds both factors.
  bool isSquare() const {
    return Product && Update == Operation && Product->getOperand(0) == Product->getOperand(1) &&
           Operation->getOpcode() != llvm::Instruction::FSub;
  }
};

/// An element that a loop keeps of each step, at places that it looks up (stretch_receivers.cpp).
struct Receiver {
  llvm::LoadInst *Load = nullptr;
  llvm::Loop *Of = nullptr;
  /// Of the grid's dimensions, outermost first, in the function.
  llvm::SmallVector<const llvm::SCEV *, 3> Subscripts;
  /// A store of a sweep that goes through such rows.
  const llvm::StoreInst *Like = nullptr;
  // In the stretch: the grid, these subscripts, and bytes from one to the next.
  llvm::Value *Grid = nullptr;
  llvm::SmallVector<llvm::Value *, 3> Places, Steps;
  /// Its arguments: where the boxes of all steps are kept, and which box it is.
  llvm::Argument *Lines = nullptr;
  llvm::SmallVector<llvm::Argument *, 3> Low, Count;
  // The host's.
  llvm::AllocaInst *LinesAt = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 3> Lows, Counts;
};

/// A value that a sweep leaves as it began with it, unless an alarm is raised.
struct Unalarmed {
  llvm::PHINode *Exit;
  llvm::Value *Initial;
};

} // namespace hexpass

/// A time loop whose sweeps are to wait, first as a plan; the function itself is
/// only changed by `commit`.
struct ShimStretches {
  ShimStretches(ShimAnalyses &A, llvm::Loop &L, bool WithStores,
                bool WithReductions, bool Keeps, bool Records = false)
      : A(A), L(L), WithStores(WithStores), WithReductions(WithReductions),
        Keeps(Keeps), Records(Records), Sweeps(A),
        Home(A, Sweeps, L.getStartLoc(), &Relayed) {}
  /// Sweeps that don't wait: `Only` these, in a stretch of one step, with what the step
  /// reduces in them.
  ShimStretches(ShimAnalyses &A, llvm::Loop &L, bool WithStores,
                llvm::ArrayRef<llvm::Loop *> Only)
      : ShimStretches(A, L, WithStores, /*WithReductions=*/true,
                      /*Keeps=*/false) {
    Apart = true;
    Inner.assign(Only.begin(), Only.end());
  }

  // ---- stretch_plan.cpp
  /// False: refused, and `Refusal` says why.
  bool plan();
  // ---- stretch_build.cpp
  /// Makes `Stretch`; false as above.
  bool build();
  // ---- stretch_host.cpp
  void commit();
  // ---- stretch_apart.cpp
  /// The loops directly in this one that may be sweeps, in order.
  llvm::SmallVector<llvm::Loop *, 16> listSweeps();
  const llvm::Instruction *findGather() const;
  /// A sweep needs the largest value that a loop of the same step has found.
  bool needsExtreme();
  /// Those that a refused plan had gathered, but for the last ones: what stands in
  /// the way comes after them.
  llvm::SmallVector<llvm::Loop *, 16> fewer() const;
  llvm::SmallVector<llvm::Loop *, 8> sweeps() const {
    return {SweepLoops.begin(), SweepLoops.end()};
  }

  bool storesDirectly() const { return !Stores.empty(); }
  bool leavesWords() const { return !Words.empty(); }

  ShimStretchRefusal Refusal = ShimStretchNoSweep;
  const llvm::Instruction *Culprit = nullptr;
  /// Why no more than one step waits, if so, and what is to blame.
  ShimPace Pace = ShimPaceSeveral;
  const llvm::Instruction *PaceCulprit = nullptr;
  llvm::Function *Stretch = nullptr;
  /// The stretch as a nest: what it reduces is kept in grids of its own, or left
  /// out, and what it records stands in boxes.
  llvm::Function *Model = nullptr;
  /// Which boxes; and the stretch as it was written.
  llvm::Function *Bounds = nullptr, *Whole = nullptr;
  llvm::SmallVector<hexpass::Reduction, 2> Reductions;
  /// There are some.
  bool Reduces = false;
  llvm::SmallVector<llvm::Argument *, 2> Grids;
  llvm::Argument *Ahead = nullptr;
  /// The last argument: the frame in which arrays may stay.
  llvm::Argument *frameArgument() const {
    llvm::Function *Taken = Model ? Model : Stretch;
    return Taken->getArg(Taken->arg_size() - 1);
  }

private:
  using Block = llvm::BasicBlock;

  bool refuse(ShimStretchRefusal Why, const llvm::Instruction *At = nullptr);

  // planning
  bool mayBeCut();
  bool keepsArrays() const;
  void findSpine();
  void findSegments();
  void findWriters();
  bool writesBeside(const llvm::LoadInst &Load,
                    llvm::function_ref<bool(llvm::Instruction &)> Counts) const;
  llvm::ArrayRef<Block *> blocksOf(unsigned Segment) const;
  Block *target() const;
  bool isPassedThrough();
  bool storesAlong(const llvm::Loop &C) const;
  bool mayStandApart(llvm::Loop &C);
  bool combines(const llvm::Loop &C) const;
  bool isTimeLoop(llvm::ArrayRef<llvm::Loop *> Found) const;
  bool isFixed(const llvm::Value *V) const;
  bool readsSetting(const llvm::LoadInst &Load) const;
  bool isSteady(unsigned Segment) const;
  bool isSwitched(unsigned Segment) const;
  bool isSweep(llvm::Loop &C);
  bool isFormula(llvm::Instruction &From, const llvm::Loop &Around) const;
  bool hasTraceOrGather(llvm::Loop &C) const;
  bool isUsedOutside(llvm::Loop &C, llvm::ArrayRef<Block *> DeadEnds,
                     llvm::ArrayRef<llvm::PHINode *> Known) const;
  std::pair<hexpass::Place, hexpass::Place> ends() const;
  bool isExchanged(const llvm::StoreInst &Store) const;
  void findSweeps();
  /// The function's own variables that no sweep can come to (stretch_lives.cpp).
  void leaveOutOtherLives();
  void findAlarmed();
  llvm::SmallVector<Block *, 16> usual(const llvm::Loop &C) const;
  bool saysAlarms(llvm::Loop &C, llvm::ArrayRef<Block *> Ends,
                  llvm::ArrayRef<hexpass::Reduction> Found) const;
  bool raisesAlarms() const {
    return llvm::any_of(Reductions, [](const hexpass::Reduction &R) { return R.IsAlarm; });
  }
  bool mayThrow() const { return !Failing.empty() || raisesAlarms(); }
  // ---- stretch_reduce.cpp
  bool findReduction(llvm::Loop &C, llvm::PHINode &Exit,
                     hexpass::Reduction &R) const;
  bool matchUpdate(hexpass::Reduction &R) const;
  bool matchBest(hexpass::Reduction &R) const;
  bool isWantedBehind(const hexpass::Reduction &R) const;
  llvm::Instruction *firstWantedBefore() const;
  bool reducesAfter() const;
  bool keepsUp();
  void slow(ShimPace Why, const llvm::Instruction *At);
  bool isWrittenBeside(const llvm::LoadInst &Load) const;
  bool staysSame(const llvm::Instruction &I) const;
  bool isExchangedRound(const llvm::Instruction &I) const;
  const llvm::Instruction *movesOn() const;
  void keepResults(llvm::Function &F);
  void makeModel();
  void addGrid(const hexpass::Reduction &R, llvm::ValueToValueMapTy &VMap);
  llvm::Value *gridElement(const hexpass::Reduction &R, unsigned Word,
                           llvm::Instruction &At, llvm::ValueToValueMapTy &VMap);
  llvm::Value *gridAddress(const hexpass::Reduction &R, llvm::Instruction &At,
                           llvm::Value *Grid, llvm::ValueToValueMapTy &VMap);
  unsigned words() const {
    return Reductions.empty() ? 0 : Reductions.back().Word + Reductions.back().words();
  }
  bool hasSums() const {
    return llvm::any_of(Reductions, [](const hexpass::Reduction &R) { return R.isBounded(); });
  }
  void runAhead();
  void settle(llvm::Instruction *Before);
  void leaveToOriginal();
  // ---- stretch_keep.cpp
  bool isPlainOrMath(const llvm::Instruction &I) const;
  struct Followed {
    llvm::SmallSetVector<llvm::Instruction *, 8> Derived;
    /// Those made of what the step before has left.
    llvm::SmallPtrSet<llvm::Instruction *, 4> Late;
    llvm::SmallVector<llvm::Use *, 8> Lookers;
    /// With the operand that is made of the value.
    llvm::SmallMapVector<llvm::FCmpInst *, unsigned, 2> Compares;
  };
  bool follow(llvm::PHINode &Exit, Followed &To, bool Decides) const;
  bool isSeldomSeen(llvm::PHINode &Exit) const;
  bool isLean() const { return !KeptExits.empty() && Reductions.empty(); }
  // ---- stretch_sum.cpp
  bool matchSum(hexpass::Reduction &R) const;
  // ---- stretch_words.cpp
  bool mayLeaveWords() const;
  hexpass::Place endBeforeWords(hexpass::Place Last) const;
  bool readsWord(const llvm::LoadInst &Load) const;
  void leaveWords();
  void rememberWords(llvm::IRBuilderBase &B);
  llvm::SmallVector<llvm::Value *, 4> takeBackWords(llvm::IRBuilderBase &B);
  void bringBackWords(llvm::IRBuilderBase &B, llvm::ArrayRef<llvm::Value *> Now);
  // ---- stretch_terms.cpp
  llvm::Instruction *findOperation(const hexpass::Reduction &R) const;
  bool keepsTerms(hexpass::Reduction &R) const;
  void addTerms(const hexpass::Reduction &R, llvm::ValueToValueMapTy &VMap);
  // ---- stretch_probes.cpp
  bool isProbe(const llvm::Value *V) const;
  bool isLookedAt(const llvm::LoadInst &Load) const;
  bool isKeptInTrace(const llvm::LoadInst &Load) const;
  void findProbes();
  bool hasToStay(const llvm::LoadInst &Probe, hexpass::Place End) const;
  bool isLookedAtBehind(llvm::LoadInst &Probe,
                        llvm::SmallSetVector<llvm::Instruction *, 8> &Before) const;
  void makeLater();
  void addProbe(const hexpass::Reduction &R, llvm::ValueToValueMapTy &VMap);
  // ---- stretch_receivers.cpp
  bool mayRecord(llvm::Loop &C) const;
  bool staysPut(const llvm::SCEV *Of, const llvm::Loop &C) const;
  bool isInGrid(const llvm::Value *Pointer) const;
  bool isRecorder(llvm::Loop &C, const hexpass::Footprint &Grids,
                  llvm::SmallVectorImpl<hexpass::Receiver> &To,
                  llvm::SmallVectorImpl<llvm::Instruction *> &Beside) const;
  bool findPlace(hexpass::Receiver &R) const;
  void findReceivers(llvm::ArrayRef<llvm::Loop *> Among);
  bool recordsOnly() const;
  const llvm::Value *baseOf(const llvm::Value *Pointer) const;
  bool isReceiver(const llvm::Instruction &I) const;
  bool changesLater(const hexpass::Receiver &R) const;
  static unsigned boxWords(const hexpass::Receiver &R);
  llvm::SmallVector<llvm::Type *, 8> boxTypes() const;
  void takeBoxes(llvm::Function::arg_iterator &At);
  void leaveRecordersOnly(llvm::Function &F, llvm::function_ref<llvm::Value *(llvm::Value *)> Copy);
  void copyBoxes(llvm::ValueToValueMapTy &VMap);
  void keepBounds(llvm::ValueToValueMapTy &VMap);
  void takeFromLines();
  bool makeRecorders();
  // ---- stretch_boxes.cpp
  void prepareBoxes(llvm::IRBuilderBase &Entry, llvm::IRBuilderBase &Before);
  void handBoxes(llvm::IRBuilderBase &B, llvm::SmallVectorImpl<llvm::Value *> &To) const;
  void askBounds(llvm::IRBuilderBase &B, llvm::Value *Steps);
  llvm::Value *mayRecordLater(llvm::IRBuilderBase &B, llvm::Value *Steps);
  void learnBoxes(llvm::IRBuilderBase &B);
  llvm::Value *bytesOfLines(llvm::IRBuilderBase &B, const hexpass::Receiver &R,
                            llvm::Value *Steps) const;
  void bringLinesHome(llvm::IRBuilderBase &B, llvm::Value *Steps);
  void freeLines(llvm::Instruction &At);
  // ---- stretch_foresee.cpp
  bool foresee(llvm::Value *V);
  bool foreseesAll();
  void fillQueues(llvm::IRBuilderBase &B);
  // ---- stretch_ways.cpp
  bool findUnalarmed(llvm::Loop &C, llvm::PHINode &Exit, hexpass::Unalarmed &Found) const;
  bool isUnalarmed(const llvm::Instruction &I) const;
  bool staysBehind() const;
  void beginUnalarmed(llvm::IRBuilderBase &B);
  void takeUnalarmed(llvm::IRBuilderBase &B);
  unsigned alarmWords() const { return wordsOfWays() + Staying.size(); }
  bool isOfSweep(const llvm::Value *V) const;
  bool mayLeaveByWays();
  unsigned wordsOfWays() const;
  llvm::Value *wayWord(llvm::IRBuilderBase &B, llvm::Value *Results, unsigned Word) const;
  void placeWays();
  void noteWays();
  void leaveByWays(llvm::Instruction *Before);
  // ---- stretch_counts.cpp
  bool matchCount(hexpass::Reduction &R) const;
  void addCount(const hexpass::Reduction &R, llvm::ValueToValueMapTy &VMap);
  static llvm::SmallVector<llvm::StoreInst *, 2>
  storeCount(llvm::IRBuilderBase &B, const hexpass::Reduction &R, llvm::Value *Number,
             llvm::function_ref<llvm::Value *(unsigned)> Place);
  static llvm::Value *loadCount(llvm::IRBuilderBase &B, const hexpass::Reduction &R,
                                llvm::function_ref<llvm::Value *(unsigned)> Place);
  // ---- stretch_sum.cpp
  bool isDecided(llvm::PHINode &Exit) const;
  bool sumsAfter();
  bool decidesBetween(const llvm::FCmpInst &Compare) const;
  bool isMonotone(llvm::Value *V, const llvm::PHINode &Exit, const Followed &In) const;
  llvm::Value *term(const hexpass::Reduction &R, llvm::Instruction &At,
                    llvm::ValueToValueMapTy &VMap);
  llvm::Value *chosen(const hexpass::Reduction &R, llvm::Value *X, llvm::Value *Nothing,
                      llvm::Instruction &At, llvm::ValueToValueMapTy &VMap);
  void boundSums();
  llvm::Value *isOpen(llvm::IRBuilderBase &B);
  llvm::Value *isInexact(llvm::IRBuilderBase &B);
  void sumExactly(llvm::Instruction *Before);
  void readSums(llvm::IRBuilderBase &B, llvm::Value *First);
  llvm::Value *aheadField(llvm::IRBuilderBase &B, unsigned Field) const;
  llvm::Value *mayMeetAhead(llvm::IRBuilderBase &B, llvm::Instruction &Of);
  void callSettle(llvm::IRBuilderBase &B);
  llvm::CallInst *callAhead(llvm::IRBuilderBase &B, llvm::Function *Of, uint64_t Count,
                            bool Now);
  bool isKnownBehind(llvm::Value *V) const;
  bool keepsAfter();
  void keepValues();
  void makeLean();
  llvm::SmallVector<Block *, 4> splitExits();
  llvm::Value *kept(llvm::Value *V, llvm::IRBuilderBase &B,
                    llvm::DenseMap<llvm::Value *, llvm::Value *> &Copies);
  bool mayRepeat() const;
  void handOut();
  void handOut(llvm::Instruction &At);
  void removeDerived();

  bool isOfResult(const llvm::StoreInst &Store) const;
  bool isTrace(const llvm::StoreInst &Store) const;
  void findStores();
  bool isWord(const llvm::StoreInst &Store) const;
  bool keepsWord(const llvm::StoreInst &Store) const;
  bool mayJoin(llvm::Instruction &I) const;
  void gatherStores(bool WithWords);
  bool makesRowsOnly() const;
  bool leavesSweep() const;
  bool findPlaces();
  bool mayChange(const llvm::LoadInst &Load, hexpass::Place At) const;
  void addSlice(llvm::Value *V);
  bool mayLoadLater(const llvm::LoadInst &Load) const;
  bool feedsMathematics(const llvm::LoadInst &Load) const;
  bool dependsOnSweeps(llvm::Value *V);
  void findLive();
  bool isSide(const llvm::Instruction &I) const;
  void findRelays();
  bool staysStored(const llvm::StoreInst &Store) const;
  bool relay(llvm::Instruction &V, llvm::StoreInst &Store);
  bool mayBeOverwritten(const llvm::StoreInst &Store, hexpass::Place Before) const;
  bool findSyncs();
  bool checkMiddle(hexpass::Place At, const llvm::Instruction *Culprit);
  // ---- stretch_checks.cpp
  bool findExits(llvm::Loop &C, Block *&Normal, llvm::SmallVectorImpl<Block *> &DeadEnds,
                 llvm::SmallVectorImpl<Block *> &Out) const;
  unsigned wayOn(const llvm::BranchInst &Check) const;
  bool findCheck(const Block &B, llvm::SmallVectorImpl<Block *> &DeadEnds) const;
  bool joinCheck(Block &B);
  Block *leavesAmong(hexpass::Place From, hexpass::Place To);
  void gatherChecks();
  bool isWithSweeps(const llvm::Instruction &I) const;
  bool isFromSweep(const Block *B) const;
  void findGone();
  bool goesWithSweeps(const llvm::Use &U) const;
  bool isObservable(const llvm::Instruction &I) const;
  // ---- stretch_bystanders.cpp
  bool isKnownToMeet(llvm::Instruction &J, llvm::Instruction &I) const;
  static uint64_t bytesBeside(const llvm::Instruction &I);
  bool isBystander(llvm::Instruction &I) const;
  llvm::SmallVector<llvm::LoadInst *, 4> wordsBeside(llvm::Instruction &I) const;
  bool canTellApart(llvm::Instruction &I) const;
  void prepareQuestion(llvm::IRBuilderBase &Entry, llvm::IRBuilderBase &Before);
  void ask(llvm::Value *IsFirst);
  llvm::Value *mayMeet(llvm::IRBuilderBase &B) const;
  void makeQuestion();
  // ---- stretch_home.cpp
  void findLooks();
  llvm::AllocaInst *frame() { return Home.frame(); }
  void removeMarks();
  void lookBeforeLoads();
  hexpass::Place placeOf(const llvm::Instruction &I) const;
  bool isDirect(const Block *B) const { return A.LI.getLoopFor(B) == &L; }
  bool isInSweep(const llvm::Instruction &I) const;

  // the stretch
  bool isKept(unsigned Segment) const { return KeptSegments.contains(Segment); }
  bool note(llvm::Value *V);
  bool noteNow(llvm::Instruction &I);
  bool isThereInTime(llvm::Instruction &I);
  bool noteFailing(const llvm::Instruction &I);
  bool noteOperands(const llvm::Instruction &I);
  bool closes(llvm::Value *V, llvm::SmallSetVector<llvm::Value *, 16> &Seen) const;
  bool collect();
  llvm::SmallSetVector<llvm::Value *, 16> startingPoints() const;
  bool isFresh(const llvm::Value *V) const;
  bool escapesBefore(const llvm::Instruction &Fresh) const;
  bool isUnknownToCallees(const llvm::Value *V) const;
  bool areApart(const llvm::Value *X, const llvm::Value *Y,
                llvm::DenseSet<std::pair<const llvm::Value *, const llvm::Value *>>
                    &Assumed) const;
  llvm::SmallPtrSet<const llvm::Value *, 16> findAlone() const;
  void cloneBlocks();
  void sayAlarms();
  bool isBroken();
  void eraseMade();
  llvm::Value *mapped(llvm::Value *V);
  bool isPlain(const llvm::Instruction &I) const;
  llvm::Instruction *copyOf(const llvm::Instruction &I, Block *To);

  // the host
  llvm::SmallVector<llvm::Value *, 16> arguments(llvm::IRBuilderBase &B, llvm::Value *Count,
                                                 llvm::ArrayRef<llvm::AllocaInst *> From,
                                                 llvm::Value *Before);
  void flush(llvm::Instruction *Before, bool MayStandBy = false);
  void call(llvm::IRBuilderBase &B, llvm::Value *Count);
  void prepare();
  void eraseHeard();
  void callNow();
  void append();
  void removeSweeps();

  ShimAnalyses &A;
  llvm::Loop &L;
  /// Stores directly in the loop may become part of the sweeps.
  bool WithStores;
  bool WithReductions;
  /// Sweeps may leave values that are seldom looked at.
  bool Keeps;
  /// Elements are recorded at looked-up places.
  bool Records;
  /// Nothing waits: the stretch is one step, called where its last sweep stood.
  bool Apart = false;
  /// The loops that may be sweeps, in the order of a step.
  llvm::SmallVector<llvm::Loop *, 16> Inner;
  /// Segments that may be left for the next step.
  llvm::SmallSet<unsigned, 4> Leaky;

  /// Blocks directly in the loop that every iteration goes through, in order; or, for
  /// sweeps apart, every one that reaches the last of them.
  llvm::SmallVector<Block *, 8> Spine;
  /// Blocks between the n-th of them and the next.
  llvm::DenseMap<const Block *, unsigned> SegmentOf;
  llvm::DenseMap<unsigned, llvm::SmallVector<Block *, 8>> BlocksBetween;
  llvm::DenseMap<const Block *, unsigned> SpineOf;
  /// What the loop writes but by calls.
  llvm::SmallVector<llvm::Instruction *, 32> Writers;

  /// Blocks that only an alarm leads to (alarms.cpp): the sweeps that run ahead do without.
  llvm::SmallPtrSet<const Block *, 8> Alarmed;
  llvm::SmallSetVector<llvm::Loop *, 8> SweepLoops;
  /// Where each of them is left for the next thing of the step.
  llvm::DenseMap<const llvm::Loop *, Block *> ExitOf;
  /// Blocks that a failing check of a sweep leads to, and that nothing comes back
  /// from: a panic.
  llvm::SmallSetVector<Block *, 8> Failing;
  /// Blocks in which an alarm leaves the time loop.
  llvm::SmallSetVector<Block *, 2> WaysOut;
  /// Values that only an alarm changes.
  llvm::SmallVector<hexpass::Unalarmed, 2> Staying;
  /// Of the failing ones, those that nothing else leads to.
  llvm::SmallPtrSet<const Block *, 16> Gone;
  /// Those directly in the loop that end in a check which is made with the sweeps.
  llvm::SmallSetVector<Block *, 4> Checks;
  /// One of the sweeps stores something.
  bool Writes = false;
  /// In a loop that would be a sweep if it left no value.
  const llvm::Instruction *Reducing = nullptr;
  /// Stores and copies directly in the loop that belong to the sweeps.
  llvm::SmallSetVector<llvm::Instruction *, 8> Stores;
  /// Those of words that the host exchanges while the sweeps are ahead.
  llvm::SmallSetVector<llvm::StoreInst *, 4> Words;
  llvm::SmallSetVector<unsigned, 8> KeptSegments;
  /// Loads directly in the loop that the sweeps' values are made of.
  llvm::SmallSetVector<llvm::LoadInst *, 8> SliceLoads;
  llvm::SmallPtrSet<llvm::Value *, 32> Sliced;
  /// Those of them that the sweeps do themselves: of what they write, and of what
  /// hardly changes.
  llvm::SmallSetVector<llvm::LoadInst *, 8> SweepLoads, LateLoads;
  hexpass::Footprint Sweeps;
  llvm::DenseMap<llvm::Value *, bool> Depends;
  /// What the loop still computes without its sweeps.
  llvm::SmallPtrSet<const llvm::Instruction *, 32> Live;
  hexpass::Place First{}, Last{};
  llvm::SmallVector<llvm::Instruction *, 8> Syncs;
  /// What the host does to variables that may lie beside what the sweeps touch; those of it
  /// before which pending sweeps are to be done unless it is so.
  llvm::SmallSetVector<llvm::Instruction *, 4> Bystanders, Doubtful;
  /// Reductions: those of `Syncs` that are asked about where they stand.
  llvm::SmallPtrSet<const llvm::Instruction *, 4> BesideAhead;
  /// ... and the words that the sweeps read which these may be.
  llvm::DenseMap<const llvm::Instruction *, llvm::SmallVector<llvm::LoadInst *, 4>> WordsBeside;
  /// A pointer that the sweeps read and then store (exchanged in memory), or a value of a grid that
  /// each step keeps, used by the rest: read again, after a flush, from where it was stored.
  struct Relay {
    llvm::Use *Of;
    llvm::Instruction *Before;
    llvm::StoreInst *Store;
  };
  llvm::SmallVector<Relay, 4> Relays;
  llvm::SmallPtrSet<const llvm::Instruction *, 4> Relayed;
  hexpass::HomeMarks Home;
  llvm::Instruction *AppendBefore = nullptr;
  llvm::SmallVector<llvm::Instruction *, 4> Lifetimes;

  /// Known before the loop, and passed to the stretch.
  llvm::SmallSetVector<llvm::Value *, 16> LiveIns;
  /// Computed before the loop from those, and again in the stretch, where it shows
  /// how sizes and addresses hang together.
  llvm::SmallPtrSet<llvm::Value *, 16> Outer;
  /// Phis of the header that the stretch carries itself.
  llvm::SmallSetVector<llvm::PHINode *, 8> Carried;
  /// Integers and pointers that the stretch computes itself.
  llvm::SmallPtrSet<llvm::Value *, 16> Recomputed;
  /// Directly in the loop, and made of what the sweeps touch.
  llvm::SmallPtrSet<const llvm::Instruction *, 16> InPlace;
  /// Arithmetic that the host does earlier, and whether or not it would have; in order.
  llvm::SmallSetVector<llvm::Instruction *, 8> Raised;
  /// Values of each step that the host writes down.
  llvm::SmallSetVector<llvm::Value *, 8> Queued;
  /// Of steps ahead: what those are made of, each behind its operands; of phis of the header, what
  /// they go on with.
  llvm::SmallMapVector<llvm::Instruction *, llvm::Value *, 16> Foreseen;
  uint64_t Capacity = 0;

  llvm::DenseMap<const llvm::Value *, llvm::Value *> Map;
  Block *Body = nullptr;

  llvm::AllocaInst *Pending = nullptr;
  // Of bystanders: who knows, what was the answer, and where they lie.
  llvm::Function *Question = nullptr;
  llvm::AllocaInst *Answered = nullptr, *Standing = nullptr;
  uint64_t BystanderCount = 0;
  llvm::SmallVector<llvm::AllocaInst *, 8> Bases, Queues;

  // Of values that are kept: where sweeps leave them; what is made of them, by plain
  // arithmetic and in phis of the header; who looks at that in the loop; sweeps that do
  // nothing else.
  llvm::SmallVector<llvm::PHINode *, 4> KeptExits;
  Followed Wanted;
  /// What the phis among them start with, and go on with.
  llvm::SmallDenseMap<llvm::Value *, std::pair<llvm::Value *, llvm::Value *>, 4> Turns;
  llvm::SmallSetVector<llvm::Loop *, 4> Reading;
  // The last pending step's phis, results, and whether there was a step.
  llvm::SmallVector<llvm::AllocaInst *, 8> Lasts, Slots;
  llvm::AllocaInst *Stepped = nullptr;

  // Of elements that are recorded: the sweeps' own accesses, and those beside them of which the
  // runtime is asked; in the stretch, whether lines hold them; the host's: whether that is known,
  // how many steps may wait, what `Bounds` says, and what is asked.
  llvm::SmallVector<hexpass::Receiver, 2> Receivers;
  llvm::SmallVector<const llvm::Instruction *, 16> Rows;
  llvm::SmallVector<llvm::Instruction *, 4> Asked;
  /// What is recorded may be changed before the step ends.
  bool IsOrdered = false;
  llvm::Argument *Boxed = nullptr;
  llvm::AllocaInst *Known = nullptr, *BoxedNow = nullptr, *Fill = nullptr, *Box = nullptr;
  llvm::AllocaInst *Ranges = nullptr;

  // Of reductions: steps that the sweeps may be ahead; in the stretch, where the
  // results are stored, its last arguments, and its counter.
  uint64_t Most = 1;
  llvm::SmallVector<llvm::StoreInst *, 2> Kept;
  /// Arguments that say where values are to be kept.
  llvm::SmallVector<llvm::Argument *, 4> Places;
  llvm::Argument *Plane = nullptr, *Row = nullptr;
  llvm::PHINode *Counter = nullptr;
  llvm::AllocaInst *State = nullptr, *Initials = nullptr, *Results = nullptr;
  // Of sums: who needs them, and must be sure of what they say; upper bounds (the lower
  // ones are in `Slots`); steps that are not worth running ahead, now and after the next
  // sum that decides nothing; what the loop takes for the sums.
  bool WantsExact = false;
  llvm::SmallVector<llvm::AllocaInst *, 4> Highs;
  llvm::AllocaInst *Alone = nullptr, *Span = nullptr;
  /// ... and what `Words` held before the last step.
  llvm::SmallVector<llvm::AllocaInst *, 4> WordsBefore;
  llvm::SmallVector<llvm::Value *, 4> Sums;
  /// What is made of sums and elements before the step's last sweep; in order.
  llvm::SmallVector<llvm::Instruction *, 4> Early;
};

#endif // HEXPASS_STRETCHES_H
