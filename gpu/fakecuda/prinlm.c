// Prefiltered rotationally invariant non-local means, see kernels/prinlm.cu, in double and
// voxel by voxel.
#include "fake.h"

#include <math.h>
#include <stdint.h>

typedef struct {
    Box in, guide, mean, voxels, mask, out;
    int32_t dims[3], radius[3];
    float scale[2];
    int32_t columns, one;
    double inverse;
} PrinlmParams;

static int counts(const PrinlmParams *p, int x, int y, int z)
{
    if (x < 0 || y < 0 || z < 0 || x >= p->dims[0] || y >= p->dims[1] || z >= p->dims[2]) return 0;
    return !p->mask.data || ((const uint8_t *)p->mask.data)[boxIndex(&p->mask, x, y, z)];
}

static double prinlmVoxel(const PrinlmParams *p, int average, int x, int y, int z)
{
    double v = boxAt(&p->in, x, y, z), num = 0, den = 0, most = 0;
    for (int jz = z - p->radius[2]; jz <= z + p->radius[2]; jz++)
        for (int jy = y - p->radius[1]; jy <= y + p->radius[1]; jy++)
            for (int jx = x - p->radius[0]; jx <= x + p->radius[0]; jx++) {
                if ((jx == x && jy == y && jz == z) || !counts(p, jx, jy, jz)) continue;
                double w = 1;
                if (average) {
                    double g = (boxAt(&p->guide, jx, jy, jz) - boxAt(&p->guide, x, y, z)) * p->inverse;
                    double m = (boxAt(&p->mean, jx, jy, jz) - boxAt(&p->mean, x, y, z)) * p->inverse;
                    w = exp(-(g * g + 3 * m * m) / 4);
                }
                num += w * (boxAt(&p->in, jx, jy, jz) - v);
                den += w;
                most = fmax(most, w);
            }
    den += !average || p->one ? 1 : most;
    return den == 0 ? v : v + num / den;
}

static void prinlmRun(const PrinlmParams *p, int average)
{
    const Box *o = &p->out;
    int across = o->max[0] - o->min[0], down = o->max[1] - o->min[1], rows = down * (o->max[2] - o->min[2]);
#pragma omp parallel for
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < across; i++) {
            int x = o->min[0] + i, y = o->min[1] + row % down, z = o->min[2] + row / down;
            ((float *)o->data)[boxIndex(o, x, y, z)] = counts(p, x, y, z) ? (float)prinlmVoxel(p, average, x, y, z) : boxAt(&p->voxels, x, y, z);
        }
}

void prinlmMean(const void *args) { prinlmRun((const PrinlmParams *)args, 0); }
void prinlmAverage(const void *args) { prinlmRun((const PrinlmParams *)args, 1); }
