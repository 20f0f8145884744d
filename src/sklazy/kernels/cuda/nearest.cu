// Nearest neighbors among numbers and codes: a first pass in float32 lists every row that could
// be among the k nearest or tie with the k-th; these are measured again in float64, rounded
// step by step as the CPU rounds, so that the answer is the same to the last bit.
//
// -DOWN       1: every query has columns of its own; 0: all queries are compared on all columns
// -DQUERIES   that a warp takes at a time; 1 where they have columns of their own
// -DPER_LANE  rows that a lane takes at a time, a multiple of 4
// -DROWS      rows of a tile, a multiple of W * PER_LANE
// -DSHARED    1: a tile of all columns is in shared memory; 0: columns are read where they are
// -DNORM      1: differences are added; 2: their squares; others are not known here
// -DHIDE      0: all rows are seen; 1: all but one; 2: all but those of the query's group

#define NUMERIC 0  // as in kernels/columns.py
#define NOMINAL 2

#if NORM != 1 && NORM != 2
#error "NORM must be 1 or 2"
#endif

#define UNIT 5.9604644775390625e-08  // half a step of float32 at 1: the error of a rounding
#define MANY_BITS 0x7FFFFFFF
#define INFINITE __longlong_as_double(0x7FF0000000000000ll)

__device__ __forceinline__ float add(float sum, float difference) {
    return NORM == 1 ? sum + fabsf(difference) : fmaf(difference, difference, sum);
}

__device__ __forceinline__ double add_exactly(double sum, double weight, double difference) {
    double amount = NORM == 1 ? fabs(difference) : __dmul_rn(difference, difference);
    return __dadd_rn(sum, __dmul_rn(weight, amount));
}

// Line up each query's own columns: plain numbers from the front, then the others; what
// columns without a value add; and how far a float32 difference vector can be off.
extern "C" __global__ void plan_own_columns(const int* codes, const double* values, int n_columns,
                                            const int* attributes, const int* counts, int n_most, const int* kinds,
                                            const double* lows, const double* widths, int n_queries, int* places,
                                            float* targets, int* ends, float* constants, double* slacks) {
    for (long long query = FIRST_THREAD; query < n_queries; query += THREADS) {
        int* own = places + query * n_most;
        float* own_targets = targets + query * n_most;
        int n_plain = 0, first_other = n_most;
        double constant = 0, reach = 1;
        for (int i = 0; i < counts[query]; i++) {
            int column = attributes[query * n_most + i];
            double value = values[query * n_columns + column], target;
            int code = codes[query * n_columns + column];
            if (kinds[column] != NOMINAL) {
                target = (value - lows[column]) / widths[column];
                if (target == target) reach = max(reach, 1 + fabs(target));
            } else if (widths[column] == 0)  // a constant column of numbers
                target = value == lows[column] ? 0 : nan("");
            else
                target = code >= 0 ? code : nan("");
            if (target != target) {
                constant += 1;
                continue;
            }
            int place = kinds[column] == NUMERIC ? n_plain++ : --first_other;
            own[place] = column, own_targets[place] = (float)target;
        }
        ends[query * 2] = n_plain, ends[query * 2 + 1] = first_other;
        constants[query] = (float)constant;
        slacks[query] = 2.02 * UNIT * reach * sqrt((double)(n_plain + n_most - first_other));
    }
}

// The same where all columns count: places and ends are those of all queries.
extern "C" __global__ void plan_all_columns(const double* queries, int n_columns, const int* places, const double* roots,
                                            const double* reaches, int n_queries, float* targets, double* slacks) {
    for (long long query = FIRST_THREAD; query < n_queries; query += THREADS) {
        double slack = 0;
        for (int i = 0; i < n_columns; i++) {
            int column = places[i];
            double target = queries[query * n_columns + column] * roots[column];
            targets[query * n_columns + i] = (float)target;
            if (reaches[column] < 0) continue;  // codes are exact
            double error = target == target ? reaches[column] + fabs(target) : reaches[column];
            slack += NORM == 1 ? error : error * error;
        }
        slacks[query] = 2.02 * UNIT * (NORM == 1 ? slack : sqrt(slack));
    }
}

