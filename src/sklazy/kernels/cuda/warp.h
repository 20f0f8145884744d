// What all sources share; put in front of each of them.
//
// W is the width of a warp: 32 on a GPU. With W = 1 an ordinary C++ compiler takes the same
// lines behind a shim, a warp being one thread and a block one warp: what a machine without
// a GPU can test. So work is shared out in strides (of lanes, warps and blocks), never by
// a count that must be met.
#ifndef W
#define W 32
#endif

typedef unsigned long long u64;

#define ALL 0xFFFFFFFFu
#define LANE (threadIdx.x % W)
#define WARP (threadIdx.x / W)
#define WARPS (blockDim.x / W)
#define FIRST_THREAD (blockIdx.x * (long long)blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * (long long)blockDim.x)
#define FIRST_WARP (FIRST_THREAD / W)
#define ALL_WARPS (THREADS / W)

// The queries first..last - 1 of this block, where blockIdx.y shares them out.
#define FIRST_QUERY ((int)((long long)n_queries * blockIdx.y / gridDim.y))
#define LAST_QUERY ((int)((long long)n_queries * (blockIdx.y + 1) / gridDim.y))

__device__ __forceinline__ int sum_of_warp(int value) {
    return __reduce_add_sync(ALL, value);
}

__device__ __forceinline__ u64 union_of_warp(u64 bits) {
    u64 high = __reduce_or_sync(ALL, (unsigned)(bits >> 32));
    return high << 32 | __reduce_or_sync(ALL, (unsigned)bits);
}

__device__ __forceinline__ double sum_of_warp(double value) {
#pragma unroll
    for (int apart = W / 2; apart; apart >>= 1) value += __shfl_xor_sync(ALL, value, apart);
    return value;
}
