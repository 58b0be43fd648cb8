//===- stretch_boxes.cpp - Boxes around what is recorded, in the time loop ---===//
//
// Consumes: a plan whose steps record elements at looked-up places
// (stretch_receivers.cpp). Produces: in the time loop, before its first step is made, the box of
// the grid that holds all of them, lines that it is copied to in each step, and how many steps
// may wait; behind it, what lets go of these.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Elements of a box for each one that is looked at in it, and in any case.
constexpr double MostForOne = 64, FewInAnyCase = 4096;
/// Bytes of all lines, and steps that wait for them.
constexpr double MostBytes = 1 << 28, MostWaiting = 512, FewestWaiting = 16;

/// `EXACTLY` of the runtime.
constexpr uint64_t Exactly = uint64_t(1) << 63;

} // namespace

void ShimStretches::prepareBoxes(IRBuilderBase &Entry, IRBuilderBase &Before) {
  if (Receivers.empty())
    return;
  Type *I64 = Entry.getInt64Ty(), *P = Entry.getPtrTy();
  unsigned Words = 0;
  for (Receiver &R : Receivers) {
    R.LinesAt = makeOwn(Entry, P, nullptr, "lines");
    for (size_t D = 0; D < R.Subscripts.size(); ++D) {
      R.Lows.push_back(makeOwn(Entry, I64, nullptr, "low"));
      R.Counts.push_back(makeOwn(Entry, I64, nullptr, "count"));
    }
    Words += boxWords(R);
  }
  Box = makeOwn(Entry, I64, Entry.getInt64(Words + 2 * Asked.size()), "box");
  if (!Asked.empty())
    Ranges = makeOwn(Entry, I64, Entry.getInt64(2 * Asked.size()), "ranges");
  Known = makeOwn(Entry, Entry.getInt1Ty(), nullptr, "known");
  BoxedNow = makeOwn(Entry, I64, nullptr, "boxed");
  Fill = makeOwn(Entry, I64, nullptr, "most");
  Before.CreateStore(Before.getFalse(), Known);
  Before.CreateStore(Before.getInt64(0), BoxedNow);
  Before.CreateStore(Before.getInt64(1), Fill);
  for (const Receiver &R : Receivers) {
    Before.CreateStore(ConstantPointerNull::get(Before.getPtrTy()), R.LinesAt);
    for (auto [Low, Count] : zip(R.Lows, R.Counts)) {
      Before.CreateStore(Before.getInt64(0), Low);
      Before.CreateStore(Before.getInt64(0), Count);
    }
  }
}

/// As `boxTypes` says.
void ShimStretches::handBoxes(IRBuilderBase &B, SmallVectorImpl<Value *> &To) const {
  for (const Receiver &R : Receivers) {
    To.push_back(B.CreateLoad(B.getPtrTy(), R.LinesAt));
    for (auto [Low, Count] : zip(R.Lows, R.Counts)) {
      To.push_back(B.CreateLoad(B.getInt64Ty(), Low));
      To.push_back(B.CreateLoad(B.getInt64Ty(), Count));
    }
  }
  if (!Receivers.empty())
    To.push_back(B.CreateLoad(B.getInt64Ty(), BoxedNow));
}

/// What pending steps look at, in `Box`: of each receiver how many elements, their first and last
/// byte in the grid, and of each dimension first and last and bytes from one to the next; then
/// first and last bytes of what lies beside.
void ShimStretches::askBounds(IRBuilderBase &B, Value *Steps) {
  SmallVector<Value *, 16> Arguments = arguments(B, Steps, Bases, nullptr);
  size_t Slot = Arguments.size() - 1 - boxTypes().size();
  unsigned Words = 0;
  auto Set = [&](ArrayRef<int64_t> To) {
    for (int64_t X : To)
      B.CreateStore(B.getInt64(X), B.CreateConstGEP1_64(B.getInt64Ty(), Box, Words++));
  };
  for (const Receiver &R : Receivers) {
    Arguments[Slot] = B.CreateConstGEP1_64(B.getInt64Ty(), Box, Words);
    Slot += 1 + 2 * R.Subscripts.size();
    Set({0, INT64_MAX, INT64_MIN});
    for (size_t D = 0; D < R.Subscripts.size(); ++D)
      Set({INT64_MAX, INT64_MIN, 0});
  }
  for (size_t I = 0; I < Asked.size(); ++I)
    Set({-1, 0});
  B.CreateCall(Bounds, Arguments)->setDoesNotThrow();
}

