// The passes of preselection and blockwise non-local means, see kernels/preselect.cu
// and kernels/bnlm.cu. kernels/ladder/bnlm.h compiles this file as C++.
#include "preselect.h"

#include <stdlib.h>

static int mirrored(int i, int n)
{
    if (i >= 0 && i < n) return i;
    i = (i % (2 * n) + 2 * n) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
}

typedef struct {
    Box in, out;
    int32_t dims[3], radius[3];
    double zero;
} PreselectParams;

static void preselect(const PreselectParams *p, int deviation)
{
    const Box *o = &p->out;
    const double n = (2 * p->radius[0] + 1) * (2 * p->radius[1] + 1) * (2 * p->radius[2] + 1);
#pragma omp parallel for
    for (int z = o->min[2]; z < o->max[2]; z++)
        for (int y = o->min[1]; y < o->max[1]; y++)
            for (int x = o->min[0]; x < o->max[0]; x++) {
                double first = 0, second = 0;
                for (int dz = -p->radius[2]; dz <= p->radius[2]; dz++) {
                    double plane[2] = {0, 0};
                    for (int dy = -p->radius[1]; dy <= p->radius[1]; dy++) {
                        double row[2] = {0, 0};
                        for (int dx = -p->radius[0]; dx <= p->radius[0]; dx++) {
                            double u = boxAt(&p->in, mirrored(x + dx, p->dims[0]), mirrored(y + dy, p->dims[1]), mirrored(z + dz, p->dims[2])) - p->zero;
                            row[0] += u;
                            row[1] += u * u;
                        }
                        plane[0] += row[0];
                        plane[1] += row[1];
                    }
                    first += plane[0];
                    second += plane[1];
                }
                const double tiny = 0x1p-100, largest = 0x1.fffffep127;
                float result = fmin(fmax(sqrt(fmax(n * second - first * first, 0)) / n, tiny), largest);
                if (!deviation) {
                    result = fmin(fmax(first / n, -largest), largest);
                    if (fabsf(result) < tiny) result = tiny;
                }
                ((float *)o->data)[boxIndex(o, x, y, z)] = result;
            }
}

void preselectMean(const void *args) { preselect((const PreselectParams *)args, 0); }
void preselectDeviation(const void *args) { preselect((const PreselectParams *)args, 1); }

typedef struct {
    Box in, voxels, mask, out;
    Selection select;
    int32_t dims[3], search[3], radius[3], step[3], spread;
    float scale, inverse;
    double factor;
    float *changes;
    int32_t first[3], count[3];
} BnlmParams;

static int holdsData(const BnlmParams *p, int x, int y, int z)
{
    return !p->mask.data || ((const uint8_t *)p->mask.data)[boxIndex(&p->mask, x, y, z)];
}

static double sample(const BnlmParams *p, int x, int y, int z)
{
    return boxAt(&p->in, mirrored(x, p->dims[0]), mirrored(y, p->dims[1]), mirrored(z, p->dims[2]));
}

#define BLOCK(p)                                                       \
    for (int oz = -(p)->radius[2]; oz <= (p)->radius[2]; oz++)     \
        for (int oy = -(p)->radius[1]; oy <= (p)->radius[1]; oy++) \
            for (int ox = -(p)->radius[0]; ox <= (p)->radius[0]; ox++)

// candidate returns whether a block is compared with that at distance d.
static int candidate(const BnlmParams *p, const int d[3])
{
    int near = 1, even[3];
    for (int c = 0; c < 3; c++) {
        near = near && abs(d[c]) <= 1;
        even[c] = d[c] % 2 == 0;
    }
    if (near) return d[0] || d[1] || d[2];
    if (p->spread == 1) return (d[0] + d[1] + d[2]) % 2 == 0;
    if (p->spread == 2) return even[0] == even[1] && (even[1] == even[2] || !p->search[2]);
    return 1;
}

// exponent returns that of 2 in the weight of the block at j for that at k, less than 0
// if j is not used.
static double exponent(const BnlmParams *p, const int k[3], const int j[3])
{
    const int apart[3] = {j[0] - k[0], j[1] - k[1], j[2] - k[2]};
    for (int c = 0; c < 3; c++)
        if (j[c] < 0 || j[c] >= p->dims[c]) return -1;
    if (!candidate(p, apart) || (p->select.mean.data && !alike(&p->select, k[0], k[1], k[2], j[0], j[1], j[2]))) return -1;
    double sum = 0;
    BLOCK(p)
    {
        int x = mirrored(j[0] + ox, p->dims[0]), y = mirrored(j[1] + oy, p->dims[1]), z = mirrored(j[2] + oz, p->dims[2]);
        if (!holdsData(p, x, y, z)) return -1;
        double d = sample(p, k[0] + ox, k[1] + oy, k[2] + oz) - boxAt(&p->in, x, y, z);
        sum += d * d;
    }
    return sum * p->factor;
}

