// HEXPASS=off gives the stock compiler's object, and so does a unit without a loop to take.
// RUN: %plain-clang -O2 -c %s -o %t.plain.o
// RUN: env HEXPASS=off %hexcc -O2 -c %s -o %t.off.o
// RUN: cmp %t.plain.o %t.off.o
// RUN: %hexcc -O2 -c %s -o %t.on.o
// RUN: cmp %t.plain.o %t.on.o
int add(int a, int b) { return a + b; }
