//! What a buffer is: from its kind to a type, how one is made, and what is done to all of one.

use super::*;

impl Writer<'_> {
    /// The type of a buffer, and what is done to all of one.
    pub(super) fn buffer_type(&self) -> String {
        let item = self.item();
        let kind = self.kind();
        let sizes: String =
            SIZES[..self.p.dims].iter().map(|n| format!(", std::size_t {n}")).collect();
        let points = SIZES[..self.p.dims].join(" * ");
        let mut out = String::new();
        let (pointer, make) = match kind {
            Kind::Pointer => {
                let _ = writeln!(out, "using Buffer = {item} *;\n");
                ("b", "return from;".to_owned())
            }
            Kind::Vector => {
                let _ = writeln!(out, "using Buffer = std::vector<{item}>;\n");
                ("b.data()", format!("return Buffer(from, from + {points});"))
            }
            Kind::Unique => {
                let _ = writeln!(out, "using Buffer = std::unique_ptr<{item}[]>;\n");
                let copy = format!(
                    "Buffer b(new {item}[{points} + 1]);\n    std::copy(from, from + {points}, b.get());\n    return b;"
                );
                ("b.get()", copy)
            }
            Kind::Class | Kind::View => {
                out += &self.grid_class();
                let all = SIZES[..self.p.dims].join(", ");
                ("b.all()", format!("return Buffer(from, {all});"))
            }
            Kind::Nested => {
                let (t, make) = nested(item, self.p.dims);
                let _ = writeln!(out, "using Buffer = {t};\n");
                ("", make)
            }
            Kind::Static => {
                out += &self.static_type();
                ("&b[0]", String::new())
            }
        };
        if kind != Kind::Static {
            let _ = write!(out, "static Buffer make({item} *from{sizes})\n{{\n    {make}\n}}\n\n");
        }
        out += &match kind {
            Kind::Nested => NESTED[self.p.dims - 1].replace("ITEM", item),
            Kind::Static => STATIC.to_owned(),
            _ => WHOLE.replace("POINTER", pointer).replace("ITEM", item),
        };
        out
    }

    pub(super) fn static_type(&self) -> String {
        let sizes = self.p.sizes();
        if self.p.ways.often(ARRAYS, 50) {
            let array = |inner: String, n: &String| format!("std::array<{inner}, {n}>");
            let t = sizes.iter().rev().fold("Element".to_owned(), array);
            return format!("using Buffer = {t};\n\n");
        }
        let all: String = sizes.iter().map(|n| format!("[{n}]")).collect();
        format!("using Buffer = Element{all};\n\n")
    }

    /// A class with an accessor, which owns its elements in one of two ways, or is a view.
    pub(super) fn grid_class(&self) -> String {
        let (item, counter) = (self.item(), self.counter());
        let index = if self.p.ways.often(ARRAYS, 40) { "std::size_t" } else { counter };
        let all = &SIZES[..self.p.dims];
        let formal: String = all.iter().map(|n| format!(", {counter} {n}")).collect();
        let taken: String = all.iter().map(|n| format!(", {n}({n})")).collect();
        let subscripts: Vec<String> =
            COUNTERS[..self.p.dims].iter().map(|x| format!("{index} {x}")).collect();
        let subscripts = subscripts.join(", ");
        let at = ["i", "i * m + j", "(i * m + j) * l + k"][self.p.dims - 1];
        let points: Vec<String> = all.iter().map(|n| format!("std::size_t({n})")).collect();
        let points = points.join(" * ");
        let unique = self.p.ways.often(OWNED, 50);
        let (held, start, pointer) = match (self.kind(), unique) {
            (Kind::View, _) => (format!("{item} *"), "held(from)".to_owned(), "held"),
            (_, true) => (
                format!("std::unique_ptr<{item}[]> "),
                format!("held(new {item}[{points} + 1])"),
                "held.get()",
            ),
            (_, false) => (
                format!("std::vector<{item}> "),
                format!("held(from, from + {points})"),
                "held.data()",
            ),
        };
        let copied = self.kind() == Kind::Class && unique;
        let body = if copied {
            format!("{{ std::copy(from, from + {points}, held.get()); }}")
        } else {
            "{}".to_owned()
        };
        let more = if copied {
            let handed: String = all.iter().map(|n| format!(", o.{n}")).collect();
            format!(
                "    Buffer(const Buffer &o) : Buffer(o.held.get(){handed}) {{}}\n    \
                 Buffer(Buffer &&) = default;\n    \
                 Buffer &operator=(Buffer &&) = default;\n    \
                 Buffer &operator=(const Buffer &o)\n    {{\n        \
                 std::copy(o.held.get(), o.held.get() + {points}, held.get());\n        return *this;\n    }}\n"
            )
        } else {
            String::new()
        };
        let const_pointer = if copied { "const " } else { "" };
        format!(
            "class Buffer {{\n  public:\n    \
             Buffer({const_pointer}{item} *from{formal}) : {start}{taken} {body}\n{more}    \
             {item} &operator()({subscripts}) {{ return held[{at}]; }}\n    \
             const {item} &operator()({subscripts}) const {{ return held[{at}]; }}\n    \
             {item} *all() {{ return {pointer}; }}\n    \
             const {item} *all() const {{ return {pointer}; }}\n\n  private:\n    \
             {held}held;\n\n  public:\n    {counter} {};\n}};\n\n",
            all.join(", ")
        )
    }
}

