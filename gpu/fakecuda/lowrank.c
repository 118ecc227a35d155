// The volumes of a 4-D series together, see kernels/lowrank.cu, in double and patch by patch.
#include "fake.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    Box in, out;
    float *weight;
    void *scratch;
    int64_t block;
    int32_t volumes, width[3];
    struct { int32_t first, stride, last, count; } starts[3];
    int32_t size, chunk;
} LowrankParams;

typedef struct {
    Box in, estimates, marks, out;
    int32_t dims[3], volumes;
    double limit;
} LowrankLimitParams;

static float *row(const Box *b, int volumes, const int *i) { return (float *)b->data + boxIndex(b, i[0] * (volumes + 1), i[1], i[2]); }

// diagonalise turns rows and columns of a, of size n x n, until it is diagonal; the rows of v are its eigenvectors.
static void diagonalise(double *a, double *v, int n)
{
    double trace = 0;
    for (int i = 0; i < n; i++) trace += a[i * n + i];
    for (int i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
    for (int sweep = 0, turned = 1; turned && sweep < 50; sweep++) {
        turned = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                double b = a[i * n + j];
                if (!(fabs(b) > 1e-15 * trace)) continue;
                turned = 1;
                double tau = (a[j * n + j] - a[i * n + i]) / (2 * b), t = copysign(1, tau) / (fabs(tau) + hypot(1, tau)), c = 1 / hypot(1, t), s = t * c;
                for (int k = 0; k < 3 * n; k++) {
                    double *x = k < n ? &a[i * n + k] : k < 2 * n ? &a[(k - n) * n + i] : &v[i * n + k - 2 * n];
                    double *y = k < n ? &a[j * n + k] : k < 2 * n ? &a[(k - n) * n + j] : &v[j * n + k - 2 * n], u = *x;
                    *x = c * u - s * *y;
                    *y = s * u + c * *y;
                }
            }
    }
}

static double shrink(double square, int m, int n)
{
    int longer = m > n ? m : n, shorter = m + n - longer;
    if (m == 0) return 0;
    double beta = (double)shorter / longer, y = square / longer, edge = 1 + sqrt(beta), d = y - beta - 1;
    return y > edge * edge ? sqrt(fmax(d * d - 4 * beta, 0)) / y : 0;
}

static void lowrankPatch(const LowrankParams *p, const int *first)
{
    int n = p->volumes, most = p->width[0] * p->width[1] * p->width[2], m = 0;
    int(*used)[3] = malloc(most * sizeof *used);
    double *y = malloc(8 * most * n), *mean = calloc(n, 8), variance = 0;
    for (int e = 0; e < most; e++) {
        int i[3] = {first[0] + e % p->width[0], first[1] + e / p->width[0] % p->width[1], first[2] + e / p->width[0] / p->width[1]};
        const float *x = row(&p->in, n, i);
        if (!(x[n] > 0)) continue;
        variance += (double)x[n] * x[n];
        for (int c = 0; c < n; c++) mean[c] += y[m * n + c] = x[c];
        for (int c = 0; c < 3; c++) used[m][c] = i[c];
        m++;
    }
    int size = m < n ? m : n, rank = 0;
    double *a = calloc(size * size + 1, 8), *v = malloc(8 * size * size + 8), *part = malloc(8 * n), *estimate = calloc(m * n + 1, 8);
    for (int k = 0; k < m * n; k++) y[k] -= mean[k % n] / m;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            for (int k = 0; k < m + n - size; k++) a[i * size + j] += size == n ? y[k * n + i] * y[k * n + j] : y[i * n + k] * y[j * n + k];
    diagonalise(a, v, size);
    for (int j = 0; j < size; j++) {
        double f = shrink(a[j * size + j] / (variance / m), m - 1, n);
        if (f == 0) continue;
        rank++;
        const double *w = &v[j * size];
        for (int c = 0; c < n; c++) {
            part[c] = 0;
            for (int k = 0; k < m && size < n; k++) part[c] += w[k] * y[k * n + c];
        }
        for (int k = 0; k < m; k++) {
            double along = 0;
            for (int c = 0; c < n && size == n; c++) along += y[k * n + c] * w[c];
            for (int c = 0; c < n; c++) estimate[k * n + c] += f * (size == n ? along * w[c] : w[k] * part[c]);
        }
    }
    for (int k = 0; k < m; k++) {
        if (used[k][1] < p->out.min[1] || used[k][1] >= p->out.max[1] || used[k][2] < p->out.min[2] || used[k][2] >= p->out.max[2]) continue;
        float *sum = row(&p->out, n, used[k]), weight = 1.f / (1 + rank);
        for (int c = 0; c < n; c++) sum[c] += weight * (float)(mean[c] / m + estimate[k * n + c]);
        sum[n] += weight * rank;
        p->weight[(sum - (float *)p->out.data) / (n + 1)] += weight;
    }
    free(used), free(y), free(mean), free(a), free(v), free(part), free(estimate);
}