// Rows within each query's limit, in a sample of the tiles or in all of them.
extern "C" __global__ void list_near(const float* columns, long long stride, int n_columns, const int* kinds,
                                     const float* amounts, const int* places, const float* targets, int n_most,
                                     const int* ends, const float* constants, const float* limits,
                                     const long long* hidden, const long long* groups, int n_rows, int n_tiles,
                                     int n_sampled, int n_queries, int capacity, int* counts, int* rows, float* sums) {
    extern __shared__ u64 shared_space[];
    float* tile = (float*)shared_space;
    for (int sample = blockIdx.x; sample < n_sampled; sample += gridDim.x) {
        // Tiles from all over the rows, which may be sorted.
        long long first = (long long)sample * n_tiles / n_sampled * ROWS;
#if SHARED
        __syncthreads();
        for (int i = threadIdx.x; i < n_columns * (ROWS / 4); i += blockDim.x)
            ((float4*)tile)[i] = *(const float4*)(columns + i / (ROWS / 4) * stride + first + i % (ROWS / 4) * 4);
        __syncthreads();
        const float* here = tile;
        const int step = ROWS;
#else
        const float* here = columns + first;
        const long long step = stride;
#endif
        for (int query = FIRST_QUERY + WARP * QUERIES; query < LAST_QUERY; query += WARPS * QUERIES) {
            const int* own = places + (OWN ? (long long)query * n_most : 0);
            int n_plain = ends[OWN ? query * 2 : 0], first_other = ends[OWN ? query * 2 + 1 : 1];
            long long asked[QUERIES];
#pragma unroll
            for (int q = 0; q < QUERIES; q++) asked[q] = min(query + q, LAST_QUERY - 1);
            for (int part = 0; part < ROWS; part += W * PER_LANE) {
                float sum[QUERIES][PER_LANE];
#pragma unroll
                for (int q = 0; q < QUERIES; q++)
#pragma unroll
                    for (int r = 0; r < PER_LANE; r++) sum[q][r] = OWN ? constants[asked[q]] : 0;
                for (int i = 0; i < n_plain; i++) {
                    const float* column = here + own[i] * step + part + LANE * 4;
                    float target[QUERIES];
#pragma unroll
                    for (int q = 0; q < QUERIES; q++) target[q] = targets[asked[q] * n_most + i];
#pragma unroll
                    for (int r = 0; r < PER_LANE; r += 4) {
                        float4 x = *(const float4*)(column + r * W);
#pragma unroll
                        for (int q = 0; q < QUERIES; q++) {
                            sum[q][r] = add(sum[q][r], x.x - target[q]);
                            sum[q][r + 1] = add(sum[q][r + 1], x.y - target[q]);
                            sum[q][r + 2] = add(sum[q][r + 2], x.z - target[q]);
                            sum[q][r + 3] = add(sum[q][r + 3], x.w - target[q]);
                        }
                    }
                }
                for (int i = first_other; i < n_most; i++) {
                    const float* column = here + own[i] * step + part + LANE * 4;
                    float amount = amounts[own[i]];
                    bool nominal = kinds[own[i]] == NOMINAL;
#pragma unroll
                    for (int q = 0; q < QUERIES; q++) {
                        float target = targets[asked[q] * n_most + i];
#pragma unroll
                        for (int r = 0; r < PER_LANE; r++) {
                            float x = column[(r & ~3) * W + (r & 3)];
                            float added = add(0, x - target);
                            bool fails = nominal ? x != target : added != added;
                            sum[q][r] += fails ? amount : nominal ? 0 : added;
                        }
                    }
                }
#pragma unroll
                for (int q = 0; q < QUERIES; q++) {
                    float limit = limits[asked[q]];
                    bool near = false;
#pragma unroll
                    for (int r = 0; r < PER_LANE; r++) near |= !(sum[q][r] > limit);
                    if (query + q >= LAST_QUERY || !__any_sync(ALL, near)) continue;
#pragma unroll
                    for (int r = 0; r < PER_LANE; r++) {
                        int row = (int)first + part + (r & ~3) * W + LANE * 4 + (r & 3);
                        bool taken = !(sum[q][r] > limit) && row < n_rows;
                        if (HIDE == 1) taken = taken && row != hidden[asked[q]];
                        if (HIDE == 2) taken = taken && groups[row] != hidden[asked[q]];
                        unsigned lanes = __ballot_sync(ALL, taken);
                        if (!lanes) continue;
                        int place = LANE == 0 ? atomicAdd(&counts[asked[q]], __popc(lanes)) : 0;
                        place = __shfl_sync(ALL, place, 0) + __popc(lanes & ((1u << LANE) - 1));
                        if (taken && place < capacity) {
                            rows[asked[q] * capacity + place] = row;
                            sums[asked[q] * capacity + place] = sum[q][r];
                        }
                    }
                }
            }
        }
    }
}