/// So many pending steps need not be executed as they were written: what they read and store
/// beside the grids does lie beside them, and lines hold what is changed in the same step.
Value *ShimStretches::mayRecordLater(IRBuilderBase &B, Value *Steps) {
  Type *I64 = B.getInt64Ty();
  Value *IsKept = IsOrdered ? B.CreateIsNotNull(B.CreateLoad(I64, BoxedNow))
                            : cast<Value>(B.getTrue());
  if (Asked.empty())
    return IsKept;
  askBounds(B, Steps);
  unsigned Words = 0;
  for (const Receiver &R : Receivers)
    Words += boxWords(R);
  for (auto [At, I] : enumerate(Asked)) {
    auto Bound = [&](unsigned N) {
      return B.CreateLoad(I64, B.CreateConstGEP1_64(I64, Box, Words + 2 * At + N));
    };
    Value *From = Bound(0), *To = Bound(1);
    Value *Bytes = B.CreateSelect(B.CreateICmpULT(From, To), B.CreateSub(To, From),
                                  B.getInt64(0));
    Bytes = B.CreateOr(Bytes, B.getInt64(bytesBeside(*I) & OnlyRead));
    B.CreateStore(From, B.CreateConstGEP1_64(I64, Ranges, 2 * At));
    B.CreateStore(Bytes, B.CreateConstGEP1_64(I64, Ranges, 2 * At + 1));
  }
  SmallVector<Value *, 16> Arguments = arguments(B, Steps, Bases, nullptr);
  Arguments.append({Ranges, B.getInt64(Asked.size()), B.CreateOr(Steps, B.getInt64(Exactly))});
  CallInst *Call = B.CreateCall(Question, Arguments);
  Call->setDoesNotThrow();
  return B.CreateAnd(IsKept, B.CreateICmpNE(Call, B.getInt32(0)));
}

/// If it is not known yet, where the step at which the builder stands would look.
void ShimStretches::learnBoxes(IRBuilderBase &B) {
  Instruction *Rest = &*B.GetInsertPoint();
  Value *First_ = B.CreateNot(B.CreateLoad(B.getInt1Ty(), Known));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(First_, Rest, false));
  B.SetCurrentDebugLocation(L.getStartLoc());
  B.CreateStore(B.getTrue(), Known);
  Type *I64 = B.getInt64Ty(), *F64 = B.getDoubleTy();
  auto Number = [&](double X) { return ConstantFP::get(F64, X); };
  auto ValueOf = [&](unsigned N) {
    return B.CreateLoad(I64, B.CreateConstGEP1_64(I64, Box, N));
  };
  askBounds(B, B.getInt64(1));
  unsigned At = 0;
  Value *Fits = B.getTrue(), *Bytes = Number(1);
  for (const Receiver &R : Receivers) {
    Value *Seen = ValueOf(At), *None = B.CreateICmpEQ(Seen, B.getInt64(0));
    Value *Elements = Number(1), *Low = B.getInt64(0), *High = B.getInt64(0);
    Value *InRows = B.getTrue(), *Row = nullptr;
    for (auto [D, LowAt, CountAt] : enumerate(R.Lows, R.Counts)) {
      Value *From = B.CreateSelect(None, B.getInt64(0), ValueOf(At + 3 + 3 * D));
      Value *To = B.CreateSelect(None, B.getInt64(-1), ValueOf(At + 4 + 3 * D));
      Value *Step = ValueOf(At + 5 + 3 * D);
      Value *Many = B.CreateAdd(B.CreateSub(To, From), B.getInt64(1));
      Value *End = B.CreateFMul(B.CreateSIToFP(To, F64), B.CreateSIToFP(Step, F64));
      if (Row) {
        InRows = B.CreateAnd(InRows, B.CreateICmpSGE(From, B.getInt64(0)));
        InRows = B.CreateAnd(InRows, B.CreateFCmpOLT(End, B.CreateSIToFP(Row, F64)));
      }
      Row = Step;
      Low = B.CreateAdd(Low, B.CreateMul(From, Step));
      High = B.CreateAdd(High, B.CreateMul(To, Step));
      Elements = B.CreateFMul(Elements, B.CreateUIToFP(Many, F64));
      B.CreateStore(From, LowAt);
      B.CreateStore(Many, CountAt);
    }
    // The corners of the box lie between elements that are looked at: all of it is there.
    Value *Inside = B.CreateAnd(B.CreateICmpSGE(Low, ValueOf(At + 1)),
                                B.CreateICmpSLE(High, ValueOf(At + 2)));
    Value *Most_ = B.CreateFAdd(
        B.CreateFMul(B.CreateSIToFP(Seen, F64), Number(MostForOne)), Number(FewInAnyCase));
    Value *IsSmall = B.CreateFCmpOLE(Elements, Most_);
    Inside = B.CreateOr(None, B.CreateAnd(Inside, InRows));
    Fits = B.CreateAnd(Fits, B.CreateAnd(IsSmall, Inside));
    uint64_t Size = R.Load->getDataLayout().getTypeStoreSize(R.Load->getType());
    Bytes = B.CreateFAdd(Bytes, B.CreateFMul(Elements, Number(Size)));
    At += boxWords(R);
  }
  Fits = B.CreateAnd(Fits, B.CreateFCmpOLE(Bytes, Number(MostBytes / FewestWaiting)));
  Value *Room = B.CreateFDiv(Number(MostBytes), Bytes);
  Room = B.CreateSelect(B.CreateFCmpOLT(Room, Number(MostWaiting)), Room, Number(MostWaiting));
  Instruction *Yes = nullptr, *No = nullptr;
  SplitBlockAndInsertIfThenElse(Fits, &*B.GetInsertPoint(), &Yes, &No);
  B.SetInsertPoint(Yes);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Waiting = B.CreateFPToSI(Room, I64);
  Value *AllThere = B.getTrue();
  for (const Receiver &R : Receivers) {
    Value *Lines = B.CreateMalloc(I64, B.getInt8Ty(), B.getInt64(1), bytesOfLines(B, R, Waiting));
    B.CreateStore(Lines, R.LinesAt);
    AllThere = B.CreateAnd(AllThere, B.CreateIsNotNull(Lines));
  }
  B.CreateStore(B.CreateZExt(AllThere, I64), BoxedNow);
  Value *Alone_ = B.getInt64(IsOrdered ? uint64_t(MostWaiting) : 1);
  B.CreateStore(B.CreateSelect(AllThere, Waiting, Alone_), Fill);
  Instruction *Lacks = SplitBlockAndInsertIfThen(B.CreateNot(AllThere), &*B.GetInsertPoint(), false);
  // Nothing is copied; what is looked at is read where it is, after each step.
  auto Leave = [&](Instruction *Where, bool Made) {
    B.SetInsertPoint(Where);
    for (const Receiver &R : Receivers) {
      for (AllocaInst *Count : R.Counts)
        B.CreateStore(B.getInt64(0), Count);
      if (!Made)
        B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), R.LinesAt);
    }
    if (!Made)
      B.CreateStore(Alone_, Fill);
  };
  Leave(Lacks, true);
  Leave(No, false);
  B.SetInsertPoint(Rest);
  B.SetCurrentDebugLocation(L.getStartLoc());
}

