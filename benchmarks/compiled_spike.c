/* The query of kernel models in C: distances, similarities, sums; see compiled_spike.py.

   The same additions in the same order as `sum_similarities` of
   `sklazy.kernels.kernel_models`, rows in blocks that stay in the cache. */

#include <math.h>

#define BLOCK 1024

static void add_column(long n, double *distances, const double *column, double value,
                       double weight, double gap, double mismatch, int nominal)
{
    if (isnan(value)) {
        for (long i = 0; i < n; i++)
            distances[i] += column[i] != column[i] ? 0.0 : gap;
    } else if (nominal) {
        for (long i = 0; i < n; i++) {
            double other = column[i] == value ? 0.0 : weight * mismatch;
            distances[i] += column[i] != column[i] ? gap : other;
        }
    } else {
        for (long i = 0; i < n; i++) {
            double difference = fabs(column[i] - value);
            distances[i] += difference != difference ? gap : weight * difference;
        }
    }
}

void sum_similarities(long n_rows, long stride, long n_columns, const double *values,
                      const double *weights, const double *absents,
                      const unsigned char *nominal, double mismatch, long n_queries,
                      const double *queries, double rate, long n_targets,
                      const double *coefficients, double *sums)
{
    double distances[BLOCK];
    for (long k = 0; k < n_queries * n_targets; k++)
        sums[k] = 0.0;
    for (long first = 0; first < n_rows; first += BLOCK) {
        long n = n_rows - first < BLOCK ? n_rows - first : BLOCK;
        for (long q = 0; q < n_queries; q++) {
            for (long i = 0; i < n; i++)
                distances[i] = 0.0;
            for (long j = 0; j < n_columns; j++)
                if (weights[j] != 0.0)
                    add_column(n, distances, values + j * stride + first,
                               queries[q * n_columns + j], weights[j],
                               weights[j] * absents[j], mismatch, nominal[j]);
#pragma omp simd
            for (long i = 0; i < n; i++)
                distances[i] = exp(-rate * distances[i]);
            for (long t = 0; t < n_targets; t++) {
                const double *own = coefficients + t * n_rows + first;
                double total = 0.0;
                for (long i = 0; i < n; i++)
                    total += distances[i] * own[i];
                sums[q * n_targets + t] += total;
            }
        }
    }
}
