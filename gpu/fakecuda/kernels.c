// The filters as defined in docs/FILTERS.md in plain C: in double, voxel by
// voxel. The structs are those of package kernels.
#include "fake.h"

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
    const Field *f = params;
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
    static _Thread_local struct {
        int radius;
        double decay, *table;
    } cached[3];
    if (!cached[axis].table || cached[axis].radius != radius || cached[axis].decay != decay) {
        cached[axis].radius = radius;
        cached[axis].decay = decay;
        cached[axis].table = realloc(cached[axis].table, sizeof(double) * (2 * radius + 1));
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

static double gaussianVoxel(const void *p, const Field *f, int x, int y, int z) { return weighted(p, 0, x, y, z); }
static double bilateralVoxel(const void *p, const Field *f, int x, int y, int z) { return weighted(p, 1, x, y, z); }

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
    float *values = malloc(sizeof(float) * (2 * r[0] + 1) * (2 * r[1] + 1) * (2 * r[2] + 1));
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
    int32_t pad;
} NlmParams;

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

// distance returns D_ij in the kernel's units. ring holds the taps of the patch, by
// signed distance from the middle one.
static double distance(const NlmParams *p, const double *ring, int x, int y, int z, int ox, int oy, int oz)
{
    const Field *f = &p->field;
    const int r = p->patch[0], n = f->dims[0], step = f->swapped ? f->dims[1] : 1;
    const int left = x - r + (ox < 0 ? ox : 0), right = x + r + (ox > 0 ? ox : 0);
    const int whole = left >= 0 && right < n; // no sample is mirrored along x
    double sum = 0;
    for (int dz = -p->patch[2]; dz <= p->patch[2]; dz++) {
        for (int dy = -p->patch[1]; dy <= p->patch[1]; dy++) {
            const float *here = row(f, y + dy, z + dz), *there = row(f, y + oy + dy, z + oz + dz);
            double line = 0;
            if (whole && !p->lk) {
                const float *a = here + (size_t)x * step, *b = there + (size_t)(x + ox) * step;
                for (int dx = -r; dx <= r; dx++) {
                    double d = (double)a[dx * step] - b[dx * step];
                    line += ring[dx] * d * d;
                }
            } else {
                for (int dx = -r; dx <= r; dx++) {
                    double d = (double)here[(size_t)mirror(x + dx, n) * step] - there[(size_t)mirror(x + ox + dx, n) * step];
                    line += ring[dx] * (p->lk ? power(p->lk, d) : d * d);
                }
            }
            sum += ring[dy] * (p->patch[2] ? ring[dz] : 1) * line;
        }
    }
    return sum * (p->lk ? p->norm : (double)p->scale * p->scale);
}

static double nlmVoxel(const void *params, const Field *f, int x, int y, int z)
{
    const NlmParams *p = params;
    double v = f->in[at(f, x, y, z)], total = 0, most = 0, sum = 0, weights = 0;
    int others = 0;
    double taps[2 * 8 + 1], *ring = taps + 8; // p->ring holds nine taps
    for (int d = -8; d <= 8; d++) ring[d] = p->ring[abs(d)];
    // lk needs the sum of all distances before the first weight.
    for (int pass = p->lk ? 0 : 1; pass < 2; pass++) {
        NEIGHBOURHOOD(p->search)
        {
            if ((!dx && !dy && !dz) || !valid(f, x + dx, y + dy, z + dz)) continue;
            double d = distance(p, ring, x, y, z, dx, dy, dz);
            if (pass == 0) {
                total += d;
                continue;
            }
            double w = p->lk ? total - d : exp2(-fmax(0, d - p->cut));
            double u = f->in[at(f, x + dx, y + dy, z + dz)];
            sum += w * (p->rician ? u * u - v * v : u - v);
            weights += w;
            most = fmax(most, w);
            others++;
        }
    }
    double centre = !p->one ? most : p->lk ? total : 1;
    if (!others) centre = 1;
    weights += centre;
    if (weights == 0) return v;
    double mean = sum / weights;
    return p->rician ? sqrt(fmax(0, v * v + mean - p->bias)) : v + mean;
}

typedef struct {
    Field field;
    uint64_t map;
    double width;
    int32_t count, scales[32], pad;
} LpaParams;

static double lpaVoxel(const void *params, const Field *f, int x, int y, int z)
{
    const LpaParams *p = params;
    static const int step[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    double v = f->in[at(f, x, y, z)], sum = 0, weights = 0;
    for (int i = 0; i < 8; i++) {
        double low = -INFINITY, high = INFINITY, mean = 0, quality = 1;
        for (int s = 0; s < p->count; s++) {
            double g = 0, gv = 0, gg = 0;
            for (int j = 0; j < p->scales[s]; j++) {
                int nx = x + j * step[i][0], ny = y + j * step[i][1];
                if (!valid(f, nx, ny, z)) continue;
                double w = 1 - pow((double)j / p->scales[s], 2);
                g += w;
                gv += w * (f->in[at(f, nx, ny, z)] - v);
                gg += w * w;
            }
            double m = gv / g, q = gg / (g * g), half = p->width * sqrt(q);
            low = fmax(low, m - half);
            high = fmin(high, m + half);
            if (low > high) break;
            mean = m;
            quality = q;
        }
        sum += mean / quality;
        weights += 1 / quality;
    }
    return v + sum / weights;
}

typedef struct {
    const int16_t *from;
    float *to;
    int64_t count;
    float bias;
} WidenParams;

static void gaussian(const void *args) { forVoxels(args, gaussianVoxel); }
static void bilateral(const void *args) { forVoxels(args, bilateralVoxel); }
static void median(const void *args) { forVoxels(args, medianVoxel); }
static void nlm(const void *args) { forVoxels(args, nlmVoxel); }
static void lpa(const void *args) { forVoxels(args, lpaVoxel); }

// nothing replaces nlm_underflow: nlm in double leaves no voxels to it.
static void nothing(const void *args) { (void)args; }

static void widen(const void *args)
{
    const WidenParams *p = args;
    for (int64_t i = 0; i < p->count; i++) p->to[i] = p->from[i] + p->bias;
}

HostKernel findKernel(const char *name)
{
    // The kernels of nlm and lpa compute the same and share a function; the first
    // matching prefix counts.
    static const struct { const char *prefix; HostKernel kernel; } all[] = {
        {"nlm_underflow", nothing}, {"nlm", nlm}, {"bilateral", bilateral}, {"gaussian", gaussian},
        {"median", median}, {"lpa", lpa}, {"widen", widen},
        {"twopass_mean", twopassMean}, {"twopass_guided", twopassGuided},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strncmp(name, all[i].prefix, strlen(all[i].prefix)) == 0) return all[i].kernel;
    return NULL;
}
