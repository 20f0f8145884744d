// Kernel models: the cases' distances, the nearest of them, and the system of these. Distances
// are those of kernels/kernel_models.py to the last digit; what is solved agrees to rounding.
//
// -DSHARED 1: a query's system is in shared memory; 0: it is too large for it

#define INFINITE __longlong_as_double(0x7FF0000000000000ll)
#define MISMATCH 2.8284271247461903  // of two categories, as in kernels/kernel_models.py
#define AT_ONCE 8                    // queries that a thread measures
#define DIGITS 256                   // of the numbers that distances are sorted by
#define MOST_WARPS 8                 // of a block that sorts

struct Columns {
    const double* values;  // (n_columns, stride)
    long long stride;
    int n_columns;
    const int* nominal;
    const double *absents, *weights;
};

// What column j adds to a distance.
__device__ __forceinline__ double apart(const Columns& c, int j, double value, double asked) {
    double weight = c.weights[j], gap = __dmul_rn(weight, c.absents[j]);
    if (isnan(asked)) return isnan(value) ? 0 : gap;
    if (isnan(value)) return gap;
    if (c.nominal[j]) return value == asked ? 0 : __dmul_rn(weight, MISMATCH);
    return __dmul_rn(weight, fabs(__dsub_rn(value, asked)));
}

extern "C" __global__ void fill_distances(const double* values, long long stride, int n_columns, const int* nominal,
                                          const double* absents, const double* weights, const double* queries,
                                          const long long* hidden, long long n_rows, int n_queries,
                                          double* distances) {
    Columns c = {values, stride, n_columns, nominal, absents, weights};
    long long step = (long long)gridDim.x * blockDim.x;
    for (int first = blockIdx.y * AT_ONCE; first < n_queries; first += gridDim.y * AT_ONCE)
        for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < n_rows; row += step) {
            double sums[AT_ONCE];
#pragma unroll
            for (int q = 0; q < AT_ONCE; q++) sums[q] = 0;
            for (int j = 0; j < n_columns; j++) {
                if (weights[j] == 0) continue;
                double value = values[j * stride + row];
#pragma unroll
                for (int q = 0; q < AT_ONCE; q++) {
                    long long query = min(first + q, n_queries - 1);
                    sums[q] = __dadd_rn(sums[q], apart(c, j, value, queries[query * n_columns + j]));
                }
            }
#pragma unroll
            for (int q = 0; q < AT_ONCE; q++)
                if (first + q < n_queries)
                    distances[(long long)(first + q) * n_rows + row] = hidden[first + q] == row ? INFINITE : sums[q];
        }
}

// The k-th smallest of some distances, as bits; *left of those equal to it are among the k.
__device__ u64 find_kth(const double* own, long long n_rows, int k, int* counts, int* left) {
    u64 kth = 0;
    *left = k;
    for (int shift = 56; shift >= 0; shift -= 8) {
        for (int i = LANE; i < DIGITS; i += W) counts[i] = 0;
        __syncwarp();
        for (long long row = LANE; row < n_rows; row += W) {
            u64 bits = (u64)__double_as_longlong(own[row]);
            if (shift == 56 || bits >> (shift + 8) == kth) atomicAdd(&counts[bits >> shift & (DIGITS - 1)], 1);
        }
        __syncwarp();
        int digit = 0;
        while (counts[digit] < *left) *left -= counts[digit++];
        kth = kth << 8 | digit;
        __syncwarp();
    }
    return kth;
}

// The k nearest rows of each query, in the order of rows; of ties the first.
extern "C" __global__ void take_nearest(const double* distances, long long n_rows, int n_queries, int k,
                                        long long* near) {
    __shared__ int counts[MOST_WARPS][DIGITS];
    unsigned below = (1u << LANE) - 1;
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        const double* own = distances + query * n_rows;
        int left, found = 0;
        u64 kth = find_kth(own, n_rows, k, counts[WARP], &left);
        for (long long first = 0; first < n_rows && found < k; first += W) {
            long long row = first + LANE;
            bool is_row = row < n_rows;
            u64 bits = is_row ? (u64)__double_as_longlong(own[row]) : ~0ull;
            unsigned level = __ballot_sync(ALL, is_row && bits == kth);
            bool nearer = is_row && bits < kth, tied = is_row && bits == kth && __popc(level & below) < left;
            unsigned taken = __ballot_sync(ALL, nearer || tied);
            if (nearer || tied) near[query * k + found + __popc(taken & below)] = row;
            found += __popc(taken), left -= min(left, __popc(level));
        }
    }
}

