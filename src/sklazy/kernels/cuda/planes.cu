// Nearest neighbors by agreement: the rows that have most of a query's values.
//
// The sets of rows that have a value are added like binary numbers, 64 rows per word, as in
// kernels/planes.py. Integers only, so that the answer is the same on any device.
//
// -DGROUPS    groups of up to seven sets that a query points at
// -DREST      1, 3 or 7, the sets of the last group that are in use at most
// -DPLANES    bits that hold all of them, 3 at least
// -DCLASSES
// -DBYTES     1 or 4, of a query's code
// -DSHARED    1: a tile of all sets is in shared memory; 0: sets are read where they are
//
// leaves_out tells whether every query has a row, excluded, that does not take part.

#define MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) | (b))))
#define WORDS 2                      // that a lane takes at a time, 128 rows
#define SAMPLED (256 / (W * WORDS))  // times; 16 384 rows in all
#define MOST_HELD 16                 // classes whose sets a lane keeps in registers
#if BYTES == 1
typedef signed char Code;
#else
typedef int Code;
#endif
constexpr int FULL = REST == 7 ? GROUPS : GROUPS - 1;
constexpr int UNROLLED = FULL >= 1 && FULL <= 4 ? FULL : 1;

// Neighboring words of a set, read at once.
struct alignas(8 * WORDS) Words {
    u64 at[WORDS];
};