// The largest float32 sum of a row that may belong to the nearest; see find_limit in
// kernels/mixed.py. Where too few rows were seen the limit stays.
extern "C" __global__ void lower_limits(const int* counts, const float* sums, int capacity, int k, int n_columns,
                                        const double* slacks, int n_queries, float* limits) {
    double rounding = 1.2 * (n_columns + 4) * UNIT;
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        int n = min(counts[query], capacity);
        if (n < k) continue;
        const float* own = sums + query * capacity;
        int kth = 0;  // as an integer: floats of at least 0 are in the same order
        for (int bit = 30; bit >= 0; bit--) {
            int higher = kth | 1 << bit, below = 0;
            for (int i = LANE; i < n; i += W) below += (__float_as_int(own[i]) & MANY_BITS) < higher;
            if (sum_of_warp(below) < k) kth = higher;
        }
        double sum = __int_as_float(kth), slack = slacks[query];
        double far = (NORM == 1 ? sum / (1 - rounding) : sqrt(sum / (1 - rounding))) + 2 * slack;
        double limit = 1.00001 * (1 + rounding) * (NORM == 1 ? far : far * far) + 1e-37;
        // NaN, too, leaves all rows in.
        if (LANE == 0 && limit < 1e37) limits[query] = min(limits[query], (float)limit);
    }
}

// Exact sums of the rows listed, in the order of each query's attributes.
extern "C" __global__ void measure_own_columns(const int* codes, const double* values, int n_columns,
                                               const int* attributes, const int* used, int n_most,
                                               const int* case_codes, const int* nominal, const double* numbers,
                                               const int* numeric, const double* widths, long long n_rows, int n_queries,
                                               int capacity, const int* counts, const int* rows, double* distances) {
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        int n = min(counts[query], capacity);
        for (int i = LANE; i < n; i += W) {
            int row = rows[query * capacity + i];
            double total = 0;
            for (int a = 0; a < used[query]; a++) {
                int column = attributes[query * n_most + a];
                double difference = 1;
                if (numeric[column] < 0) {
                    int code = codes[query * n_columns + column];
                    if (code >= 0 && case_codes[nominal[column] * n_rows + row] == code) difference = 0;
                } else {
                    double value = values[query * n_columns + column];
                    double number = numbers[numeric[column] * n_rows + row];
                    if (widths[column] > 0) {
                        double scaled = __ddiv_rn(__dsub_rn(number, value), widths[column]);
                        if (scaled == scaled) difference = scaled;
                    } else if (number == value)
                        difference = 0;
                }
                total = __dadd_rn(total, __dmul_rn(difference, difference));
            }
            distances[query * capacity + i] = total;
        }
    }
}

