// sadct as defined in docs/FILTERS.md, in double. The structs are those of
// kernels/sadct_params.cuh. kernels/ladder/sadct.h compiles this file as C++.
#include "fake.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kScales = 8, kLongest = 12, kSide = 23 };

typedef struct {
    Box in, voxels, mask, out;
    int32_t dims[3], count, lengths[kScales];
    double half[2][kScales], weights[kScales][kLongest];
} ScalesParams;

typedef struct {
    Box scales, in, pilot, voxels, mask, out, supports;
    int32_t from[3], to[3], dims[3], count, lengths[kScales], reach, overlap;
    double sigma, threshold;
    const double *deviations;
} StageParams;

typedef struct {
    double *to, rho[5][5], least;
    int32_t side, pad;
} DeviationsParams;

static const int steps[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

static int usable(const int32_t *dims, const Box *mask, int x, int y, int z)
{
    if (x < 0 || y < 0 || x >= dims[0] || y >= dims[1]) return 0;
    return !mask->data || ((const uint8_t *)mask->data)[boxIndex(mask, x, y, z)];
}

static int chosen(const ScalesParams *p, int x, int y, int z, int direction)
{
    const int *step = steps[direction];
    const double *half = p->half[direction % 2];
    double v0 = boxAt(&p->in, x, y, z), lower = -INFINITY, upper = INFINITY;
    for (int s = 0; s < p->count; s++) {
        double mu = 0;
        for (int j = 0; j < p->lengths[s]; j++) {
            int px = x + j * step[0], py = y + j * step[1];
            if (!usable(p->dims, &p->mask, px, py, z)) return s - 1;
            mu += p->weights[s][j] * (boxAt(&p->in, px, py, z) - v0);
        }
        lower = fmax(lower, mu - half[s]);
        upper = fmin(upper, mu + half[s]);
        if (lower > upper) return s - 1;
    }
    return p->count - 1;
}

void sadctScales(const void *args)
{
    const ScalesParams *p = (const ScalesParams *)args;
    const Box *o = &p->out;
    for (int z = o->min[2]; z < o->max[2]; z++)
        for (int y = o->min[1]; y < o->max[1]; y++)
            for (int x = o->min[0]; x < o->max[0]; x++) {
                float *out = (float *)o->data + boxIndex(o, x, y, z);
                if (!usable(p->dims, &p->mask, x, y, z)) {
                    *out = boxAt(&p->voxels, x, y, z);
                    continue;
                }
                int packed = 0;
                for (int d = 0; d < 8; d++) packed |= chosen(p, x, y, z, d) << 3 * d;
                *out = (float)packed;
            }
}

// Support holds the pixels of the support around (cx, cy): member[reach + dy][reach + dx].
typedef struct {
    uint8_t member[kSide][kSide];
    int cx, cy, n, side;
} Support;

static void polygon(const StageParams *p, int packed, Support *s)
{
    memset(s->member, 0, sizeof s->member);
    for (int d = 0; d < 8; d++) {
        int axis = d % 2 ? (d + 1) % 8 : d, diagonal = d % 2 ? d : d + 1, h[2];
        for (int i = 0; i < 2; i++) {
            int index = packed >> 3 * (i ? diagonal : axis) & 7;
            h[i] = p->lengths[index < p->count ? index : p->count - 1];
        }
        for (int e = 0; e < h[1]; e++) {
            int last = h[1] > 1 ? ((h[0] - 1) * (h[1] - 1) - e * (h[0] - h[1])) / (h[1] - 1) : h[0] - 1;
            for (int f = e; f <= last; f++) {
                int dx = e * steps[diagonal][0] + (f - e) * steps[axis][0], dy = e * steps[diagonal][1] + (f - e) * steps[axis][1];
                s->member[p->reach + dy][p->reach + dx] = 1;
            }
        }
    }
}

// used finds the pixels of the support; it is not used around an excluded pixel, or
// where enough others are.
static int used(const StageParams *p, Support *s, int cx, int cy, int z)
{
    if (!usable(p->dims, &p->mask, cx, cy, z)) return 0;
    s->cx = cx, s->cy = cy, s->n = 0, s->side = 2 * p->reach + 1;
    polygon(p, (int)boxAt(&p->scales, cx, cy, z), s);
    for (int i = 0; i < s->side; i++)
        for (int j = 0; j < s->side; j++) {
            if (!usable(p->dims, &p->mask, cx + j - p->reach, cy + i - p->reach, z)) s->member[i][j] = 0;
            s->n += s->member[i][j];
        }
    int order = 0;
    for (int b = 0; b < 3; b++) order |= (((cx ^ cy) >> b & 1) << 1 | (cy >> b & 1)) << 2 * (2 - b);
    return p->overlap == 0 || order * s->n < 64 * p->overlap;
}

// table[n][l][j] is the basis of the orthonormal DCT of length n, turned[n][j][l] the same.
static double table[kSide + 1][kSide][kSide], turned[kSide + 1][kSide][kSide];

__attribute__((constructor)) static void fillTable(void)
{
    for (int n = 1; n <= kSide; n++)
        for (int l = 0; l < n; l++)
            for (int j = 0; j < n; j++)
                table[n][l][j] = turned[n][j][l] = sqrt((l ? 2. : 1.) / n) * cos(M_PI * (2 * j + 1) * l / (2 * n));
}

// Coefficients are those of a support: u, c[k] are lines of the columns' pixels and of their
// k-th coefficients, without gaps.
typedef struct {
    double u[kSide][kSide], c[kSide][kSide], mean;
    int length[kSide], count[kSide];
} Coefficients;

static void transform(const StageParams *p, const Support *s, const Box *in, int z, Coefficients *t)
{
    double v0 = boxAt(in, s->cx, s->cy, z), line[kSide][kSide];
    t->mean = 0;
    memset(t->length, 0, sizeof t->length);
    memset(t->count, 0, sizeof t->count);
    for (int i = 0; i < s->side; i++)
        for (int j = 0; j < s->side; j++)
            if (s->member[j][i]) t->mean += t->u[i][t->length[i]++] = boxAt(in, s->cx + i - p->reach, s->cy + j - p->reach, z) - v0;
    t->mean /= s->n;
    for (int i = 0; i < s->side; i++) {
        const int n = t->length[i];
        double c[kSide] = {0};
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) c[k] += (t->u[i][j] - t->mean) * turned[n][j][k];
        for (int k = 0; k < n; k++) line[k][t->count[k]++] = c[k];
    }
    for (int k = 0; k < s->side; k++) {
        const int n = t->count[k];
        memset(t->c[k], 0, sizeof t->c[k]);
        for (int j = 0; j < n; j++)
            for (int l = 0; l < n; l++) t->c[k][l] += line[k][j] * turned[n][j][l];
    }
}

