// Local models of every size at once: the recursion of kernels/least_squares.py, a warp per
// query. Sums are added in another order than on the CPU, so that values agree to rounding.
//
// -DSHARED 1: what a warp works on is in shared memory; 0: it is too large for it

#define INFINITE __longlong_as_double(0x7FF0000000000000ll)
#define UNKNOWN __longlong_as_double(0x7FF8000000000000ll)
#define ZERO_SCORE 1e-20  // as in kernels/least_squares.py

__device__ __forceinline__ int count_terms(int d, int degree) {
    return 1 + (degree > 0 ? d : 0) + (degree > 1 ? d * (d + 1) / 2 : 0);
}

struct Problem {
    int d, n_targets, most, n_terms;  // regressors, targets, neighbors and coefficients at most
    double prior_variance;
    bool as_in_r;
};

// One query and its neighbors.
struct Work {
    // The state of the recursion.
    double *terms;     // (n_terms, most), times sqrt(weight)
    double *variance;  // (n_terms, n_terms)
    double *theta;     // (n_targets, n_terms)
    double *gain;      // (n_terms,)
    double *priors;    // (n_terms,)
    double *leverage;  // (most,)
    double *residual;  // (n_targets, most), times sqrt(weight)
    double *steps;     // (n_targets,)
    // What is kept of every size.
    double *thetas;       // (3, most, n_targets, n_terms)
    double *scores;       // (n_targets, 3, most)
    double *values;       // (n_targets, most)
    double *weights;      // (most,)
    double *roots;        // (most,)
    double *weight_sums;  // (most,)
    // Of rows that have equal inputs.
    double *spreads;  // (n_targets, most), times the weight
    double *sizes;    // (most,), how many they are
    double *firsts;   // (most,), the first neighbor that is alike
    double *counts;   // (most,), of the first of them: how many are taken in
};

// Rows of equal inputs (flow.Pools); null where no row is like another.
struct Pools {
    const double *means, *spreads, *weights, *sizes;
    const long long *firsts;
};

__device__ __forceinline__ Work lay_out(const Problem& p, double* state, double* kept) {
    Work w;
    w.terms = state, state += (long long)p.n_terms * p.most;
    w.variance = state, state += (long long)p.n_terms * p.n_terms;
    w.theta = state, state += p.n_targets * p.n_terms;
    w.gain = state, state += p.n_terms;
    w.priors = state, state += p.n_terms;
    w.leverage = state, state += p.most;
    w.residual = state, state += p.n_targets * p.most;
    w.steps = state;
    w.thetas = kept, kept += 3ll * p.most * p.n_targets * p.n_terms;
    w.scores = kept, kept += 3ll * p.n_targets * p.most;
    w.values = kept, kept += p.n_targets * p.most;
    w.weights = kept, kept += p.most;
    w.roots = kept, kept += p.most;
    w.weight_sums = kept, kept += p.most;
    w.spreads = kept, kept += p.n_targets * p.most;
    w.sizes = kept, kept += p.most;
    w.firsts = kept, kept += p.most;
    w.counts = kept;
    return w;
}

// The neighbors' targets and weights; returns how many there are.
__device__ int gather(const Problem& p, const Work& w, const long long* rows, const double* targets,
                      const double* weights, int weighted) {
    int found = 0;
    for (int i = LANE; i < p.most; i += W) {
        if (rows[i] < 0) continue;
        found++;
        w.weights[i] = weighted ? weights[rows[i]] : 1;
        w.roots[i] = sqrt(w.weights[i]);
        w.weight_sums[i] = i + 1;
        for (int t = 0; t < p.n_targets; t++) w.values[t * p.most + i] = targets[rows[i] * p.n_targets + t];
    }
    found = sum_of_warp(found);
    __syncwarp();
    if (weighted && LANE == 0) {
        double total = 0;
        for (int i = 0; i < found; i++) w.weight_sums[i] = total += w.weights[i];
    }
    for (int i = LANE; i < 3 * p.n_targets * p.most; i += W) w.scores[i] = UNKNOWN;
    __syncwarp();
    return found;
}

