// Nearest neighbors by agreement: the rows that have most of a query's values.
//
// The sets of rows that have a value are added like binary numbers, 64 rows per word, as in
// kernels/planes.py. Integers only, so that the answer is the same on any device.
//
// -DGROUPS    groups of seven sets that a query points at
// -DPLANES    bits that hold 7 * GROUPS
// -DCLASSES
// -DSHARED    1: a tile of all sets is in shared memory; 0: sets are read where they are
//
// leaves_out tells whether every query has a row, excluded, that does not take part.

#define MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) | (b))))
#define SAMPLED (256 / W)  // words per lane: 16 384 rows in all
#define MOST_HELD 16       // classes whose sets a lane keeps in registers
constexpr int UNROLLED = GROUPS <= 4 ? GROUPS : 1;

// The sum of a query's sets at one word: bit p of every row's count is in planes[p].
__device__ __forceinline__ void sum_sets(const u64* bits, long long stride, const uint4* own, u64* planes) {
#pragma unroll
    for (int p = 0; p < PLANES; p++) planes[p] = 0;
#pragma unroll UNROLLED
    for (int g = 0; g < GROUPS; g++) {
        uint4 one = own[2 * g], two = own[2 * g + 1];
        u64 a = bits[one.x * stride], b = bits[one.y * stride], c = bits[one.z * stride];
        u64 d = bits[one.w * stride], e = bits[two.x * stride], f = bits[two.y * stride];
        u64 last = bits[two.z * stride];
        u64 sum = a ^ b ^ c, carry = MAJORITY(a, b, c);
        u64 other_sum = d ^ e ^ f, other_carry = MAJORITY(d, e, f);
        u64 low = sum ^ other_sum ^ last, third_carry = MAJORITY(sum, other_sum, last);
        u64 middle = carry ^ other_carry ^ third_carry, high = MAJORITY(carry, other_carry, third_carry);
        u64 old = planes[0], up = old & low;
        planes[0] = old ^ low;
        old = planes[1], planes[1] = old ^ middle ^ up, up = MAJORITY(old, middle, up);
        old = planes[2], planes[2] = old ^ high ^ up, up = MAJORITY(old, high, up);
#pragma unroll
        for (int p = 3; p < PLANES; p++) old = planes[p], planes[p] = old ^ up, up &= old;
    }
}

// The rows whose count is above a level, and those that have just this count.
__device__ __forceinline__ void compare(const u64* planes, int level, u64* above, u64* at) {
    u64 more = 0, least = ~0ull;
#pragma unroll
    for (int p = 0; p < PLANES; p++) {
        u64 mask = (level >> p) & 1 ? 0ull : ~0ull;
        more = MAJORITY(planes[p], more, mask);
        least = MAJORITY(planes[p], least, mask);
    }
    *above = more, *at = least & ~more;
}

__device__ __forceinline__ int count_of(const u64* planes, int bit) {
    int count = 0;
#pragma unroll
    for (int p = 0; p < PLANES; p++) count |= (int)((planes[p] >> bit) & 1) << p;
    return count;
}

// The rows of a word that take part.
__device__ __forceinline__ u64 seen(u64 live, long long word, int leaves_out, const long long* excluded, int query) {
    if (leaves_out && excluded[query] >> 6 == word) live &= ~(1ull << (excluded[query] & 63));
    return live;
}

// The sets of values that attributes with many of them keep no sets of; a warp per word.
extern "C" __global__ void mark_values(const int* columns, long long capacity, const int* owners, const int* values,
                                       int n_marked, int n_rows, long long stride, u64* bits) {
    long long n_words = (n_rows + 63) / 64;
    for (long long i = FIRST_WARP; i < n_marked * n_words; i += ALL_WARPS) {
        long long set = i / n_words, word = i % n_words;
        const int* column = columns + owners[set] * capacity + word * 64;
        u64 own = 0;
        for (int bit = LANE; bit < 64; bit += W)
            if (word * 64 + bit < n_rows && column[bit] == values[set]) own |= 1ull << bit;
        own = union_of_warp(own);
        if (LANE == 0) bits[set * stride + word] = own;
    }
}