// Exact sums of the rows listed, over all columns in their order.
extern "C" __global__ void measure_all_columns(const double* values, long long stride, int n_columns, const int* kinds,
                                               const double* weights, const double* absents, const double* queries,
                                               int n_queries, int capacity, const int* counts, const int* rows,
                                               double* distances) {
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        int n = min(counts[query], capacity);
        for (int i = LANE; i < n; i += W) {
            int row = rows[query * capacity + i];
            double total = 0;
            for (int j = 0; j < n_columns; j++) {
                double cell = values[j * stride + row], target = queries[query * n_columns + j];
                double difference = __dsub_rn(cell, target);
                if (kinds[j] == NOMINAL) difference = cell == target ? 0 : absents[j];
                else if (difference != difference) difference = absents[j];
                total = add_exactly(total, weights[j], difference);
            }
            distances[query * capacity + i] = total;
        }
    }
}

// The k-th smallest of a list; all of a short one count.
__device__ __forceinline__ double find_kth(const double* distances, int n, int k) {
    if (n < k) return INFINITE;
    long long kth = 0;
    for (int bit = 62; bit >= 0; bit--) {
        long long higher = kth | 1ll << bit;
        int below = 0;
        for (int i = LANE; i < n; i += W) below += __double_as_longlong(distances[i]) < higher;
        if (sum_of_warp(below) < k) kth = higher;
    }
    return __longlong_as_double(kth);
}

// Votes of all rows listed that are as near as the k-th, and of those just as far.
extern "C" __global__ void elect(const int* counts, const int* rows, const double* distances, int capacity, int k,
                                 const int* classes, int n_queries, int n_classes, double* kths, int* votes,
                                 int* tied) {
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        int n = min(counts[query], capacity);
        const double* own = distances + query * capacity;
        double kth = find_kth(own, n, k);
        for (int i = LANE; i < n; i += W) {
            if (!(own[i] <= kth)) continue;
            long long place = query * n_classes + classes[rows[query * capacity + i]];
            atomicAdd(&votes[place], 1);
            if (own[i] == kth) atomicAdd(&tied[place], 1);
        }
        if (LANE == 0) kths[query] = kth;
    }
}

// The k nearest in order, equally distant ones by row; -1 where there are too few.
extern "C" __global__ void arrange(const int* counts, const int* rows, const double* distances, int capacity, int k,
                                   int n_queries, int* chosen, long long* nearest, double* near) {
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        int n = min(counts[query], capacity);
        const double* own = distances + query * capacity;
        const int* own_rows = rows + query * capacity;
        double kth = find_kth(own, n, k);
        int nearer = 0;
        for (int i = LANE; i < n; i += W) nearer += own[i] < kth;
        int missing = k - sum_of_warp(nearer), last = 0;
        for (int bit = 30; bit >= 0; bit--) {  // the row that ends those tied with the k-th
            int higher = last | 1 << bit, below = 0;
            for (int i = LANE; i < n; i += W) below += own[i] == kth && own_rows[i] < higher;
            if (sum_of_warp(below) < missing) last = higher;
        }
        int* own_chosen = chosen + query * k;
        int n_chosen = 0;
        for (int begin = 0; begin < n; begin += W) {
            int i = begin + LANE;
            bool taken = i < n && own[i] < INFINITE && (own[i] < kth || (own[i] == kth && own_rows[i] <= last));
            unsigned lanes = __ballot_sync(ALL, taken);
            if (taken) own_chosen[n_chosen + __popc(lanes & ((1u << LANE) - 1))] = i;
            n_chosen += __popc(lanes);
        }
        __syncwarp();
        for (int i = LANE; i < n_chosen; i += W) {
            int a = own_chosen[i], rank = 0;
            for (int j = 0; j < n_chosen; j++) {
                int b = own_chosen[j];
                rank += own[b] < own[a] || (own[b] == own[a] && own_rows[b] < own_rows[a]);
            }
            nearest[query * k + rank] = own_rows[a], near[query * k + rank] = own[a];
        }
        for (int i = n_chosen + LANE; i < k; i += W) nearest[query * k + i] = -1, near[query * k + i] = INFINITE;
    }
}