// Let neighbors stand for all rows alike; returns whether any is like another.
__device__ bool gather_pools(const Problem& p, const Work& w, const Pools& pools, long long query, int n_rows) {
    if (!pools.sizes) return false;
    long long first = query * p.most;
    int pooled = 0;
    for (int i = LANE; i < n_rows; i += W) pooled += pools.sizes[first + i] > 1;
    if (!sum_of_warp(pooled)) return false;
    for (int i = LANE; i < n_rows; i += W) {
        w.weights[i] = pools.weights[first + i];
        w.roots[i] = sqrt(w.weights[i]);
        w.sizes[i] = pools.sizes[first + i];
        w.firsts[i] = (double)pools.firsts[first + i];
        for (int t = 0; t < p.n_targets; t++) {
            w.values[t * p.most + i] = pools.means[(first + i) * p.n_targets + t];
            w.spreads[t * p.most + i] = pools.spreads[(first + i) * p.n_targets + t] * w.weights[i];
        }
    }
    __syncwarp();
    if (LANE == 0) {
        double total = 0;
        for (int i = 0; i < n_rows; i++) w.weight_sums[i] = total += w.weights[i];
    }
    __syncwarp();
    return true;
}

// Take in neighbor k: those alike before it share in it.
__device__ __forceinline__ void take_in(const Work& w, int k) {
    if (LANE == 0) {
        int first = (int)w.firsts[k];
        w.counts[first] = first == k ? 1 : w.counts[first] + 1;
    }
    __syncwarp();
}

// The squared leave-one-out error of a neighbor, or the mean of all rows alike.
__device__ __forceinline__ double loo_square(const Problem& p, const Work& w, bool pooled, int target, int i,
                                             double residual, double leverage) {
    double spread = 0;
    if (pooled) {
        leverage *= w.counts[(int)w.firsts[i]] / w.sizes[i];
        spread = w.spreads[target * p.most + i];
    }
    double error = residual / (1 - leverage);
    return error * error + spread / (1 - leverage) / (1 - leverage);
}

__device__ __forceinline__ double centered(const double* regressors, const double* query, long long row, int d, int j) {
    double difference = regressors[row * d + j] - query[j];
    return difference == difference ? difference : 0;  // what is missing stands where the query stands
}

// The prior variances; those of slopes are relative to the neighbors' mean square.
__device__ void set_priors(const Problem& p, const Work& w, const double* regressors, const double* query,
                           const long long* rows, int n_rows) {
    double total = 0;
    for (int i = LANE; i < (p.as_in_r ? 0 : n_rows); i += W)
        for (int j = 0; j < p.d; j++) {
            double x = centered(regressors, query, rows[i], p.d, j);
            total += w.weights[i] * x * x;
        }
    total = sum_of_warp(total);
    double square = total > 0 ? total / (w.weight_sums[n_rows - 1] * p.d) : 1;
    for (int a = LANE; a < p.n_terms; a += W)
        w.priors[a] = p.prior_variance / (a == 0 ? 1 : a <= p.d ? square : square * square);
    __syncwarp();
}

__device__ void fill_terms(const Problem& p, const Work& w, const double* regressors, const double* query,
                           const long long* rows, int n_rows, int degree) {
    for (int i = LANE; i < n_rows; i += W) {
        double* own = w.terms + i;
        own[0] = w.roots[i];
        for (int j = 0; j < p.d; j++) own[(1 + j) * p.most] = centered(regressors, query, rows[i], p.d, j);
        int term = 1 + p.d;
        for (int a = 0; a < (degree == 2 ? p.d : 0); a++)
            for (int b = a; b < p.d; b++, term++)
                own[term * p.most] = own[(1 + a) * p.most] * own[(1 + b) * p.most] * w.roots[i];
        for (int j = 0; j < p.d; j++) own[(1 + j) * p.most] *= w.roots[i];
    }
    __syncwarp();
}

