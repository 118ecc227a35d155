// The equaliser, see kernels/equalise.cu, in double and tap by tap.
#include "fake.h"

#include <stdint.h>

enum { LEVELS = 4, SLICES = 4, RADIUS = (1 << (LEVELS - 1)) - 1, SIDE = 2 * RADIUS + 1 };

typedef struct {
    Box in, original, voxels, mask, out;
    int32_t dims[3], levels, slices;
    float weights[LEVELS * SLICES];
    int32_t pad;
} EqualiseParams;

// addTaps adds to taps, for each distance in slices, those of all levels in a square around its middle.
static void addTaps(const EqualiseParams *p, double taps[SLICES][SIDE][SIDE])
{
    double line[SIDE] = {0}; // B_k along one axis
    line[RADIUS] = 1;
    for (int k = 0; k < p->levels; k++) {
        if (k > 0) {
            double last[SIDE];
            int step = 1 << (k - 1);
            for (int i = 0; i < SIDE; i++) last[i] = line[i];
            for (int i = 0; i < SIDE; i++) {
                double left = i < step ? 0 : last[i - step], right = i + step < SIDE ? last[i + step] : 0;
                line[i] = (left + 2 * last[i] + right) / 4;
            }
        }
        for (int j = 0; j < p->slices; j++)
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) taps[j][y][x] += p->weights[k * SLICES + j] * line[y] * line[x];
    }
}

// mirrored continues the indices 0 to n - 1: ... 1 0 | 0 1 ... n-1 | n-1 n-2 ...
static int mirrored(int i, int n)
{
    while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

static int excluded(const EqualiseParams *p, int x, int y, int z)
{
    return p->mask.data && !((const uint8_t *)p->mask.data)[boxIndex(&p->mask, x, y, z)];
}

// taken returns W * (v - f) at a voxel; v - f is 0 in an excluded one.
static double taken(const EqualiseParams *p, double taps[SLICES][SIDE][SIDE], int x, int y, int z)
{
    int radius = (1 << (p->levels - 1)) - 1, reach = p->slices - 1;
    double sum = 0;
    for (int dz = -reach; dz <= reach; dz++)
        for (int dy = -radius; dy <= radius; dy++)
            for (int dx = -radius; dx <= radius; dx++) {
                int jx = mirrored(x + dx, p->dims[0]), jy = mirrored(y + dy, p->dims[1]), jz = mirrored(z + dz, p->dims[2]);
                if (excluded(p, jx, jy, jz)) continue;
                double d = (double)boxAt(&p->original, jx, jy, jz) - boxAt(&p->in, jx, jy, jz);
                sum += taps[dz < 0 ? -dz : dz][RADIUS + dy][RADIUS + dx] * d;
            }
    return sum;
}

void equalise(const void *args)
{
    const EqualiseParams *p = args;
    const Box *o = &p->out;
    double taps[SLICES][SIDE][SIDE] = {0};
    addTaps(p, taps);
    int down = o->max[1] - o->min[1], rows = down * (o->max[2] - o->min[2]);
#pragma omp parallel for
    for (int row = 0; row < rows; row++)
        for (int x = o->min[0]; x < o->max[0]; x++) {
            int y = o->min[1] + row % down, z = o->min[2] + row / down;
            ((float *)o->data)[boxIndex(o, x, y, z)] =
                excluded(p, x, y, z) ? boxAt(&p->voxels, x, y, z) : boxAt(&p->original, x, y, z) - taken(p, taps, x, y, z);
        }
}