// Over all cases, coefficient times similarity; distances become similarities.
extern "C" __global__ void sum_similarities(double* distances, long long n_rows, int n_queries, double rate,
                                            const double* coefficients, int n_targets, double* sums) {
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        double* own = distances + query * n_rows;
        for (long long i = LANE; i < n_rows; i += W) own[i] = exp(-rate * own[i]);
        for (int t = 0; t < n_targets; t++) {
            double total = 0;
            for (long long i = LANE; i < n_rows; i += W) total += coefficients[t * n_rows + i] * own[i];
            total = sum_of_warp(total);
            if (LANE == 0) sums[query * n_targets + t] = total;
        }
    }
}

// The lower half of a system, row after row, and what goes with it.
struct System {
    double* lower;
    double* side;
    double* column;  // of the factor, the one in use
    int n;

    __device__ __forceinline__ double* row(int i) const { return lower + (long long)i * (i + 1) / 2; }
};

// Similarities of a query's nearest rows to each other, the ridge on the diagonal.
__device__ void fill_system(const Columns& c, const System& s, const long long* rows, double* part, double rate,
                            double ridge) {
    for (int i = threadIdx.x; i < c.n_columns * s.n; i += blockDim.x)
        part[i] = c.values[i / s.n * c.stride + rows[i % s.n]];
    __syncthreads();
    for (int i = WARP; i < s.n; i += WARPS)
        for (int m = LANE; m <= i; m += W) {
            double total = 0;
            for (int j = 0; j < c.n_columns; j++)
                if (c.weights[j] != 0) total += apart(c, j, part[j * s.n + m], part[j * s.n + i]);
            s.row(i)[m] = m == i ? 1 + ridge : exp(-rate * total);
        }
    __syncthreads();
}

// Cholesky, column by column; the right side is solved by the factor on the way.
__device__ void factor(const System& s) {
    for (int j = 0; j < s.n; j++) {
        double root = sqrt(s.row(j)[j]), solved = s.side[j] / root;
        for (int i = j + 1 + threadIdx.x; i < s.n; i += blockDim.x) s.column[i] = s.row(i)[j] /= root;
        __syncthreads();
        if (threadIdx.x == 0) s.row(j)[j] = root, s.side[j] = solved;
        for (int i = j + 1 + WARP; i < s.n; i += WARPS) {
            double own = s.column[i], *row = s.row(i);
            for (int m = j + 1 + LANE; m <= i; m += W) row[m] -= own * s.column[m];
            if (LANE == 0) s.side[i] -= own * solved;
        }
        __syncthreads();
    }
}

// What is left to solve: the factor's transpose.
__device__ void substitute_back(const System& s) {
    for (int j = s.n - 1; j >= 0; j--) {
        double solved = s.side[j] / s.row(j)[j];
        __syncthreads();
        for (int i = threadIdx.x; i <= j; i += blockDim.x) s.side[i] = i == j ? solved : s.side[i] - s.row(j)[i] * solved;
        __syncthreads();
    }
}

// Scores by the system of each query's nearest rows; a block per query.
extern "C" __global__ void score_by_nearest(const double* values, long long stride, int n_columns, const int* nominal,
                                            const double* absents, const double* weights, const double* distances,
                                            const long long* near, int n_near, double rate, double ridge,
                                            const double* targets, int n_targets, const double* centers,
                                            long long n_rows, int n_queries, double* parts, double* systems,
                                            double* scores) {
    extern __shared__ u64 shared_space[];
    Columns c = {values, stride, n_columns, nominal, absents, weights};
    long long size = (long long)n_near * (n_near + 1) / 2;
#if SHARED
    double* own = (double*)shared_space;
#else
    double* own = systems + blockIdx.x * (size + 2 * n_near);
#endif
    System s = {own, own + size, own + size + n_near, n_near};
    for (long long query = blockIdx.x; query < n_queries; query += gridDim.x) {
        const long long* rows = near + query * n_near;
        for (int i = threadIdx.x; i < n_near; i += blockDim.x)
            s.side[i] = exp(-rate * distances[query * n_rows + rows[i]]);
        fill_system(c, s, rows, parts + (long long)blockIdx.x * n_columns * n_near, rate, ridge);
        factor(s);
        substitute_back(s);
        for (int t = WARP; t < n_targets; t += WARPS) {
            double center = centers[query * n_targets + t], total = 0;
            for (int i = LANE; i < n_near; i += W) total += s.side[i] * (targets[rows[i] * n_targets + t] - center);
            total = sum_of_warp(total);
            if (LANE == 0) scores[query * n_targets + t] = center + total;
        }
        __syncthreads();
    }
}