// The state before the recursion; returns how many neighbors it has taken in.
__device__ int begin(const Problem& p, const Work& w, int n_terms) {
    for (int i = LANE; i < n_terms * n_terms; i += W) w.variance[i] = 0;
    for (int i = LANE; i < p.n_targets * n_terms; i += W) w.theta[i] = 0;
    __syncwarp();
    double root = w.roots[0], squares = 0;
    for (int a = LANE; a < n_terms; a += W) {
        w.variance[a * n_terms + a] = w.priors[a];
        if (p.as_in_r || a == 0) continue;
        double x = w.terms[(long long)a * p.most] / root;
        w.variance[a] = w.variance[a * n_terms] = -w.priors[a] * x;
        squares += w.priors[a] * x * x;
    }
    squares = sum_of_warp(squares);
    __syncwarp();
    if (!p.as_in_r && LANE == 0) {
        w.variance[0] = 1 / w.weights[0] + squares;
        w.leverage[0] = 1;
        for (int t = 0; t < p.n_targets; t++) {
            w.theta[t * n_terms] = w.values[t * p.most];
            w.residual[t * p.most] = 0;
        }
    }
    __syncwarp();
    return p.as_in_r ? 0 : 1;
}

// Models and scores of the first k neighbors, from k = start on.
__device__ void grow_models(const Problem& p, const Work& w, int n_rows, int degree, int start, int n_scored,
                            bool pooled) {
    int n_terms = count_terms(p.d, degree), most = p.most, begun = begin(p, w, n_terms);
    if (pooled && begun) take_in(w, 0);
    for (int k = begun; k < n_rows; k++) {
        if (pooled) take_in(w, k);
        double along_new = 0;
        for (int a = LANE; a < n_terms; a += W) {
            double gain = 0;
            for (int b = 0; b < n_terms; b++) gain += w.variance[b * n_terms + a] * w.terms[(long long)b * most + k];
            w.gain[a] = gain;
            along_new += w.terms[(long long)a * most + k] * gain;
        }
        double share = 1 / (1 + sum_of_warp(along_new));
        __syncwarp();
        for (int t = 0; t < p.n_targets; t++) {
            double* theta = w.theta + t * n_terms;
            double predicted = 0;
            for (int a = LANE; a < n_terms; a += W) predicted += w.terms[(long long)a * most + k] * theta[a];
            double step = (w.values[t * most + k] * w.roots[k] - sum_of_warp(predicted)) * share;
            double* kept = w.thetas + (((long long)degree * most + k) * p.n_targets + t) * p.n_terms;
            for (int a = LANE; a < n_terms; a += W) kept[a] = theta[a] += w.gain[a] * step;
            if (LANE == 0) w.steps[t] = step;
        }
        for (int a = LANE; a < n_terms; a += W) {
            double scaled = w.gain[a] * share;
            for (int b = 0; b < n_terms; b++) w.variance[b * n_terms + a] -= scaled * w.gain[b];
        }
        __syncwarp();
        for (int i = LANE; i <= k; i += W) {
            double along = 0;
            for (int a = 0; a < (i < k ? n_terms : 0); a++) along += w.terms[(long long)a * most + i] * w.gain[a];
            w.leverage[i] = i < k ? w.leverage[i] - share * along * along : 1 - share;
            for (int t = 0; t < p.n_targets; t++) {
                double* residual = w.residual + t * most + i;
                *residual = i < k ? *residual - w.steps[t] * along : w.steps[t];
            }
        }
        __syncwarp();
        if (k + 1 < start) continue;
        int scored = n_scored > 0 ? min(k + 1, n_scored) : k + 1;
        for (int t = 0; t < p.n_targets; t++) {
            double total = 0;
            for (int i = LANE; i < scored; i += W)
                total += loo_square(p, w, pooled, t, i, w.residual[t * most + i], w.leverage[i]);
            total = sum_of_warp(total);
            if (LANE == 0) w.scores[(t * 3 + degree) * most + k] = total / w.weight_sums[k];
        }
    }
    __syncwarp();
}

