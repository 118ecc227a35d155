// The filters that read one field, as defined in docs/FILTERS.md, in plain C: in double,
// voxel by voxel, nlm row by row. The structs are those of package kernels.
// kernels/ladder/reference.h compiles this file as C++.
#include "fake.h"
#include "preselect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const float *in;
    const uint8_t *mask;
    float *out;
    int32_t dims[3], first, slices, min[3], max[3];
    int32_t swapped; // x and y have changed places
} Field;

static size_t at(const Field *f, int x, int y, int z)
{
    if (f->swapped) return ((size_t)(z - f->first) * f->dims[0] + x) * f->dims[1] + y;
    return ((size_t)(z - f->first) * f->dims[1] + y) * f->dims[0] + x;
}

static int valid(const Field *f, int x, int y, int z)
{
    if (x < 0 || y < 0 || z < 0 || x >= f->dims[0] || y >= f->dims[1] || z >= f->dims[2]) return 0;
    return !f->mask || f->mask[at(f, x, y, z)];
}

static int mirror(int i, int n)
{
    if (i >= 0 && i < n) return i;
    i = (i % (2 * n) + 2 * n) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
}

// row returns the row of voxels at y and z, mirrored. Voxel x is at index
// at(f, x, 0, first).
static const float *row(const Field *f, int y, int z)
{
    return f->in + at(f, 0, mirror(y, f->dims[1]), mirror(z, f->dims[2]));
}

// Voxel computes one valid voxel.
typedef double (*Voxel)(const void *params, const Field *f, int x, int y, int z);

static void forVoxels(const void *params, Voxel filter)
{
    const Field *f = (const Field *)params;
    int across = f->max[0] - f->min[0], down = f->max[1] - f->min[1], rows = down * (f->max[2] - f->min[2]);
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        int y = f->min[1] + row % down, z = f->min[2] + row / down;
        float *out = f->out + (f->swapped ? (size_t)(row / down) * across * down + row % down : (size_t)row * across);
        int step = f->swapped ? down : 1;
        for (int x = f->min[0]; x < f->max[0]; x++, out += step)
            *out = valid(f, x, y, z) ? filter(params, f, x, y, z) : f->in[at(f, x, y, z)];
    }
}

#define NEIGHBOURHOOD(r)                            \
    for (int dz = -(r)[2]; dz <= (r)[2]; dz++) \
        for (int dy = -(r)[1]; dy <= (r)[1]; dy++) \
            for (int dx = -(r)[0]; dx <= (r)[0]; dx++)

// gaussian and bilateral, whose weights are powers of two.
typedef struct {
    Field field;
    int32_t radius[3];
    float decay[3], scale, inverse; // scale and inverse only in bilateral
} WeightedParams;

// weights returns 2^-(decay d^2) for -radius <= d <= radius, indexed from 0. Every
// thread has one table per axis, which it fills anew for another radius or decay.
static const double *weights(int axis, int radius, double decay)
{
    static __thread struct {
        int radius;
        double decay, *table;
    } cached[3];
    if (!cached[axis].table || cached[axis].radius != radius || cached[axis].decay != decay) {
        cached[axis].radius = radius;
        cached[axis].decay = decay;
        cached[axis].table = (double *)realloc(cached[axis].table, sizeof(double) * (2 * radius + 1));
        for (int d = -radius; d <= radius; d++) cached[axis].table[d + radius] = exp2(-decay * d * d);
    }
    return cached[axis].table;
}

static double weighted(const WeightedParams *p, int range, int x, int y, int z)
{
    const Field *f = &p->field;
    const double *wx = weights(0, p->radius[0], p->decay[0]), *wy = weights(1, p->radius[1], p->decay[1]),
                 *wz = weights(2, p->radius[2], p->decay[2]);
    double v = f->in[at(f, x, y, z)], sum = 0, total = 0;
    NEIGHBOURHOOD(p->radius)
    {
        if (!valid(f, x + dx, y + dy, z + dz)) continue;
        double d = f->in[at(f, x + dx, y + dy, z + dz)] - v;
        double w = wx[dx + p->radius[0]] * wy[dy + p->radius[1]] * wz[dz + p->radius[2]];
        if (range) w *= exp2(-(d * p->scale * (d * p->scale)));
        sum += w * d;
        total += w;
    }
    return v + sum / total;
}

static double gaussianVoxel(const void *p, const Field *f, int x, int y, int z) { return weighted((const WeightedParams *)p, 0, x, y, z); }
static double bilateralVoxel(const void *p, const Field *f, int x, int y, int z) { return weighted((const WeightedParams *)p, 1, x, y, z); }

typedef struct {
    Field field;
    int32_t radius[3], pad;
} MedianParams;

