// The passes around those of a filter that runs on volumes divided by a noise map, see
// kernels/noisemap.cu.
#include "fake.h"

#include <float.h>
#include <stdint.h>

typedef struct {
    Box in, noise, voxels, mask, out;
    int32_t dims[3];
    float usual, least;
    int32_t pad;
} NoiseMapParams;

static void run(const NoiseMapParams *p, int divide)
{
    const Box *o = &p->out;
    for (int z = o->min[2]; z < o->max[2]; z++)
        for (int y = o->min[1]; y < o->max[1]; y++)
            for (int x = o->min[0]; x < o->max[0]; x++) {
                float sigma = boxAt(&p->noise, x, y, z), v = boxAt(&p->in, x, y, z);
                if (!(sigma > 0 && sigma >= p->least && sigma <= FLT_MAX)) sigma = p->usual;
                int excluded = !divide && p->mask.data && !((const uint8_t *)p->mask.data)[boxIndex(&p->mask, x, y, z)];
                ((float *)o->data)[boxIndex(o, x, y, z)] = excluded ? boxAt(&p->voxels, x, y, z) : divide ? v / sigma : v * sigma;
            }
}

void divideBySigma(const void *args) { run(args, 1); }
void multiplyBySigma(const void *args) { run(args, 0); }