// Weighted means of the first k targets, and their scores, from k = start on.
__device__ void grow_means(const Problem& p, const Work& w, int n_rows, int target, int start, int n_scored,
                           bool pooled) {
    const double* values = w.values + target * p.most;
    bool on_r_scale = p.as_in_r && n_scored > 0;
    double mean = 0;
    for (int k = 0; k < n_rows; k++) {
        if (pooled) take_in(w, k);
        double weight_sum = w.weight_sums[k];
        mean += (values[k] - mean) * (w.weights[k] / weight_sum);
        if (LANE == 0) w.thetas[((long long)k * p.n_targets + target) * p.n_terms] = mean;
        if (k + 1 < start) continue;
        int scored = n_scored > 0 ? min(k + 1, n_scored) : k + 1;
        double total = 0;
        for (int i = LANE; i < scored; i += W) {
            double residual = (values[i] - mean) * w.roots[i];
            double leverage = on_r_scale ? 0 : w.weights[i] / weight_sum;
            total += loo_square(p, w, pooled, target, i, residual, leverage);
        }
        total = sum_of_warp(total);
        double score = on_r_scale ? scored / (scored - 1.0) * total : total / weight_sum;
        if (LANE == 0) w.scores[target * 3 * p.most + k] = score;
    }
    __syncwarp();
}

// The chosen (degree, k) and their scores, best first, then -1 and NaN. Equal scores: the
// lower degree, then the smaller k.
__device__ void choose(const Problem& p, const Work& w, int n_rows, int target, const long long* ranges,
                       const long long* best, int n_best, long long* models, double* scores) {
    int n_chosen = 0;
    for (int only = -1; only < 3; only++)
        for (int left = (int)best[only + 1]; left > 0; left--) {
            double lowest = INFINITE;
            int place = 3 * p.most;
            for (int degree = 0; degree < 3; degree++) {
                if (ranges[degree * 3] == 0 || (only >= 0 && only != degree)) continue;
                double* own = w.scores + (target * 3 + degree) * p.most;
                int end = min((int)ranges[degree * 3 + 1], n_rows);
                for (int k = (int)ranges[degree * 3] - 1 + LANE; k < end; k += W)
                    if (own[k] < lowest) lowest = own[k], place = degree * p.most + k;
            }
#pragma unroll
            for (int apart = W / 2; apart; apart >>= 1) {
                double other = __shfl_xor_sync(ALL, lowest, apart);
                int there = __shfl_xor_sync(ALL, place, apart);
                if (other < lowest || (other == lowest && there < place)) lowest = other, place = there;
            }
            if (place == 3 * p.most) break;
            if (LANE == 0) {
                models[n_chosen * 2] = place / p.most, models[n_chosen * 2 + 1] = place % p.most + 1;
                scores[n_chosen] = lowest;
                w.scores[target * 3 * p.most + place] = UNKNOWN;  // taken
            }
            n_chosen++;
            __syncwarp();
        }
    for (int m = n_chosen + LANE; m < n_best; m += W)
        models[m * 2] = models[m * 2 + 1] = -1, scores[m] = UNKNOWN;
    __syncwarp();
}