#define SEARCH(p)                                                      \
    for (int dz = -(p)->search[2]; dz <= (p)->search[2]; dz++)     \
        for (int dy = -(p)->search[1]; dy <= (p)->search[1]; dy++) \
            for (int dx = -(p)->search[0]; dx <= (p)->search[0]; dx++)

// weigh computes the weights of the blocks in the search region of k, relative to the
// largest, and returns whether there are any. weights has one number for each of them.
static int weigh(const BnlmParams *p, const int k[3], double *weights)
{
    double least = INFINITY;
    int n = 0;
    SEARCH(p)
    {
        const int j[3] = {k[0] + dx, k[1] + dy, k[2] + dz};
        weights[n] = exponent(p, k, j);
        if (weights[n] >= 0) least = fmin(least, weights[n]);
        n++;
    }
    if (exp2(-least) == 0) return 0;
    for (int i = 0; i < n; i++) weights[i] = weights[i] < 0 ? 0 : exp2(least - weights[i]);
    return 1;
}

// change returns by how much the block with these weights moves the voxel at (x, y, z).
static double change(const BnlmParams *p, int x, int y, int z, const double *weights)
{
    double v = sample(p, x, y, z), num = 0, den = 1;
    SEARCH(p)
    {
        double w = *weights++;
        if (w == 0) continue;
        num += w * (sample(p, x + dx, y + dy, z + dz) - v);
        den += w;
    }
    return num / den;
}

// Sum is that of what the blocks give to a voxel, and their count.
typedef struct {
    double sum;
    int n;
} Sum;

// addBlock adds what the block at k gives to the voxels of slice z of the result.
static void addBlock(const BnlmParams *p, const int k[3], int z, double *weights, Sum *sums)
{
    const Box *o = &p->out;
    const int any = weigh(p, k, weights);
    for (int oy = -p->radius[1]; oy <= p->radius[1]; oy++)
        for (int ox = -p->radius[0]; ox <= p->radius[0]; ox++) {
            const int x = k[0] + ox, y = k[1] + oy;
            if (x < o->min[0] || x >= o->max[0] || y < o->min[1] || y >= o->max[1] || !holdsData(p, x, y, z)) continue;
            Sum *s = sums + (size_t)(y - o->min[1]) * (o->max[0] - o->min[0]) + (x - o->min[0]);
            if (any) s->sum += change(p, x, y, z, weights);
            s->n++;
        }
}

static void bnlmSlice(const BnlmParams *p, int z)
{
    const Box *o = &p->out;
    const int w = o->max[0] - o->min[0], h = o->max[1] - o->min[1];
    int first[3], last[3], k[3];
    for (int c = 0; c < 3; c++) {
        // The blocks stand at the multiples of the step inside the volume.
        const int min = (c == 2 ? z : o->min[c]) - p->radius[c], max = (c == 2 ? z : o->max[c] - 1) + p->radius[c];
        first[c] = min <= 0 ? 0 : (min + p->step[c] - 1) / p->step[c] * p->step[c];
        last[c] = max < p->dims[c] ? max : p->dims[c] - 1;
    }
    double *weights = (double *)malloc(sizeof(double) * (2 * p->search[0] + 1) * (2 * p->search[1] + 1) * (2 * p->search[2] + 1));
    Sum *sums = (Sum *)calloc((size_t)w * h, sizeof *sums);
    for (k[2] = first[2]; k[2] <= last[2]; k[2] += p->step[2])
        for (k[1] = first[1]; k[1] <= last[1]; k[1] += p->step[1])
            for (k[0] = first[0]; k[0] <= last[0]; k[0] += p->step[0]) addBlock(p, k, z, weights, sums);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const Sum *s = sums + (size_t)y * w + x;
            const int px = o->min[0] + x, py = o->min[1] + y, ok = holdsData(p, px, py, z);
            ((float *)o->data)[boxIndex(o, px, py, z)] = ok ? (float)(boxAt(&p->in, px, py, z) + s->sum / s->n) : boxAt(&p->voxels, px, py, z);
        }
    free(sums);
    free(weights);
}

void bnlm(const void *args)
{
    const BnlmParams *p = (const BnlmParams *)args;
#pragma omp parallel for
    for (int z = p->out.min[2]; z < p->out.max[2]; z++) bnlmSlice(p, z);
}