// The attributes of lowest rank of each query, in their order; equal to select_by_rank.
extern "C" __global__ void choose(const int* codes, int n_attributes, const long long* starts, const int* ranks,
                                  int n_queries, int n_most, int* attributes) {
    for (long long query = FIRST_THREAD; query < n_queries; query += THREADS) {
        const int* own = codes + query * n_attributes;
        for (int i = 0, last = -1; i < n_most; i++) {
            int best = 0x7FFFFFFF, chosen = 0;
            for (int j = 0; j < n_attributes; j++) {
                int rank = ranks[starts[j] + max(own[j], -1)];
                if (rank > last && rank < best) best = rank, chosen = j;
            }
            attributes[query * n_most + i] = chosen, last = best;
        }
    }
}

// The sets of each query's values; what agrees with nothing points at the empty set.
extern "C" __global__ void point_at_sets(const int* codes, int n_attributes, const int* attributes, const int* counts,
                                         int n_most, const int* starts, const long long* offsets,
                                         const int* set_of_value, int n_empty, int n_queries, unsigned* sets) {
    for (long long i = FIRST_THREAD; i < (long long)n_queries * GROUPS * 8; i += THREADS) {
        long long query = i / (GROUPS * 8);
        int place = (int)(i % (GROUPS * 8));
        int number = place / 8 * 7 + place % 8;  // seven of eight are in use
        int set = n_empty;
        if (place % 8 < 7 && number < counts[query]) {
            int attribute = attributes[query * n_most + number], code = codes[query * n_attributes + attribute];
            if (code >= 0) set = starts[attribute] < 0 ? set_of_value[offsets[attribute] + code] : starts[attribute] + code;
        }
        sets[i] = set;
    }
}

// The k-th highest count among a sample of the rows: that among all rows is at least as high.
extern "C" __global__ void bound_levels(const u64* bits, const u64* live, const uint4* sets, int leaves_out, const long long* excluded,
                                        long long stride, int n_queries, int k, int* bounds) {
    long long n_tiles = stride / W;
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        u64 planes[SAMPLED][PLANES], left[SAMPLED];
#pragma unroll 1
        for (int i = 0; i < SAMPLED; i++) {
            // Tiles from all over the rows, which may be sorted.
            long long tile = n_tiles > SAMPLED ? i * n_tiles / SAMPLED : i;
            long long word = tile < n_tiles ? tile * W + LANE : LANE;
            sum_sets(bits + word, stride, sets + query * GROUPS * 2, planes[i]);
            left[i] = tile < n_tiles ? seen(live[word], word, leaves_out, excluded, query) : 0;
        }
        int level = 0, missing = k;
#pragma unroll 1
        for (int p = PLANES - 1; p >= 0; p--) {
            int count = 0;
#pragma unroll
            for (int i = 0; i < SAMPLED; i++) count += __popcll(left[i] & planes[i][p]);
            count = sum_of_warp(count);
            bool enough = count >= missing;
            level |= enough ? 1 << p : 0;
            missing -= enough ? 0 : count;
#pragma unroll
            for (int i = 0; i < SAMPLED; i++) left[i] &= enough ? planes[i][p] : ~planes[i][p];
        }
        if (LANE == 0) bounds[query] = level;
    }
}

