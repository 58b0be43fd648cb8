// Kernels for the tests of the emulated grid. `kernels.sh` beside this file makes the .ll and .ptx files.
#define SHARED __attribute__((address_space(3)))
#define KERNEL __attribute__((nvptx_kernel)) void
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define I ((long)BX * NX + TX)

#ifdef JACOBI
// Five points, one step, staged through shared memory.
SHARED float tile[18 * 34];
KERNEL jacobi(const float *__restrict a, float *__restrict b, int n, int m) {
  int tx = TX, ty = TY, x = BX * 32 + tx, y = BY * 16 + ty;
  for (int i = ty; i < 18; i += 16)
    for (int j = tx; j < 34; j += 32) {
      int gx = x + j - tx - 1, gy = y + i - ty - 1;
      if (gx >= 0 && gy >= 0 && gx < n && gy < m) tile[i * 34 + j] = a[(long)gy * n + gx];
    }
  __nvvm_bar_sync(0);
  if (x > 0 && y > 0 && x < n - 1 && y < m - 1) {
    int c = (ty + 1) * 34 + tx + 1;
    b[(long)y * n + x] = 0.2f * (tile[c] + tile[c - 1] + tile[c + 1] + tile[c - 34] + tile[c + 34]);
  }
}

// Eight steps of a 1-D heat equation in one block, in shared memory that the launch sizes.
extern SHARED double line[];
KERNEL heat(double *a, int n) {
  int t = TX;
  line[t] = a[t];
  line[n + t] = a[t];
  __nvvm_bar_sync(0);
  for (int step = 0; step < 8; step++) {
    SHARED double *from = line + (step & 1 ? n : 0), *to = line + (step & 1 ? 0 : n);
    if (t > 0 && t < n - 1) to[t] = from[t] + 0.25 * (from[t - 1] - 2.0 * from[t] + from[t + 1]);
    __nvvm_bar_sync(0);
  }
  a[t] = line[t];
}
#endif

#ifdef WARP
// Sums 32 values by shuffles, then says which lanes hold more than the mean.
KERNEL sum(const float *a, float *total, unsigned *above) {
  float mine = a[I], all = mine;
  for (int d = 16; d > 0; d >>= 1) all += __nvvm_shfl_sync_down_f32(-1, all, d, 31);
  all = __nvvm_shfl_sync_idx_f32(-1, all, 0, 31);
  if (TX % 32 == 0) total[I / 32] = all;
  unsigned ballot = __nvvm_vote_ballot_sync(-1, mine > all / 32.0f);
  if (TX % 32 == 0) above[I / 32] = ballot;
}

// Neighbours in a warp, and a lane's own value at its ends.
KERNEL neighbours(const int *a, int *b) {
  int mine = a[I];
  b[3 * I] = __nvvm_shfl_sync_up_i32(-1, mine, 1, 0);
  b[3 * I + 1] = __nvvm_shfl_sync_bfly_i32(-1, mine, 5, 31);
  b[3 * I + 2] = __nvvm_shfl_sync_down_i32(-1, mine, 2, 31);
}
#endif

#ifdef FLOW
// Collatz steps: every lane leaves the loop when it likes.
KERNEL collatz(const unsigned *a, int *steps) {
  unsigned long u = a[I];
  int count = 0;
  while (u != 1) {
    if (u & 1) u = 3 * u + 1; else u /= 2;
    if (++count == 400) break;
  }
  steps[I] = count;
}

// Early exits, a switch, nested loops with continue, a barrier that exited lanes do not reach.
SHARED int count[64];
KERNEL branches(const int *a, int *b, int n) {
  if (I >= n) return;
  int v = a[I], s = 0;
  count[TX] = v;
  __nvvm_bar_sync(0);
  for (int i = 0; i < (v & 15); i++) {
    for (int j = i; j < 8; j++) {
      if ((j ^ v) % 3 == 0) continue;
      if (s > 1000) goto done;
      s += j * i + 1;
    }
    switch ((v + i) % 7) {
    case 0: s += 17; break;
    case 1: s *= 3; break;
    case 2: s -= v; break;
    case 3: s ^= 0x55; break;
    case 4: s = -s; break;
    default: s += i; break;
    }
  }
done:
  b[I] = s + count[(TX + 1) % 4];
}

// An array that has to live in local memory.
KERNEL local(const int *a, int *b) {
  int h[16];
  for (int i = 0; i < 16; i++) h[i] = i;
  unsigned k = a[I];
  for (int i = 0; i < 40; i++) { k = k * 1664525u + 1013904223u; h[(k >> 20) & 15] += k & 255; }
  b[I] = h[k >> 28] + h[(k >> 24) & 15] * 3;
}
#endif

#ifdef NUMBERS
typedef float float4v __attribute__((ext_vector_type(4)));
typedef double double2v __attribute__((ext_vector_type(2)));
KERNEL vectors(const float4v *a, float4v *b, const double2v *c, double2v *d) {
  float4v v = a[I];
  b[I] = v.wzyx * 0.5f + v;
  double2v w = c[I];
  d[I] = w.yx - w * 3.0;
}

KERNEL doubles(const double *a, const double *b, double *c) {
  double x = a[I], y = b[I];
  double r = __builtin_sqrt(__builtin_fabs(x)) / (y * y + 1.5);
  r = __builtin_fma(x, y, r);
  r = r > 10 ? __builtin_fmin(r, x) : __builtin_fmax(r, y);
  c[I] = r + __builtin_copysign(0.25, x - y) + (y < x ? 1.0 : -x);
}

KERNEL integers(const int *a, const int *b, long *c, const long *l) {
  int x = a[I], y = b[I];
  unsigned u = x, w = y;
  long z = l[I], s = 0;
  s += x / (y | 1) + x % (y | 1);
  s ^= (long)(u / (w | 1)) << 7 ^ u % (w | 1);
  s += z / (long)(y | 1) - z % 1000003;
  s ^= (long)((unsigned long)z / (u | 1ul)) + (unsigned long)z % (w | 3ul);
  s += (long)x * y + (x >> (y & 31)) + (u << (w & 31)) + (long)((unsigned __int128)(unsigned long)z * u >> 64);
  s += __builtin_popcount(x) * 3 + __builtin_clz(u | 1) * 5 + __builtin_ctzl(z | 16) + __builtin_bswap32(u);
  s += (x < y ? x : y) ^ (u > w ? u : w);
  s ^= ((u << 5) | (u >> 27)) + ((unsigned long)z >> 11 | z << 53);
  c[I] = s;
}

KERNEL conversions(const float *a, const double *b, long *c) {
  float f = a[I];
  double d = b[I];
  long s = (int)f + 3l * (long)d + (unsigned)(f < 0 ? -f : f) + (short)(int)d + (unsigned char)(int)f;
  s += (long)(__builtin_rintf(f) * 8) + (long)__builtin_floor(d) - (long)__builtin_ceilf(f) + (long)__builtin_trunc(d);
  float g = (float)d + (float)s + (float)(unsigned)s + (float)(unsigned long)s;
  double h = (double)f - (double)s + (double)(unsigned)s;
  union { float f; int i; } p = {g};
  union { double d; long l; } q = {h};
  c[I] = s ^ p.i ^ q.l;
}

KERNEL bytes(const unsigned char *a, const short *b, unsigned char *c, short *d) {
  int x = a[I], y = b[I];
  c[I] = (unsigned char)(x * 3 + y);
  d[I] = (short)(y / 3 - (signed char)x);
}
#endif
