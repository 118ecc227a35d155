// The kernels of package kerneltest, see its twopass.cu.
#include "fake.h"

#include <math.h>
#include <stdint.h>

typedef struct {
    Box in, map, voxels, mask, out;
    int32_t dims[3], radius[3];
    double inverse;
} TwopassParams;

static int usable(const TwopassParams *p, int x, int y, int z)
{
    if (x < 0 || y < 0 || z < 0 || x >= p->dims[0] || y >= p->dims[1] || z >= p->dims[2]) return 0;
    return !p->mask.data || ((const uint8_t *)p->mask.data)[boxIndex(&p->mask, x, y, z)];
}

static double average(const TwopassParams *p, int guided, int x, int y, int z)
{
    double v = boxAt(&p->in, x, y, z), here = boxAt(&p->map, x, y, z), num = 0, den = 1;
    for (int jz = z - p->radius[2]; jz <= z + p->radius[2]; jz++)
        for (int jy = y - p->radius[1]; jy <= y + p->radius[1]; jy++)
            for (int jx = x - p->radius[0]; jx <= x + p->radius[0]; jx++) {
                if ((jx == x && jy == y && jz == z) || !usable(p, jx, jy, jz)) continue;
                double there = boxAt(&p->map, jx, jy, jz), d = (there - here) * p->inverse;
                double w = guided ? exp(-0.5 * d * d) : here / there * (here / there);
                num += w * (boxAt(&p->in, jx, jy, jz) - v);
                den += w;
            }
    return v + num / den;
}

static void run(const TwopassParams *p, int guided)
{
    const Box *o = &p->out;
    for (int z = o->min[2]; z < o->max[2]; z++)
        for (int y = o->min[1]; y < o->max[1]; y++)
            for (int x = o->min[0]; x < o->max[0]; x++)
                ((float *)o->data)[boxIndex(o, x, y, z)] = usable(p, x, y, z) ? average(p, guided, x, y, z) : boxAt(&p->voxels, x, y, z);
}

void twopassMean(const void *args) { run(args, 0); }
void twopassGuided(const void *args) { run(args, 1); }