// Rows at a query's bound by class, and those above it by count and class.
extern "C" __global__ void match(const u64* bits, const u64* class_bits, const u64* live, const int* classes,
                                 const uint4* sets, const int* bounds, int leaves_out, const long long* excluded, int n_sets,
                                 long long stride, int n_queries, int n_levels, int* tied, int* levels) {
    extern __shared__ u64 shared_space[];
    for (long long first = (long long)blockIdx.x * W; first < stride; first += (long long)gridDim.x * W) {
        long long word = first + LANE;
#if SHARED
        __syncthreads();
        for (int i = threadIdx.x; i < n_sets * W; i += blockDim.x)
            shared_space[i] = bits[(i / W) * stride + first + i % W];
        __syncthreads();
        const u64* here = shared_space + LANE;
        const int step = W;
#else
        const u64* here = bits + word;
        const long long step = stride;
#endif
        u64 rows = live[word];
#if CLASSES <= MOST_HELD
        u64 held[CLASSES];
#pragma unroll
        for (int c = 0; c < CLASSES; c++) held[c] = class_bits[c * stride + word];
#endif
        for (int query = FIRST_QUERY + WARP; query < LAST_QUERY; query += WARPS) {
            u64 planes[PLANES], above, at;
            sum_sets(here, step, sets + (long long)query * GROUPS * 2, planes);
            compare(planes, bounds[query], &above, &at);
            u64 mine = seen(rows, word, leaves_out, excluded, query);
            above &= mine, at &= mine;
            if (!__any_sync(ALL, (above | at) != 0)) continue;
            int* own_levels = levels + (long long)query * n_levels * CLASSES;
            for (; above; above &= above - 1) {
                int bit = __ffsll(above) - 1;
                atomicAdd(&own_levels[count_of(planes, bit) * CLASSES + classes[word * 64 + bit]], 1);
            }
            if (!__any_sync(ALL, at != 0)) continue;
#if CLASSES <= MOST_HELD
#pragma unroll
#endif
            for (int c = 0; c < CLASSES; c++) {
#if CLASSES <= MOST_HELD
                int count = __popcll(at & held[c]);
#else
                int count = at ? __popcll(at & class_bits[c * stride + word]) : 0;
#endif
                count = sum_of_warp(count);
                if (LANE == 0 && count) atomicAdd(&tied[(long long)query * CLASSES + c], count);
            }
        }
    }
}

// Votes of the rows at or above the k-th level, those of rows just at it, and the level.
extern "C" __global__ void decide(const int* bounds, const int* tied, const int* levels, int n_queries, int n_levels,
                                  int k, int* found) {
    for (long long query = FIRST_THREAD; query < n_queries; query += THREADS) {
        int* votes = found + query * (2 * CLASSES + 1);
        int* last = votes + CLASSES;
        for (int c = 0; c < CLASSES; c++) votes[c] = 0;
        int level = n_levels, total = 0;
        do {
            level--;
            const int* own = level > bounds[query] ? levels + (query * n_levels + level) * CLASSES : tied + query * CLASSES;
            for (int c = 0; c < CLASSES; c++) last[c] = own[c], votes[c] += own[c], total += own[c];
        } while (total < k && level > bounds[query]);
        votes[2 * CLASSES] = level;
    }
}

// The rows at or above each query's level, and on how many attributes they agree.
extern "C" __global__ void list_voters(const u64* bits, const u64* live, const uint4* sets, const int* levels,
                                       int leaves_out, const long long* excluded, long long stride, int n_queries,
                                       const long long* starts, int* filled, int* rows, int* counts) {
    for (long long word = (long long)blockIdx.x * W + LANE; word < stride; word += (long long)gridDim.x * W) {
        u64 own = live[word];
        for (int query = FIRST_QUERY + WARP; query < LAST_QUERY; query += WARPS) {
            u64 planes[PLANES], above, at;
            sum_sets(bits + word, stride, sets + (long long)query * GROUPS * 2, planes);
            compare(planes, levels[query], &above, &at);
            u64 voting = (above | at) & seen(own, word, leaves_out, excluded, query);
            for (; voting; voting &= voting - 1) {
                int bit = __ffsll(voting) - 1;
                long long place = starts[query] + atomicAdd(&filled[query], 1);
                rows[place] = (int)(word * 64 + bit), counts[place] = count_of(planes, bit);
            }
        }
    }
}
