// What is printed by the library's own streams looks at no grid, as long as they are as the library made them: sweeps wait
// behind it. Whoever puts a buffer or a locale of his own into a stream, or has it throw, finds the grid as it is then.
// RUN: %plain-clang -w -O2 %s -o %t.plain -lstdc++ && %t.plain > %t.plain.out
// RUN: env HEXPASS_REPORT=%t.jsonl %hexcxx -w -O2 -gline-tables-only %s -o %t.hex
// RUN: env HEXPASS_DEVICE=cpu HEXPASS_INFO=1 %t.hex > %t.out 2> %t.info
// RUN: cmp %t.plain.out %t.out
// RUN: env HEXPASS_DEVICE=emulated %t.hex > %t.emulated
// RUN: cmp %t.plain.out %t.emulated
// RUN: FileCheck %s --check-prefix=INFO < %t.info
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>
#include <vector>

enum { N = 40, M = 50 };

static const double *seen;

static double look() { return seen ? seen[M + 1] : 0.0; }

/// Writes what it finds in the grid behind each line.
struct Spy : std::streambuf {
    int overflow(int c) override
    {
        std::putchar(c);
        if (c == '\n')
            std::printf("[%.17g]", look());
        return c;
    }
};

/// Writes nothing from some step on.
struct Broken : std::streambuf {
    int left = 30;
    int overflow(int c) override { return left-- > 0 ? std::putchar(c) : EOF; }
};

struct Teller : std::num_put<char> {
    iter_type do_put(iter_type to, std::ios_base &base, char fill, long value) const override
    {
        std::printf("{%.17g}", look());
        return std::num_put<char>::do_put(to, base, fill, value);
    }
};

static Spy spy;
static std::streambuf *usual;

struct Grid {
    std::vector<double> u, v;
    double *a, *b;
    int n = N, m = M;

    Grid() : u(N * M), v(N * M), a(u.data()), b(v.data())
    {
        for (int k = 0; k < N * M; k++)
            u[k] = v[k] = (k * 37 % 101) / 101.0;
        seen = a;
    }
    double sum() const
    {
        double all = 0.0;
        for (int k = 0; k < N * M; k++)
            all += (u[k] - 0.5 * v[k]) * (1.0 + 1e-3 * k);
        return all;
    }
    void sweep()
    {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = b[i * m + j];
    }
};

using Then = void(int);

// INFO: told{{.*}}: cpu{{.*}} 12 steps
__attribute__((noinline)) void told(Grid &g, int steps)
{
    for (int t = 0; t < steps; t++) {
        g.sweep();
        std::cout << "step " << std::setw(3) << t << " of " << long(steps) << ' ' << 0.5 * t << std::endl;
    }
}

// INFO: errs{{.*}}: cpu{{.*}} 12 steps
__attribute__((noinline)) void errs(Grid &g, int steps)
{
    for (int t = 0; t < steps; t++) {
        g.sweep();
        std::cerr << "step " << t << '\n' << std::flush;
    }
}

// INFO: settled{{.*}}: cpu{{.*}} 16 steps
__attribute__((noinline)) int settled(double *a, double *b, int n, int m, double least, int most)
{
    double change = 1.0;
    int t = 0;
    while (change > least && t < most) {
        change = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
                change = std::fmax(change, std::fabs(b[i * m + j] - a[i * m + j]));
            }
        std::swap(a, b);
        if (t++ % 10 == 0)
            std::cout << "change " << t << " " << change << "\n";
    }
    return t;
}

// Somebody else comes in between, and more is printed behind him.
// INFO: between{{.*}}: cpu
__attribute__((noinline)) void between(Grid &g, int steps, Then *then)
{
    for (int t = 0; t < steps; t++) {
        g.sweep();
        std::cout << "before " << t << "\n";
        if (t % 7 == 3 || t % 7 == 5)
            then(t);
        std::cout << "behind " << t << "\n";
    }
}

static void toggle(int t) { std::cout.rdbuf(t % 7 == 3 ? &spy : usual); }

static void result(const char *what, const Grid &g) { std::printf("%s: %.17g\n", what, g.sum()); }

template <class Run> static void with(const char *what, std::streambuf *buffer, Run run)
{
    Grid g;
    std::cout.rdbuf(buffer);
    run(g);
    std::cout.rdbuf(usual);
    std::cout.clear();
    std::fflush(stdout);
    result(what, g);
}

int main()
{
    usual = std::cout.rdbuf();
    auto tell = [](Grid &g) { told(g, 12); };
    with("plain", usual, tell);
    with("cerr", usual, [](Grid &g) { errs(g, 12); });
    with("settled", usual, [](Grid &g) { std::printf("%d\n", settled(g.a, g.b, g.n, g.m, 0.002, 200)); });
    with("between", usual, [](Grid &g) { between(g, 20, [](int) {}); });
    with("toggled", usual, [](Grid &g) { between(g, 20, toggle); });
    with("spied", &spy, tell);
    with("settled and spied", &spy, [](Grid &g) { std::printf("%d\n", settled(g.a, g.b, g.n, g.m, 0.002, 200)); });
    // Tied to a stream that is not plain.
    with("cerr and spied", &spy, [](Grid &g) {
        std::cout << "to be flushed";
        errs(g, 3);
    });
    std::stringbuf text;
    with("text", &text, tell);
    std::printf("%zu\n", text.str().size());
    Broken broken;
    with("broken", &broken, tell);
    broken.left = 30;
    with("thrown", &broken, [&](Grid &g) {
        std::cout.exceptions(std::ios::badbit);
        try {
            tell(g);
        } catch (const std::ios_base::failure &) {
            std::printf("thrown: %.17g\n", g.sum());
        }
        std::cout.exceptions(std::ios::goodbit);
    });
    std::locale before = std::cout.imbue(std::locale(std::locale::classic(), new Teller));
    with("told by a locale", usual, tell);
    std::cout.imbue(before);
    with("plain again", usual, tell);
    std::ios::sync_with_stdio(false);
    return 0;
}