/// Of so many steps; one at least.
Value *ShimStretches::bytesOfLines(IRBuilderBase &B, const Receiver &R, Value *Steps) const {
  uint64_t Size = R.Load->getDataLayout().getTypeStoreSize(R.Load->getType());
  Value *Bytes = B.CreateMul(Steps, B.getInt64(Size));
  for (AllocaInst *Count : R.Counts)
    Bytes = B.CreateMul(Bytes, B.CreateLoad(B.getInt64Ty(), Count));
  return B.CreateAdd(Bytes, B.getInt64(1));
}

/// The lines of so many steps, or all that may be looked at.
void ShimStretches::bringLinesHome(IRBuilderBase &B, Value *Steps) {
  Instruction *Rest = &*B.GetInsertPoint();
  Instruction *Yes = nullptr, *No = nullptr;
  Value *IsThere = B.CreateIsNotNull(B.CreateLoad(B.getInt64Ty(), BoxedNow));
  SplitBlockAndInsertIfThenElse(IsThere, Rest, &Yes, &No);
  B.SetInsertPoint(Yes);
  for (const Receiver &R : Receivers) {
    Value *Lines = B.CreateLoad(B.getPtrTy(), R.LinesAt);
    Home.markHome(Yes, HomeReads, Lines, bytesOfLines(B, R, Steps));
  }
  Home.markHome(No, HomeReads);
  B.SetInsertPoint(Rest);
  B.SetCurrentDebugLocation(L.getStartLoc());
}

/// Nothing waits any more.
void ShimStretches::freeLines(Instruction &At) {
  IRBuilder<> B(&At);
  B.SetCurrentDebugLocation(L.getStartLoc());
  for (const Receiver &R : Receivers) {
    Value *Lines = B.CreateLoad(B.getPtrTy(), R.LinesAt);
    // No device has anything of it.
    Home.markHome(&At, HomeWrites, Lines,
                  bytesOfLines(B, R, B.CreateLoad(B.getInt64Ty(), Fill)));
    B.CreateFree(Lines);
  }
}
