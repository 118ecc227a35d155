// The average of neighbouring slices, see kernels/slab.cu, in double and voxel by voxel.
#include "fake.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    Box in, guide, more, voxels, mask, out;
    int32_t dims[3], axis, reach;
    float inverse[16];
    float factor;
} SlabParams;

static int slabUses(const SlabParams *p, const int *at)
{
    for (int c = 0; c < 3; c++)
        if (at[c] < 0 || at[c] >= p->dims[c]) return 0;
    return !p->mask.data || ((const uint8_t *)p->mask.data)[boxIndex(&p->mask, at[0], at[1], at[2])];
}

static float slabVoxel(const SlabParams *p, int x, int y, int z)
{
    int at[3] = {x, y, z};
    if (!slabUses(p, at)) return boxAt(&p->voxels, x, y, z);
    double v = boxAt(&p->in, x, y, z), g = boxAt(&p->guide, x, y, z), num = 0, den = 1;
    for (int k = -p->reach; k <= p->reach; k++) {
        int j[3] = {x, y, z};
        j[p->axis] += k;
        if (k == 0 || !slabUses(p, j)) continue;
        double d = (boxAt(&p->guide, j[0], j[1], j[2]) - g) * p->inverse[abs(k) - 1], u = fmin(fmax(3 - d * d, 0), 1);
        num += u * u * (boxAt(&p->in, j[0], j[1], j[2]) - v);
        den += u * u;
    }
    return (float)(v + num / den + (p->more.data ? p->factor * boxAt(&p->more, x, y, z) : 0));
}

void slabAverage(const void *args)
{
    const SlabParams *p = (const SlabParams *)args;
    const Box *o = &p->out;
    int down = o->max[1] - o->min[1], rows = down * (o->max[2] - o->min[2]);
#pragma omp parallel for
    for (int row = 0; row < rows; row++)
        for (int x = o->min[0]; x < o->max[0]; x++) {
            int y = o->min[1] + row % down, z = o->min[2] + row / down;
            ((float *)o->data)[boxIndex(o, x, y, z)] = slabVoxel(p, x, y, z);
        }
}