// Add seven sets to the sum that the planes hold: bit p of every row's count is in planes[p].
__device__ __forceinline__ void add_sets(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 last, u64* planes) {
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

// The same for three sets, and for one.
__device__ __forceinline__ void add_sets(u64 a, u64 b, u64 c, u64* planes) {
    u64 low = a ^ b ^ c, high = MAJORITY(a, b, c);
    u64 old = planes[0], up = old & low;
    planes[0] = old ^ low;
    old = planes[1], planes[1] = old ^ high ^ up, up = MAJORITY(old, high, up);
#pragma unroll
    for (int p = 2; p < PLANES; p++) old = planes[p], planes[p] = old ^ up, up &= old;
}

__device__ __forceinline__ void add_sets(u64 up, u64* planes) {
#pragma unroll
    for (int p = 0; p < PLANES; p++) {
        u64 old = planes[p];
        planes[p] = old ^ up, up &= old;
    }
}

// The sum of a query's sets at some words.
template <class T>
__device__ __forceinline__ void sum_sets(const u64* bits, T stride, const uint4* own, u64 (*planes)[PLANES]) {
#pragma unroll
    for (int w = 0; w < WORDS; w++)
#pragma unroll
        for (int p = 0; p < PLANES; p++) planes[w][p] = 0;
#pragma unroll UNROLLED
    for (int g = 0; g < FULL; g++) {
        uint4 one = own[2 * g], two = own[2 * g + 1];
        Words a = *(const Words*)(bits + one.x * stride), b = *(const Words*)(bits + one.y * stride);
        Words c = *(const Words*)(bits + one.z * stride), d = *(const Words*)(bits + one.w * stride);
        Words e = *(const Words*)(bits + two.x * stride), f = *(const Words*)(bits + two.y * stride);
        Words last = *(const Words*)(bits + two.z * stride);
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            add_sets(a.at[w], b.at[w], c.at[w], d.at[w], e.at[w], f.at[w], last.at[w], planes[w]);
    }
#if REST < 7
    uint4 rest = own[2 * FULL];
    Words a = *(const Words*)(bits + rest.x * stride);
#if REST == 3
    Words b = *(const Words*)(bits + rest.y * stride), c = *(const Words*)(bits + rest.z * stride);
#endif
#pragma unroll
    for (int w = 0; w < WORDS; w++)
#if REST == 3
        add_sets(a.at[w], b.at[w], c.at[w], planes[w]);
#else
        add_sets(a.at[w], planes[w]);
#endif
#endif
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

// Where a value's set is; what agrees with nothing points at the empty set.
struct Places {
    const int* starts;
    const long long* offsets;
    const int* set_of_value;
    int n_empty;

    __device__ __forceinline__ int of(int attribute, int code) const {
        if (code < 0) return n_empty;
        return starts[attribute] < 0 ? set_of_value[offsets[attribute] + code] : starts[attribute] + code;
    }
};

// The place of a number among the sets of a query; seven of eight are in use.
__device__ __forceinline__ int place_of(int number) {
    return number / 7 * 8 + number % 7;
}

// The sets of the attributes of lowest rank of each query, as select_by_rank chooses them.
extern "C" __global__ void point_by_rank(const Code* codes, int n_attributes, const long long* rank_starts,
                                         const int* ranks, const int* starts, const long long* offsets,
                                         const int* set_of_value, int n_empty, int n_queries, int n_most,
                                         unsigned* sets) {
    Places places = {starts, offsets, set_of_value, n_empty};
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        const Code* own = codes + query * n_attributes;
        unsigned* found = sets + query * GROUPS * 8;
        for (int i = LANE; i < GROUPS * 8; i += W)
            if (i % 8 == 7 || i / 8 * 7 + i % 8 >= n_most) found[i] = n_empty;
        for (int j = LANE; j < n_attributes; j += W) {
            int rank = ranks[rank_starts[j] + max((int)own[j], -1)], number = 0;
            for (int i = 0; i < n_attributes; i++) number += ranks[rank_starts[i] + max((int)own[i], -1)] < rank;
            if (number < n_most) found[place_of(number)] = places.of(j, own[j]);
        }
    }
}

// The sets of the attributes given for each query.
extern "C" __global__ void point_at_sets(const Code* codes, int n_attributes, const int* attributes, const int* counts,
                                         int n_most, const int* starts, const long long* offsets,
                                         const int* set_of_value, int n_empty, int n_queries, unsigned* sets) {
    Places places = {starts, offsets, set_of_value, n_empty};
    for (long long i = FIRST_THREAD; i < (long long)n_queries * GROUPS * 8; i += THREADS) {
        long long query = i / (GROUPS * 8);
        int place = (int)(i % (GROUPS * 8)), number = place / 8 * 7 + place % 8;
        bool used = place % 8 < 7 && number < counts[query];
        int attribute = used ? attributes[query * n_most + number] : 0;
        sets[i] = used ? places.of(attribute, codes[query * n_attributes + attribute]) : n_empty;
    }
}

// The k-th highest count among a sample of the rows: that among all rows is at least as high.
extern "C" __global__ void bound_levels(const u64* bits, const u64* live, const uint4* sets, int leaves_out,
                                        const long long* excluded, long long stride, int n_queries, int k, int* bounds) {
    long long n_tiles = stride / (W * WORDS);
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        u64 planes[SAMPLED][WORDS][PLANES], left[SAMPLED][WORDS];
#pragma unroll 1
        for (int i = 0; i < SAMPLED; i++) {
            // Tiles from all over the rows, which may be sorted.
            long long tile = n_tiles > SAMPLED ? i * n_tiles / SAMPLED : i;
            long long word = ((tile < n_tiles ? tile : 0) * W + LANE) * WORDS;
            sum_sets(bits + word, stride, sets + query * GROUPS * 2, planes[i]);
            for (int w = 0; w < WORDS; w++)
                left[i][w] = tile < n_tiles ? seen(live[word + w], word + w, leaves_out, excluded, query) : 0;
        }
        int level = 0, missing = k;
#pragma unroll 1
        for (int p = PLANES - 1; p >= 0; p--) {
            int count = 0;
            for (int i = 0; i < SAMPLED; i++)
                for (int w = 0; w < WORDS; w++) count += __popcll(left[i][w] & planes[i][w][p]);
            count = sum_of_warp(count);
            bool enough = count >= missing;
            level |= enough ? 1 << p : 0;
            missing -= enough ? 0 : count;
            for (int i = 0; i < SAMPLED; i++)
                for (int w = 0; w < WORDS; w++) left[i][w] &= enough ? planes[i][w][p] : ~planes[i][w][p];
        }
        if (LANE == 0) bounds[query] = level;
    }
}