/// Vectors of vectors: the type, and how one is made.
pub(super) fn nested(item: &str, dims: usize) -> (String, String) {
    let row = format!("std::vector<{item}>");
    match dims {
        1 => (row, "return Buffer(from, from + n);".to_owned()),
        2 => (
            format!("std::vector<{row}>"),
            "Buffer b;\n    for (std::size_t i = 0; i < n; i++)\n        \
             b.emplace_back(from + i * m, from + (i + 1) * m);\n    return b;"
                .to_owned(),
        ),
        _ => (
            format!("std::vector<std::vector<{row}>>"),
            format!(
                "Buffer b(n, std::vector<{row}>(m, {row}(l)));\n    \
                 for (std::size_t i = 0; i < n; i++)\n        \
                 for (std::size_t j = 0; j < m; j++)\n            \
                 std::copy(from + (i * m + j) * l, from + (i * m + j + 1) * l, b[i][j].begin());\n    \
                 return b;"
            ),
        ),
    }
}

pub(super) const WHOLE: &str =
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t points)
{
    std::copy(POINTER, POINTER + points, to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t points)
{
    std::fill_n(POINTER, points, ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t points)
{
    const ITEM *from = POINTER;
    {
        Buffer &b = to;
        std::copy(from, from + points, POINTER);
    }
}

";

pub(super) const STATIC: &str = "[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    memset(&b, 0, sizeof b);
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    memcpy(&to, &b, sizeof b);
}

";

pub(super) const NESTED: [&str; 3] = [
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t)
{
    std::copy(b.begin(), b.end(), to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    std::fill(b.begin(), b.end(), ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    std::copy(b.begin(), b.end(), to.begin());
}

",
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t)
{
    for (const auto &row : b)
        to = std::copy(row.begin(), row.end(), to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    for (auto &row : b)
        std::fill(row.begin(), row.end(), ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    for (std::size_t i = 0; i < b.size(); i++)
        std::copy(b[i].begin(), b[i].end(), to[i].begin());
}

",
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t)
{
    for (const auto &plane : b)
        for (const auto &row : plane)
            to = std::copy(row.begin(), row.end(), to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    for (auto &plane : b)
        for (auto &row : plane)
            std::fill(row.begin(), row.end(), ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    for (std::size_t i = 0; i < b.size(); i++)
        for (std::size_t j = 0; j < b[i].size(); j++)
            std::copy(b[i][j].begin(), b[i][j].end(), to[i][j].begin());
}

",
];