static int compareFloats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double medianVoxel(const void *params, const Field *f, int x, int y, int z)
{
    const int32_t *r = ((const MedianParams *)params)->radius;
    float *values = (float *)malloc(sizeof(float) * (2 * r[0] + 1) * (2 * r[1] + 1) * (2 * r[2] + 1));
    int n = 0;
    NEIGHBOURHOOD(r) if (valid(f, x + dx, y + dy, z + dz)) values[n++] = f->in[at(f, x + dx, y + dy, z + dz)];
    qsort(values, n, sizeof *values, compareFloats);
    double middle = n % 2 ? values[n / 2] : ((double)values[n / 2 - 1] + values[n / 2]) / 2;
    free(values);
    return middle;
}

typedef struct {
    Field field;
    int32_t search[3], patch[3];
    float scale, inverse, cut, bias;
    int32_t lk, rician, one;
    float norm, ring[9];
    int32_t parts;
    float cuts[3][5][5];
    int32_t sharedFrom, columns;
    float steps[4], stepScale;
} NlmParams;

// cutAt returns what is subtracted from the distance of patches that lie (x, y, z) apart.
static double cutAt(const NlmParams *p, int x, int y, int z)
{
    x = abs(x), y = abs(y), z = abs(z);
    return x < 5 && y < 5 && z < 3 ? p->cuts[z][y][x] : p->cut;
}

// power returns |d|^k for the norms of lk weights.
static double power(int k, double d)
{
    switch (k) {
    case 1: return fabs(d);
    case 3: return fabs(d) * d * d;
    case 4: return d * d * d * d;
    }
    return d * d;
}