// invert computes the estimate less the pixel in t->u.
static void invert(const Support *s, Coefficients *t)
{
    double line[kSide][kSide] = {{0}};
    int at[kSide] = {0};
    for (int k = 0; k < s->side; k++)
        for (int l = 0, n = t->count[k]; l < n; l++)
            for (int j = 0; t->c[k][l] != 0 && j < n; j++) line[k][j] += t->c[k][l] * table[n][l][j];
    for (int i = 0; i < s->side; i++) {
        const int n = t->length[i];
        for (int j = 0; j < n; j++) t->u[i][j] = t->mean - t->u[i][j];
        for (int k = 0; k < n; k++, at[k - 1]++)
            for (int j = 0; j < n && line[k][at[k]] != 0; j++) t->u[i][j] += line[k][at[k]] * table[n][k][j];
    }
}

// deviation returns the standard deviation of coefficient (k, l) in noise of sigma 1.
static double deviation(const StageParams *p, const Support *s, const Coefficients *t, int k, int l)
{
    if (!p->deviations) return 1;
    int longest = 0;
    for (int i = 0; i < s->side; i++)
        if (t->length[i] > longest) longest = t->length[i];
    const int rows = s->side * (s->side + 1) / 2, n = t->count[k];
    return p->deviations[(longest * (longest - 1) / 2 + k) * rows + n * (n - 1) / 2 + l];
}

// power returns the mean of the square of coefficient k of n samples times coefficient l of m others,
// of noise of sigma 1 on the grid of both.
static double power(const DeviationsParams *p, int n, int k, int m, int l)
{
    double sum = 0;
    for (int y = 0; y < n; y++)
        for (int j = y - 4; j <= y + 4; j++)
            for (int x = 0; j >= 0 && j < n && x < m; x++)
                for (int i = x - 4; i <= x + 4; i++)
                    if (i >= 0 && i < m) sum += table[n][k][y] * table[n][k][j] * table[m][l][x] * table[m][l][i] * p->rho[abs(j - y)][abs(i - x)];
    return sum;
}

void sadctDeviations(const void *args)
{
    const DeviationsParams *p = (const DeviationsParams *)args;
    double *to = p->to;
    for (int n = 1; n <= p->side; n++)
        for (int k = 0; k < n; k++)
            for (int m = 1; m <= p->side; m++)
                for (int l = 0; l < m; l++) *to++ = sqrt(fmax(power(p, n, k, m, l), p->least));
}

