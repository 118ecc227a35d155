// The passes of preselection and blockwise non-local means, see kernels/preselect.cu
// and kernels/bnlm.cu. kernels/ladder/bnlm.h compiles this file as C++.
#include "preselect.h"

#include <stdlib.h>

static int mirrored(int i, int n)
{
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
    int32_t dims[3], search[3], radius[3], step[3];
    float scale, inverse;
    double factor;
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

// exponent returns that of 2 in the weight of the block at j for that at k, less than 0
// if j is not used.
static double exponent(const BnlmParams *p, const int k[3], const int j[3])
{
    int same = 1;
    for (int c = 0; c < 3; c++) {
        same = same && j[c] == k[c];
        if (j[c] < 0 || j[c] >= p->dims[c]) return -1;
    }
    if (same || (p->select.mean.data && !alike(&p->select, k[0], k[1], k[2], j[0], j[1], j[2]))) return -1;
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

// change returns by how much the block at k moves voxel v.
static double change(const BnlmParams *p, const int k[3], const int v[3], double *exponents)
{
    double least = INFINITY, num = 0, den = 1;
    for (int pass = 0; pass < 2; pass++) {
        int i = 0;
        for (int dz = -p->search[2]; dz <= p->search[2]; dz++)
            for (int dy = -p->search[1]; dy <= p->search[1]; dy++)
                for (int dx = -p->search[0]; dx <= p->search[0]; dx++, i++) {
                    if (pass == 0) {
                        const int j[3] = {k[0] + dx, k[1] + dy, k[2] + dz};
                        exponents[i] = exponent(p, k, j);
                        if (exponents[i] >= 0) least = fmin(least, exponents[i]);
                    } else if (exponents[i] >= 0) {
                        double w = exp2(least - exponents[i]);
                        num += w * (sample(p, v[0] + dx, v[1] + dy, v[2] + dz) - sample(p, v[0], v[1], v[2]));
                        den += w;
                    }
                }
        if (exp2(-least) == 0) return 0;
    }
    return num / den;
}

void bnlm(const void *args)
{
    const BnlmParams *p = (const BnlmParams *)args;
    const Box *o = &p->out;
#pragma omp parallel for
    for (int z = o->min[2]; z < o->max[2]; z++) {
        double *exponents = (double *)malloc(sizeof(double) * (2 * p->search[0] + 1) * (2 * p->search[1] + 1) * (2 * p->search[2] + 1));
        for (int y = o->min[1]; y < o->max[1]; y++)
            for (int x = o->min[0]; x < o->max[0]; x++) {
                float *to = (float *)o->data + boxIndex(o, x, y, z);
                if (!holdsData(p, x, y, z)) {
                    *to = boxAt(&p->voxels, x, y, z);
                    continue;
                }
                const int v[3] = {x, y, z};
                double sum = 0;
                int n = 0;
                BLOCK(p)
                {
                    const int k[3] = {x - ox, y - oy, z - oz};
                    int stands = 1;
                    for (int c = 0; c < 3; c++) stands = stands && k[c] >= 0 && k[c] < p->dims[c] && k[c] % p->step[c] == 0;
                    if (!stands) continue;
                    sum += change(p, k, v, exponents);
                    n++;
                }
                *to = sample(p, x, y, z) + sum / n;
            }
        free(exponents);
    }
}
