// The kernels' definitions (docs/FILTERS.md) as plain C on the host: slow, in
// double, one voxel after the other. The structs are those of package kernels.
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
    int32_t turned; // x and y have changed places
} Field;

static size_t at(const Field *f, int x, int y, int z)
{
    if (f->turned) return ((size_t)(z - f->first) * f->dims[0] + x) * f->dims[1] + y;
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

// row is the row of voxels at y and z, mirrored; its voxels lie at(f, x, 0, first).
static const float *row(const Field *f, int y, int z)
{
    return f->in + at(f, 0, mirror(y, f->dims[1]), mirror(z, f->dims[2]));
}

// Voxel filters one valid voxel.
typedef double (*Voxel)(const void *params, const Field *f, int x, int y, int z);

static void eachVoxel(const void *params, Voxel filter)
{
    const Field *f = params;
    int across = f->max[0] - f->min[0], down = f->max[1] - f->min[1], rows = down * (f->max[2] - f->min[2]);
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        int y = f->min[1] + row % down, z = f->min[2] + row / down;
        float *out = f->out + (f->turned ? (size_t)(row / down) * across * down + row % down : (size_t)row * across);
        int step = f->turned ? down : 1;
        for (int x = f->min[0]; x < f->max[0]; x++, out += step)
            *out = valid(f, x, y, z) ? filter(params, f, x, y, z) : f->in[at(f, x, y, z)];
    }
}

#define WINDOW(r)                            \
    for (int dz = -(r)[2]; dz <= (r)[2]; dz++) \
        for (int dy = -(r)[1]; dy <= (r)[1]; dy++) \
            for (int dx = -(r)[0]; dx <= (r)[0]; dx++)

// gaussian and bilateral: weights are powers of two.
typedef struct {
    Field field;
    int32_t radius[3];
    float decay[3], scale, inverse; // the last two in bilateral alone
} WindowParams;

static double weighted(const WindowParams *p, int range, int x, int y, int z)
{
    const Field *f = &p->field;
    double v = f->in[at(f, x, y, z)], sum = 0, weights = 0;
    WINDOW(p->radius)
    {
        if (!valid(f, x + dx, y + dy, z + dz)) continue;
        double d = f->in[at(f, x + dx, y + dy, z + dz)] - v;
        double e = (double)p->decay[0] * dx * dx + (double)p->decay[1] * dy * dy + (double)p->decay[2] * dz * dz;
        if (range) e += d * p->scale * (d * p->scale);
        double w = exp2(-e);
        sum += w * d;
        weights += w;
    }
    return v + sum / weights;
}

static double gaussianVoxel(const void *p, const Field *f, int x, int y, int z) { return weighted(p, 0, x, y, z); }
static double bilateralVoxel(const void *p, const Field *f, int x, int y, int z) { return weighted(p, 1, x, y, z); }

typedef struct {
    Field field;
    int32_t radius[3], pad;
} MedianParams;

static int rising(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double medianVoxel(const void *params, const Field *f, int x, int y, int z)
{
    const int32_t *r = ((const MedianParams *)params)->radius;
    float *values = malloc(sizeof(float) * (2 * r[0] + 1) * (2 * r[1] + 1) * (2 * r[2] + 1));
    int n = 0;
    WINDOW(r) if (valid(f, x + dx, y + dy, z + dz)) values[n++] = f->in[at(f, x + dx, y + dy, z + dz)];
    qsort(values, n, sizeof *values, rising);
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

// distance is D_ij in the kernel's units.
static double distance(const NlmParams *p, int x, int y, int z, int ox, int oy, int oz)
{
    const Field *f = &p->field;
    double sum = 0;
    for (int dz = -p->patch[2]; dz <= p->patch[2]; dz++) {
        for (int dy = -p->patch[1]; dy <= p->patch[1]; dy++) {
            const float *here = row(f, y + dy, z + dz), *there = row(f, y + oy + dy, z + oz + dz);
            double a = (double)p->ring[abs(dy)] * (p->patch[2] ? p->ring[abs(dz)] : 1);
            for (int dx = -p->patch[0]; dx <= p->patch[0]; dx++) {
                size_t i = at(f, mirror(x + dx, f->dims[0]), 0, f->first), j = at(f, mirror(x + ox + dx, f->dims[0]), 0, f->first);
                double d = fabs((double)here[i] - there[j]) * p->scale;
                double power = d * d;
                if (p->lk) power = p->lk == 1 ? d : p->lk == 3 ? power * d : p->lk == 4 ? power * power : power;
                sum += a * p->ring[abs(dx)] * power;
            }
        }
    }
    return p->lk ? sum * p->norm : sum;
}

static double nlmVoxel(const void *params, const Field *f, int x, int y, int z)
{
    const NlmParams *p = params;
    double v = f->in[at(f, x, y, z)], total = 0, most = 0, sum = 0, weights = 0;
    int others = 0;
    // lk needs the sum of all distances before it has the first weight.
    for (int pass = p->lk ? 0 : 1; pass < 2; pass++) {
        WINDOW(p->search)
        {
            if ((!dx && !dy && !dz) || !valid(f, x + dx, y + dy, z + dz)) continue;
            double d = distance(p, x, y, z, dx, dy, dz);
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

static void gaussian(const void *args) { eachVoxel(args, gaussianVoxel); }
static void bilateral(const void *args) { eachVoxel(args, bilateralVoxel); }
static void median(const void *args) { eachVoxel(args, medianVoxel); }
static void nlm(const void *args) { eachVoxel(args, nlmVoxel); }
static void lpa(const void *args) { eachVoxel(args, lpaVoxel); }

// nothing: nlm above leaves no voxels to a second pass.
static void nothing(const void *args) { (void)args; }

static void widen(const void *args)
{
    const WidenParams *p = args;
    for (int64_t i = 0; i < p->count; i++) p->to[i] = p->from[i] + p->bias;
}

HostKernel findKernel(const char *name)
{
    // nlm and lpa have several kernels of one meaning; the first prefix counts.
    static const struct { const char *prefix; HostKernel kernel; } all[] = {
        {"nlm_faint", nothing}, {"nlm", nlm}, {"bilateral", bilateral}, {"gaussian", gaussian},
        {"median", median}, {"lpa", lpa}, {"widen", widen},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strncmp(name, all[i].prefix, strlen(all[i].prefix)) == 0) return all[i].kernel;
    return NULL;
}
