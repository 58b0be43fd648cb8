#!/usr/bin/env python3
"""How much CPU time the plugin adds to a compilation.

    compile_time.py [--bin target/release] [--lines 10000] [--stencils N] [--runs N] [FILE.c ...]

Without files, it writes units of that many lines itself: ordinary C and C++ (strings, lists, tables, sorting, parsing,
matrices, records), in which no loop is a stencil. With --stencils, that many time loops stand among them: what is taken
costs the making of kernels, which the last column says for one. Files that are named are compiled as they are.

Times are user and system time of the compiler's process at -O3, the least of the runs. Exit status: 0; 2 when a
compilation fails.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

C_PIECES = [
    """static size_t words_{k}(const char *text, char *out, size_t room)
{{
    size_t used = 0, count = 0;
    while (*text) {{
        while (*text == ' ' || *text == '\\t')
            text++;
        if (!*text)
            break;
        count++;
        while (*text && *text != ' ' && used + 2 < room)
            out[used++] = (char)(*text++ ^ {c});
        out[used++] = '\\n';
    }}
    out[used] = 0;
    return count;
}}
""",
    """struct entry_{k} {{
    struct entry_{k} *next;
    unsigned hash;
    int value;
    char key[{s}];
}};

static struct entry_{k} *find_{k}(struct entry_{k} **table, unsigned size, const char *key)
{{
    unsigned hash = {c};
    for (const char *p = key; *p; p++)
        hash = hash * 31 + (unsigned char)*p;
    for (struct entry_{k} *e = table[hash % size]; e; e = e->next)
        if (e->hash == hash && strcmp(e->key, key) == 0)
            return e;
    return NULL;
}}

static void grow_{k}(struct entry_{k} ***table, unsigned *size)
{{
    unsigned wanted = *size * 2 + 1;
    struct entry_{k} **fresh = calloc(wanted, sizeof(*fresh));
    for (unsigned i = 0; i < *size; i++)
        for (struct entry_{k} *e = (*table)[i], *next; e; e = next) {{
            next = e->next;
            e->next = fresh[e->hash % wanted];
            fresh[e->hash % wanted] = e;
        }}
    free(*table);
    *table = fresh;
    *size = wanted;
}}
""",
    """static void sort_{k}(int *a, int n)
{{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {{
            int x = a[i], j = i;
            for (; j >= gap && a[j - gap] > x + {c}; j -= gap)
                a[j] = a[j - gap];
            a[j] = x;
        }}
}}
""",
    """static void multiply_{k}(double *c, const double *a, const double *b, int n)
{{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {{
            double sum = {c}.0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }}
}}
""",
    """struct record_{k} {{
    double price, weight;
    int count, kind;
    char name[{s}];
}};