// distances computes D_ij, in the kernel's units, of the n voxels i from (x, y, z) on and
// their neighbours j at an offset. squares is scratch memory for n + 2 patch[0] values.
static void distances(const NlmParams *p, int x, int y, int z, int n, const int offset[3], double *squares, double *d)
{
    const Field *f = &p->field;
    const int r = p->patch[0], step = f->swapped ? f->dims[1] : 1;
    const double unit = p->lk ? p->norm : (double)p->scale * p->scale;
    memset(squares, 0, sizeof *squares * (n + 2 * r));
    for (int dz = -p->patch[2]; dz <= p->patch[2]; dz++) {
        for (int dy = -p->patch[1]; dy <= p->patch[1]; dy++) {
            const float *here = row(f, y + dy, z + dz), *there = row(f, y + offset[1] + dy, z + offset[2] + dz);
            const double a = (double)p->ring[abs(dy)] * (p->patch[2] ? p->ring[abs(dz)] : 1);
            for (int k = 0; k < n + 2 * r; k++) {
                int i = mirror(x - r + k, f->dims[0]), j = mirror(x - r + k + offset[0], f->dims[0]);
                double e = (double)here[(size_t)i * step] - there[(size_t)j * step];
                squares[k] += a * (p->lk ? power(p->lk, e) : e * e);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        d[i] = 0;
        for (int dx = -r; dx <= r; dx++) d[i] += p->ring[abs(dx)] * squares[i + r + dx];
        d[i] *= unit;
    }
}

// NlmSums holds the sums of one voxel.
typedef struct {
    double total, most, sum, weights; // total: of all distances, which lk needs before the first weight
    int others;
} NlmSums;

static double nlmResult(const NlmParams *p, const NlmSums *s, double v)
{
    double centre = !p->one ? s->most : p->lk ? s->total : 1;
    if (!s->others) centre = 1;
    double weights = s->weights + centre;
    if (weights == 0) return v;
    double mean = s->sum / weights;
    return p->rician ? sqrt(fmax(0, v * v + mean - p->bias)) : v + mean;
}

// nlmRow computes the row of the region at y and z, offset by offset; select is NULL
// where all neighbours are used.
static void nlmRow(const NlmParams *p, const Selection *select, int y, int z, float *out, int step)
{
    const Field *f = &p->field;
    const int x0 = f->min[0], n = f->max[0] - x0;
    NlmSums *sums = (NlmSums *)calloc(n, sizeof *sums);
    double *squares = (double *)malloc(sizeof(double) * (2 * n + 2 * p->patch[0])), *d = squares + n + 2 * p->patch[0];
    for (int pass = p->lk ? 0 : 1; pass < 2; pass++) {
        NEIGHBOURHOOD(p->search)
        {
            const int offset[3] = {dx, dy, dz};
            if ((!dx && !dy && !dz) || y + dy < 0 || y + dy >= f->dims[1] || z + dz < 0 || z + dz >= f->dims[2]) continue;
            distances(p, x0, y, z, n, offset, squares, d);
            for (int i = 0; i < n; i++) {
                NlmSums *s = &sums[i];
                if (!valid(f, x0 + i + dx, y + dy, z + dz)) continue;
                if (select && !alike(select, x0 + i, y, z, x0 + i + dx, y + dy, z + dz)) continue;
                if (pass == 0) {
                    s->total += d[i];
                    continue;
                }
                double w = p->lk ? s->total - d[i] : exp2(-fmax(0, d[i] - cutAt(p, dx, dy, dz)));
                double v = f->in[at(f, x0 + i, y, z)], u = f->in[at(f, x0 + i + dx, y + dy, z + dz)];
                s->sum += w * (p->rician ? u * u - v * v : u - v);
                s->weights += w;
                s->most = fmax(s->most, w);
                s->others++;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        float v = f->in[at(f, x0 + i, y, z)];
        out[(size_t)i * step] = valid(f, x0 + i, y, z) ? nlmResult(p, &sums[i], v) : v;
    }
    free(squares);
    free(sums);
}

static void nlmRows(const NlmParams *p, const Selection *select)
{
    const Field *f = &p->field;
    int across = f->max[0] - f->min[0], down = f->max[1] - f->min[1], rows = down * (f->max[2] - f->min[2]);
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        float *out = f->out + (f->swapped ? (size_t)(row / down) * across * p->columns + row % down : (size_t)row * p->columns);
        nlmRow(p, select, f->min[1] + row % down, f->min[2] + row / down, out, f->swapped ? p->columns : 1);
    }
}

void nlm(const void *args) { nlmRows((const NlmParams *)args, NULL); }

typedef struct {
    NlmParams nlm;
    Selection select;
} NlmSelectParams;

void nlmSelect(const void *args)
{
    const NlmSelectParams *p = (const NlmSelectParams *)args;
    nlmRows(&p->nlm, &p->select);
}

typedef struct {
    Field field;
    uint8_t *map; // index of the chosen scale, a byte for each direction; NULL: not wanted
    double width, rho[2][4];
    int32_t count, scales[32], pad;
} LpaParams;

static double lpaVoxel(const void *params, const Field *f, int x, int y, int z)
{
    const LpaParams *p = (const LpaParams *)params;
    static const int step[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    double v = f->in[at(f, x, y, z)], sum = 0, weights = 0;
    const size_t row = (size_t)(z - f->min[2]) * (f->max[1] - f->min[1]) + (y - f->min[1]);
    uint8_t *map = p->map ? p->map + 8 * (row * (f->max[0] - f->min[0]) + (x - f->min[0])) : NULL;
    for (int i = 0; i < 8; i++) {
        double low = -INFINITY, high = INFINITY, mean = 0, quality = 1;
        for (int s = 0; s < p->count; s++) {
            double g = 0, gv = 0, gg = 0, shared = 0, last[4] = {0};
            for (int j = 0; j < p->scales[s]; j++) {
                int nx = x + j * step[i][0], ny = y + j * step[i][1];
                const int used = valid(f, nx, ny, z);
                double t = (double)j / p->scales[s], w = used ? 1 - t * t : 0;
                for (int k = 0; k < 4; k++) shared += p->rho[i % 2][k] * (w * last[k]);
                for (int k = 3; k > 0; k--) last[k] = last[k - 1];
                last[0] = w;
                if (!used) continue;
                g += w;
                gv += w * (f->in[at(f, nx, ny, z)] - v);
                gg += w * w;
            }
            double m = gv / g, q = fmax(gg + 2 * shared, gg / 16) / (g * g), half = p->width * sqrt(q);
            low = fmax(low, m - half);
            high = fmin(high, m + half);
            if (low > high) break;
            mean = m;
            quality = q;
            if (map) map[i] = (uint8_t)s;
        }
        sum += mean / quality;
        weights += 1 / quality;
    }
    return v + sum / weights;
}

void gaussian(const void *args) { forVoxels(args, gaussianVoxel); }
void bilateral(const void *args) { forVoxels(args, bilateralVoxel); }
void median(const void *args) { forVoxels(args, medianVoxel); }
void lpa(const void *args) { forVoxels(args, lpaVoxel); }

// The rungs that read a texture have its handle at the end of their parameters; of nlm and
// of bilateral, whose table of weights the host functions do not read.
typedef struct {
    NlmParams p;
    uint8_t selection[72];
    uint64_t padded, texture;
} NlmTextureParams;

typedef struct {
    WeightedParams p;
    float table[17 * 17 + 1];
    uint64_t texture;
} TableParams;

static const float *texelsOf(uint64_t texture) { return ((const FakeArray *)texture)->texels; }

void nlmTexture(const void *args)
{
    NlmTextureParams q = *(const NlmTextureParams *)args;
    q.p.field.in = texelsOf(q.texture);
    nlm(&q.p);
}

void bilateralTexture(const void *args)
{
    TableParams q = *(const TableParams *)args;
    q.p.field.in = texelsOf(q.texture);
    bilateral(&q.p);
}