static double estimate(const StageParams *p, int wiener, const Support *s, int z, Coefficients *t, Coefficients *q)
{
    double sum = 0, limit = p->sigma * p->threshold * sqrt(2 * log(s->n) + 1);
    transform(p, s, &p->in, z, t);
    if (wiener) transform(p, s, &p->pilot, z, q);
    for (int k = 0; k < s->side; k++)
        for (int l = 0; l < t->count[k]; l++) {
            const double dev = deviation(p, s, t, k, l), x = wiener ? q->c[k][l] / (p->sigma * dev) : 0;
            double gain = fabs(t->c[k][l]) > limit * dev;
            if (wiener) gain = 1 - 1 / (1 + x * x);
            t->c[k][l] *= gain;
            sum += gain * gain;
        }
    invert(s, t);
    return 1 / ((1 + sum) * s->n);
}

// Scratch is what a stage leaves to the gather, as in kernels/sadct.cu.
typedef struct {
    float *estimates;
    uint32_t *rows;
    float *weights;
    size_t count;
} Scratch;

static Scratch scratchOf(const StageParams *p)
{
    const Box *b = &p->supports;
    const size_t side = 2 * p->reach + 1;
    Scratch s;
    s.count = (size_t)(b->max[0] - b->min[0]) * (b->max[1] - b->min[1]) * (b->max[2] - b->min[2]);
    s.estimates = (float *)b->data;
    s.rows = (uint32_t *)(s.estimates + s.count * side * side);
    s.weights = (float *)(s.rows + s.count * side);
    return s;
}

static void supportsOfSlice(const StageParams *p, int wiener, int z)
{
    const Box *b = &p->supports;
    const Scratch to = scratchOf(p);
    Coefficients *t = (Coefficients *)malloc(2 * sizeof *t);
    Support s;
    for (int cy = b->min[1]; cy < b->max[1]; cy++)
        for (int cx = b->min[0]; cx < b->max[0]; cx++) {
            const size_t c = boxIndex(b, cx, cy, z), side = 2 * p->reach + 1;
            const int ok = used(p, &s, cx, cy, z);
            to.weights[c] = ok ? (float)estimate(p, wiener, &s, z, t, t + 1) : 0;
            int above[kSide] = {0}; // pixels of each column
            for (size_t i = 0; i < side; i++) {
                uint32_t bits = 0;
                for (size_t j = 0; ok && j < side; j++) {
                    if (!s.member[i][j]) continue;
                    bits |= 1u << j;
                    to.estimates[(c * side + i) * side + j] = (float)(t->u[j][above[j]++] / p->sigma);
                }
                to.rows[i * to.count + c] = bits;
            }
        }
    free(t);
}

static void supports(const StageParams *p, int wiener)
{
    if (!(p->sigma > 0)) return;
#pragma omp parallel for
    for (int z = p->supports.min[2]; z < p->supports.max[2]; z++) supportsOfSlice(p, wiener, z);
}

void sadctThreshold(const void *args) { supports((const StageParams *)args, 0); }
void sadctWiener(const void *args) { supports((const StageParams *)args, 1); }

void sadctGather(const void *args)
{
    const StageParams *p = (const StageParams *)args;
    const Box *b = &p->supports;
    const Scratch from = scratchOf(p);
    const int side = 2 * p->reach + 1;
    for (int z = p->from[2]; z < p->to[2]; z++)
        for (int y = p->from[1]; y < p->to[1]; y++)
            for (int x = p->from[0]; x < p->to[0]; x++) {
                double num = 0, den = 0;
                for (int cy = y - p->reach; cy <= y + p->reach && p->sigma > 0; cy++)
                    for (int cx = x - p->reach; cx <= x + p->reach; cx++) {
                        if (cx < b->min[0] || cy < b->min[1] || cx >= b->max[0] || cy >= b->max[1]) continue;
                        const size_t c = boxIndex(b, cx, cy, z);
                        const int i = y - cy + p->reach, j = x - cx + p->reach;
                        if (!(from.rows[i * from.count + c] >> j & 1)) continue;
                        num += (double)from.weights[c] * from.estimates[(c * side + i) * side + j];
                        den += from.weights[c];
                    }
                const int ok = usable(p->dims, &p->mask, x, y, z);
                ((float *)p->out.data)[boxIndex(&p->out, x, y, z)] =
                    ok ? boxAt(&p->in, x, y, z) + (den > 0 ? p->sigma * num / den : 0) : boxAt(&p->voxels, x, y, z);
            }
}