// Rows at a query's bound and above it, by count and class.
extern "C" __global__ void match(const u64* bits, const u64* class_bits, const u64* live, const int* classes,
                                 const uint4* sets, const int* bounds, int leaves_out, const long long* excluded, int n_sets,
                                 long long stride, int n_queries, int n_levels, int* levels) {
    extern __shared__ u64 shared_space[];
    const int tile = W * WORDS;
    for (long long first = (long long)blockIdx.x * tile; first < stride; first += (long long)gridDim.x * tile) {
        long long word = first + LANE * WORDS;
#if SHARED
        __syncthreads();
        for (int i = threadIdx.x; i < n_sets * W; i += blockDim.x)
            ((Words*)shared_space)[i] = *(const Words*)(bits + (i / W) * stride + first + i % W * WORDS);
        __syncthreads();
        const u64* here = shared_space + LANE * WORDS;
        const unsigned step = tile;
#else
        const u64* here = bits + word;
        const long long step = stride;
#endif
        Words rows = *(const Words*)(live + word);
#if CLASSES <= MOST_HELD
        Words held[CLASSES];
#pragma unroll
        for (int c = 0; c < CLASSES; c++) held[c] = *(const Words*)(class_bits + c * stride + word);
#endif
        for (int query = FIRST_QUERY + WARP; query < LAST_QUERY; query += WARPS) {
            u64 planes[WORDS][PLANES], above[WORDS], at[WORDS], any_above = 0, any_at = 0;
            sum_sets(here, step, sets + (long long)query * GROUPS * 2, planes);
            int bound = bounds[query];
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                compare(planes[w], bound, &above[w], &at[w]);
                u64 mine = seen(rows.at[w], word + w, leaves_out, excluded, query);
                above[w] &= mine, at[w] &= mine;
                any_above |= above[w], any_at |= at[w];
            }
            if (!__any_sync(ALL, (any_above | any_at) != 0)) continue;
            int* own_levels = levels + (long long)query * n_levels * CLASSES;
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                for (; above[w]; above[w] &= above[w] - 1) {
                    int bit = __ffsll(above[w]) - 1;
                    int row_class = classes[(word + w) * 64 + bit];
                    atomicAdd(&own_levels[count_of(planes[w], bit) * CLASSES + row_class], 1);
                }
            if (!__any_sync(ALL, any_at != 0)) continue;
#if CLASSES <= MOST_HELD
#pragma unroll
#endif
            for (int c = 0; c < CLASSES; c++) {
                int count = 0;
#pragma unroll
                for (int w = 0; w < WORDS; w++)
#if CLASSES <= MOST_HELD
                    count += __popcll(at[w] & held[c].at[w]);
#else
                    count += at[w] ? __popcll(at[w] & class_bits[c * stride + word + w]) : 0;
#endif
                count = sum_of_warp(count);
                if (LANE == 0 && count) atomicAdd(&own_levels[bounds[query] * CLASSES + c], count);
            }
        }
    }
}

// Votes of the rows at or above the k-th level, those of rows just at it, and the level, which
// takes the place of the bound.
extern "C" __global__ void decide(const int* levels, int n_queries, int n_levels, int k, int* votes, int* tied,
                                  int* thresholds) {
    for (long long query = FIRST_THREAD; query < n_queries; query += THREADS) {
        int *all = votes + query * CLASSES, *last = tied + query * CLASSES;
        for (int c = 0; c < CLASSES; c++) all[c] = 0;
        int level = n_levels, total = 0;
        do {
            level--;
            const int* own = levels + (query * n_levels + level) * CLASSES;
            for (int c = 0; c < CLASSES; c++) last[c] = own[c], all[c] += own[c], total += own[c];
        } while (total < k && level > thresholds[query]);
        thresholds[query] = level;
    }
}

// The rows at or above each query's level, and on how many attributes they agree.
extern "C" __global__ void list_voters(const u64* bits, const u64* live, const uint4* sets, const int* levels,
                                       int leaves_out, const long long* excluded, long long stride, int n_queries,
                                       const long long* starts, int* filled, int* rows, int* counts) {
    for (long long first = (long long)blockIdx.x * W; first * WORDS < stride; first += (long long)gridDim.x * W) {
        long long word = (first + LANE) * WORDS;
        for (int query = FIRST_QUERY + WARP; query < LAST_QUERY; query += WARPS) {
            u64 planes[WORDS][PLANES];
            sum_sets(bits + word, stride, sets + (long long)query * GROUPS * 2, planes);
            for (int w = 0; w < WORDS; w++) {
                u64 above, at, own = seen(live[word + w], word + w, leaves_out, excluded, query);
                compare(planes[w], levels[query], &above, &at);
                for (u64 voting = (above | at) & own; voting; voting &= voting - 1) {
                    int bit = __ffsll(voting) - 1;
                    long long place = starts[query] + atomicAdd(&filled[query], 1);
                    rows[place] = (int)((word + w) * 64 + bit), counts[place] = count_of(planes[w], bit);
                }
            }
        }
    }
}
