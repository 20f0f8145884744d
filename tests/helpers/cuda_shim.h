// CUDA C++ for an ordinary compiler: a warp is one thread, a block one warp, and blocks run
// one after the other.
#include <algorithm>
#include <cmath>
#include <cstring>
#define W 1
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__
#define __restrict__
#define __launch_bounds__(...)
struct Place { unsigned x, y; };
static Place threadIdx = {0, 0}, blockIdx, blockDim = {1, 1}, gridDim;
struct uint4 { unsigned x, y, z, w; };
struct float4 { float x, y, z, w; };
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
static inline int __reduce_add_sync(unsigned, int x) { return x; }
static inline unsigned __reduce_or_sync(unsigned, unsigned x) { return x; }
static inline bool __any_sync(unsigned, bool x) { return x; }
static inline unsigned __ballot_sync(unsigned, bool x) { return x; }
template <class T> static inline T __shfl_sync(unsigned, T x, int) { return x; }
template <class T> static inline T __shfl_xor_sync(unsigned, T, int) { return T(0); }
static inline void __syncthreads() {}
static inline void __syncwarp() {}
static inline int atomicAdd(int* place, int x) { int old = *place; *place += x; return old; }
// -ffp-contract=off: nothing is fused, so plain operators round like these.
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline int __float_as_int(float x) { int y; std::memcpy(&y, &x, 4); return y; }
static inline float __int_as_float(int x) { float y; std::memcpy(&y, &x, 4); return y; }
static inline long long __double_as_longlong(double x) { long long y; std::memcpy(&y, &x, 8); return y; }
static inline double __longlong_as_double(long long x) { double y; std::memcpy(&y, &x, 8); return y; }
using std::max;
using std::min;
using std::isnan;
// What is called before each block.
extern "C" void enter(unsigned x, unsigned y, unsigned along_x, unsigned along_y) {
    blockIdx = {x, y}, gridDim = {along_x, along_y};
}
unsigned long long shared_space[1 << 17];