void lowrankPatches(const void *args)
{
    const LowrankParams *p = args;
    int count = p->starts[0].count * p->starts[1].count * p->starts[2].count;
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        int k[3] = {i % p->starts[0].count, i / p->starts[0].count % p->starts[1].count, i / p->starts[0].count / p->starts[1].count}, first[3];
        for (int c = 0; c < 3; c++) {
            int start = p->starts[c].first + k[c] * p->starts[c].stride;
            first[c] = start < p->starts[c].last ? start : p->starts[c].last;
        }
        lowrankPatch(p, first);
    }
}

static size_t voxels(const Box *b) { return (size_t)(b->max[0] - b->min[0]) * (b->max[1] - b->min[1]) * (b->max[2] - b->min[2]); }

void lowrankClear(const void *args)
{
    const LowrankParams *p = args;
    for (size_t i = 0; i < voxels(&p->out); i++) ((float *)p->out.data)[i] = p->weight[i / (p->volumes + 1)] = 0;
}

// placeOf returns the place of a value of a joined box, and its number there in c.
static void placeOf(const Box *b, int volumes, size_t i, int *at, int *c)
{
    int across = b->max[0] - b->min[0], down = b->max[1] - b->min[1], x = b->min[0] + i % across;
    at[0] = x / (volumes + 1), at[1] = b->min[1] + i / across % down, at[2] = b->min[2] + i / across / down;
    *c = x % (volumes + 1);
}

void lowrankAverage(const void *args)
{
    const LowrankParams *p = args;
    for (size_t i = 0; i < voxels(&p->out); i++) {
        int at[3], c;
        placeOf(&p->out, p->volumes, i, at, &c);
        float *sum = (float *)p->out.data + i, weight = p->weight[i / (p->volumes + 1)];
        *sum = weight > 0 ? *sum / weight : c < p->volumes ? row(&p->in, p->volumes, at)[c] : 0;
    }
}

// removed returns what was removed of a voxel, and the most that may be.
static double removed(const LowrankLimitParams *p, const int *at, int c, double *most)
{
    const float *in = row(&p->in, p->volumes, at);
    *most = p->limit * in[p->volumes];
    return (double)in[c] - row(&p->estimates, p->volumes, at)[c];
}

// common returns the mark of a place: the mean over the volumes of what was removed, in standard deviations of noise.
static double common(const LowrankLimitParams *p, const int *at)
{
    double most, sum = 0, spread = 0, sigma = row(&p->in, p->volumes, at)[p->volumes];
    for (int c = 0; c < p->volumes; c++) {
        const double r = removed(p, at, c, &most);
        sum += r;
        spread += r * r;
    }
    return sigma > 0 ? sum / sqrt(fmax(spread, p->volumes * sigma * sigma)) : 0;
}

static void lowrankLimit(const LowrankLimitParams *p, int restore)
{
    for (size_t i = 0; i < voxels(&p->out); i++) {
        int at[3], c;
        placeOf(&p->out, p->volumes, i, at, &c);
        double most, r = removed(p, at, c, &most), sum = 0, squares = 0;
        int beyond = fabs(r) > most, n = 0;
        for (int e = 0; e < 27; e++) {
            int j[3] = {at[0] + e % 3 - 1, at[1] + e / 3 % 3 - 1, at[2] + e / 9 - 1}, inside = 1;
            for (int k = 0; k < 3; k++) inside = inside && j[k] >= 0 && j[k] < p->dims[k];
            if (!inside) continue;
            if (restore) {
                const double mean = row(&p->marks, p->volumes, j)[p->volumes];
                beyond = beyond || row(&p->marks, p->volumes, j)[c] > 0;
                if (e / 9 == 1) squares += mean * mean, n += row(&p->in, p->volumes, j)[p->volumes] > 0;
                continue;
            }
            double limit, d = removed(p, j, c, &limit);
            if (limit > 0 && fabs(d) <= limit) sum += d, squares += limit * limit;
        }
        const int counts = c < p->volumes && most > 0;
        float *out = (float *)p->out.data + i;
        if (!restore) {
            *out = c < p->volumes ? counts && sum * sum > squares : common(p, at);
            continue;
        }
        *out = counts && beyond ? FLT_MAX : row(&p->estimates, p->volumes, at)[c];
        if (counts && !beyond && squares > n + 5 * sqrt(2.0 * n))
            *out += row(&p->marks, p->volumes, at)[p->volumes] * most / p->limit / sqrt(p->volumes);
    }
}

void lowrankMark(const void *args) { lowrankLimit(args, 0); }
void lowrankRestore(const void *args) { lowrankLimit(args, 1); }