static double total_{k}(struct record_{k} *all, int n, FILE *log)
{{
    double sum = 0;
    for (int i = 0; i < n; i++) {{
        struct record_{k} *r = &all[i];
        switch (r->kind % 5) {{
        case 0: r->price *= 1.01; break;
        case 1: r->price += r->weight * {c}; break;
        case 2: r->count -= 1; break;
        case 3: fprintf(log, "%s: %d\\n", r->name, r->count); break;
        default: r->name[0] = 'A' + (char)(r->count % 26);
        }}
        sum += r->price * r->count;
    }}
    return sum;
}}
""",
    """static int parse_{k}(const char *p, long *values, int most)
{{
    int found = 0, state = 0;
    long value = 0;
    for (; *p && found < most; p++) {{
        switch (state) {{
        case 0:
            if (*p == '-')
                state = 2;
            else if (*p >= '0' && *p <= '9')
                state = 1, value = *p - '0';
            break;
        case 1:
        case 2:
            if (*p >= '0' && *p <= '9')
                value = value * 10 + (*p - '0');
            else {{
                values[found++] = state == 2 ? -value : value + {c};
                state = 0, value = 0;
            }}
        }}
    }}
    return found;
}}
""",
    """static unsigned check_{k}(const unsigned char *p, size_t n)
{{
    unsigned table[256], crc = ~0u;
    for (unsigned i = 0; i < 256; i++) {{
        unsigned x = i;
        for (int bit = 0; bit < 8; bit++)
            x = x & 1 ? x >> 1 ^ 0xedb88320u + {c} : x >> 1;
        table[i] = x;
    }}
    while (n--)
        crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
    return ~crc;
}}
""",
    """static int lines_{k}(FILE *in, char lines[][{s}], int most)
{{
    int n = 0;
    while (n < most && fgets(lines[n], {s}, in)) {{
        size_t length = strlen(lines[n]);
        while (length > 0 && (lines[n][length - 1] == '\\n' || lines[n][length - 1] == ' '))
            lines[n][--length] = 0;
        for (size_t i = 0; i < length; i++)
            if (lines[n][i] >= 'a' && lines[n][i] <= 'z')
                lines[n][i] -= 32;
        n += length > {c} % 3;
    }}
    return n;
}}
""",
    """static void histogram_{k}(const unsigned char *image, int w, int h, int bins[256], float *mean)
{{
    double sum = 0;
    for (int i = 0; i < 256; i++)
        bins[i] = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {{
            bins[image[y * w + x]]++;
            sum += image[y * w + x] * {c};
        }}
    *mean = (float)(sum / ((double)w * h));
}}
""",
]

CXX_PIECES = [
    """static std::map<std::string, int> count_{k}(const std::vector<std::string> &words)
{{
    std::map<std::string, int> out;
    for (const auto &w : words)
        if (w.size() > {c} % 7)
            out[w] += {c};
    return out;
}}
""",
    """class Account_{k} {{
public:
    explicit Account_{k}(double start) : balance(start) {{}}
    void book(const std::vector<double> &amounts)
    {{
        for (double a : amounts) {{
            if (balance + a < -{c})
                throw std::runtime_error("overdrawn");
            balance += a;
            history.push_back(a);
        }}
    }}
    double mean() const {{ return history.empty() ? 0 : balance / (double)history.size(); }}

private:
    double balance;
    std::vector<double> history;
}};
double use_{k}(std::vector<double> &v)
{{
    Account_{k} account({c});
    account.book(v);
    std::sort(v.begin(), v.end(), [](double a, double b) {{ return a * {c} < b; }});
    return account.mean();
}}
""",
    """static std::string join_{k}(const std::vector<std::string> &all, char between)
{{
    std::string out;
    for (size_t i = 0; i < all.size(); i++) {{
        for (char c : all[i])
            out += c == between ? '_' : c;
        if (i + 1 < all.size())
            out += between;
    }}
    return out;
}}
std::string all_{k}(const std::vector<std::string> &v) {{ return join_{k}(v, ','); }}
""",
    """struct Node_{k} {{
    std::unique_ptr<Node_{k}> left, right;
    int key, count = 1;
    explicit Node_{k}(int key) : key(key) {{}}
}};
void insert_{k}(std::unique_ptr<Node_{k}> &at, int key)
{{
    if (!at)
        at = std::make_unique<Node_{k}>(key);
    else if (key == at->key)
        at->count += {c};
    else
        insert_{k}(key < at->key ? at->left : at->right, key);
}}
int height_{k}(const Node_{k} *n) {{ return n ? 1 + std::max(height_{k}(n->left.get()), height_{k}(n->right.get())) : 0; }}
""",
    """template <typename T> class Matrix_{k} {{
public:
    Matrix_{k}(int n, int m) : n(n), m(m), data((size_t)n * m) {{}}
    T &operator()(int i, int j) {{ return data[(size_t)i * m + j]; }}
    const T &operator()(int i, int j) const {{ return data[(size_t)i * m + j]; }}
    Matrix_{k} operator*(const Matrix_{k} &o) const
    {{
        Matrix_{k} out(n, o.m);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < o.m; j++) {{
                T sum = {c};
                for (int x = 0; x < m; x++)
                    sum += (*this)(i, x) * o(x, j);
                out(i, j) = sum;
            }}
        return out;
    }}
    int n, m;
    std::vector<T> data;
}};
double trace_{k}(const Matrix_{k}<double> &a, const Matrix_{k}<double> &b)
{{
    auto c = a * b;
    double sum = 0;
    for (int i = 0; i < c.n && i < c.m; i++)
        sum += c(i, i);
    return sum;
}}
""",
    """std::vector<std::string> split_{k}(const std::string &line, char at)
{{
    std::vector<std::string> out;
    size_t from = 0;
    for (size_t to = line.find(at); to != std::string::npos; to = line.find(at, from)) {{
        if (to - from > {c} % 3)
            out.push_back(line.substr(from, to - from));
        from = to + 1;
    }}
    out.push_back(line.substr(from));
    return out;
}}
""",
    """struct Shape_{k} {{
    virtual ~Shape_{k}() = default;
    virtual double area() const = 0;
}};
struct Box_{k} : Shape_{k} {{
    double a = {c}, b = 2;
    double area() const override {{ return a * b; }}
}};
struct Disc_{k} : Shape_{k} {{
    double r = {c};
    double area() const override {{ return 3.14159 * r * r; }}
}};
double area_{k}(const std::vector<std::unique_ptr<Shape_{k}>> &all)
{{
    double sum = 0;
    for (const auto &s : all)
        sum += s->area();
    return sum;
}}
std::unique_ptr<Shape_{k}> make_{k}(bool box)
{{
    if (box)
        return std::make_unique<Box_{k}>();
    return std::make_unique<Disc_{k}>();
}}
""",
]

STENCIL = """void heat_{k}(double *u, double *v, int n, int m, int steps)
{{
    for (int t = 0; t < steps; t++) {{
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                v[i * m + j] = 0.{c} * u[i * m + j] + 0.1 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] +
                                                       u[i * m + j - 1] + u[i * m + j + 1]);
        double *tmp = u;
        u = v;
        v = tmp;
    }}
}}
"""

C_HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
CXX_HEAD = ("#include <algorithm>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <map>\n#include <memory>\n"
            "#include <stdexcept>\n#include <string>\n#include <vector>\n")


def main():
    options = parse_arguments()
    plugin = options.bin / "libhexpass.so"
    if not plugin.exists():
        sys.exit(f"compile_time: error: no {plugin}; run scripts/build.sh, or say --bin")
    print("| unit | lines | -O3, s | with the plugin, s | added |" + (" for each stencil, s |" if options.stencils else ""))
    print("|---|---|---|---|---|" + ("---|" if options.stencils else ""))
    with tempfile.TemporaryDirectory() as folder:
        for unit in options.files or generated(Path(folder), options):
            row(unit, plugin, options)


def parse_arguments():
    root = Path(__file__).resolve().parent.parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--bin", type=Path, default=root / "target" / "release")
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--stencils", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    return options


def generated(folder, options):
    for name, head, pieces in [("ordinary.c", C_HEAD, C_PIECES), ("ordinary.cpp", CXX_HEAD, CXX_PIECES)]:
        text = [head]
        lines, k = head.count("\n"), 0
        while lines < options.lines:
            piece = pieces[k % len(pieces)].format(k=k, c=k % 97 + 1, s=16 + k % 5 * 8)
            # Static functions without a use would be dropped before they cost anything.
            piece = piece.replace("\nstatic ", "\n").removeprefix("static ")
            text.append(piece)
            lines += piece.count("\n") + 1
            k += 1
        text += [STENCIL.format(k=i, c=i % 9 + 1) for i in range(options.stencils)]
        unit = folder / name
        unit.write_text("\n".join(text))
        yield unit


def row(unit, plugin, options):
    plain = least(unit, [], options.runs)
    ours = least(unit, [f"-fpass-plugin={plugin}"], options.runs)
    lines = unit.read_text(errors="replace").count("\n")
    text = f"| {unit.name} | {lines} | {plain:.2f} | {ours:.2f} | {100 * (ours - plain) / plain:.1f} % |"
    if options.stencils:
        text += f" {(ours - plain) / options.stencils:.2f} |"
    print(text, flush=True)


def least(unit, flags, runs):
    compiler = "clang++-22" if unit.suffix in (".cpp", ".cc", ".cxx") else "clang-22"
    command = [compiler, *flags, "-O3", "-w", "-c", str(unit), "-o", os.devnull]
    return min(cpu_time(command) for _ in range(runs))


def cpu_time(command):
    """User and system time of one process, in seconds."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        print(f"compile_time: error: {' '.join(command)} failed", file=sys.stderr)
        sys.exit(2)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