// The mean of the chosen models weighted by 1/score, and the same of their scores.
__device__ void combine(const Problem& p, const Work& w, int n_rows, int target, int n_best, const long long* models,
                        const double* scores, double* coefficients, double* error) {
    const double* values = w.values + target * p.most;
    if (n_best == 0 || models[0] < 0) {
        double mean = 0;
        for (int i = LANE; i < n_rows; i += W) mean += w.weights[i] / w.weight_sums[n_rows - 1] * values[i];
        mean = sum_of_warp(mean);
        for (int a = LANE; a < p.n_terms; a += W) coefficients[a] = a > 0 ? 0 : n_rows > 0 ? mean : UNKNOWN;
        if (LANE == 0) *error = UNKNOWN;
        return;
    }
    double total = 0, sum = 0;
    for (int m = 0; m < n_best && models[m * 2] >= 0; m++) total += 1 / (scores[m] > 0 ? scores[m] : ZERO_SCORE);
    for (int m = 0; m < n_best && models[m * 2] >= 0; m++)
        sum += 1 / (scores[m] > 0 ? scores[m] : ZERO_SCORE) / total * scores[m];
    for (int a = LANE; a < p.n_terms; a += W) {
        double first = 0, value = 0;
        for (int m = 0; m < n_best && models[m * 2] >= 0; m++) {
            int degree = (int)models[m * 2], k = (int)models[m * 2 + 1] - 1;
            const double* theta = w.thetas + (((long long)degree * p.most + k) * p.n_targets + target) * p.n_terms;
            double own = a < count_terms(p.d, degree) ? theta[a] : 0;
            if (m == 0) first = value = own;
            value += 1 / (scores[m] > 0 ? scores[m] : ZERO_SCORE) / total * (own - first);
        }
        coefficients[a] = value;
    }
    if (LANE == 0) *error = sum;
}

extern "C" __global__ void fit_models(const double* regressors, int n_regressors, const double* targets, int n_targets,
                                      const double* weights, int weighted, const long long* ranges,
                                      const long long* best, int n_best, double prior_variance, int as_in_r,
                                      const double* queries, const long long* neighbors, const double* means,
                                      const double* spreads, const double* pool_weights, const double* sizes,
                                      const long long* firsts, int pooled, int n_most, int n_terms, int n_queries,
                                      double* states, long long state_size, double* kept, long long kept_size,
                                      double* coefficients, double* errors, long long* models, double* scores) {
    extern __shared__ u64 shared_space[];
    Problem p = {n_regressors, n_targets, n_most, n_terms, prior_variance, as_in_r != 0};
#if SHARED
    double* state = (double*)shared_space + WARP * state_size;
#else
    double* state = states + FIRST_WARP * state_size;
#endif
    Work w = lay_out(p, state, kept + FIRST_WARP * kept_size);
    Pools pools = {means, spreads, pool_weights, pooled ? sizes : nullptr, firsts};
    for (long long query = FIRST_WARP; query < n_queries; query += ALL_WARPS) {
        const double* asked = queries + query * n_regressors;
        const long long* rows = neighbors + query * n_most;
        int n_rows = gather(p, w, rows, targets, weights, weighted);
        bool is_pooled = gather_pools(p, w, pools, query, n_rows);
        set_priors(p, w, regressors, asked, rows, n_rows);
        for (int degree = 0; degree < 3; degree++) {
            int least = (int)ranges[degree * 3], end = min((int)ranges[degree * 3 + 1], n_rows);
            int n_scored = (int)ranges[degree * 3 + 2];
            if (least == 0 || n_rows == 0) continue;
            if (degree == 0)
                for (int t = 0; t < n_targets; t++) grow_means(p, w, end, t, least, n_scored, is_pooled);
            else {
                fill_terms(p, w, regressors, asked, rows, end, degree);
                grow_models(p, w, end, degree, least, n_scored, is_pooled);
            }
        }
        for (int t = 0; t < n_targets; t++) {
            long long place = query * n_targets + t;
            choose(p, w, n_rows, t, ranges, best, n_best, models + place * n_best * 2, scores + place * n_best);
            combine(p, w, n_rows, t, n_best, models + place * n_best * 2, scores + place * n_best,
                    coefficients + place * n_terms, errors + place);
        }
        __syncwarp();
    }
}
