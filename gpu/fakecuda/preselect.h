// Preselection, as in kernels/preselect.cuh.
#pragma once

#include "fake.h"

#include <math.h>

typedef struct {
    Box mean, deviation;
    float apart, ratio;
} Selection;

// alike compares what is around voxels i and j, product by product in float.
static inline int alike(const Selection *s, int ix, int iy, int iz, int jx, int jy, int jz)
{
    const float mi = boxAt(&s->mean, ix, iy, iz), mj = boxAt(&s->mean, jx, jy, jz);
    const float di = boxAt(&s->deviation, ix, iy, iz), dj = boxAt(&s->deviation, jx, jy, jz);
    const float apart = mi - mj, most = s->apart * fmaxf(fabsf(mi), fabsf(mj)), least = s->ratio * fmaxf(di, dj);
    return fabsf(apart) < most && fminf(di, dj) > least;
}
