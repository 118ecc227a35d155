// The filters that shrink the coefficients of sliding blocks, see kernels/dct.cuh: in
// double, slice by slice and block by block, with transforms written as plain sums.
#include "fake.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    Box in, pilot, voxels, mask, out;
    int32_t dims[3], size[3];
    float rows[4][8][4];
    float unit, back, limits[64];
} DctParams;

enum { MOST = 512 }; // coefficients of a block

// sampleOf returns the value at sample i of row k along an axis.
static double sampleOf(const DctParams *p, int axis, int k, int i)
{
    int n = p->size[axis], j = n - 1 - i;
    return i <= j ? p->rows[axis][k][i] : k % 2 ? -p->rows[axis][k][j] : p->rows[axis][k][j];
}

static int excluded(const DctParams *p, int x, int y, int z)
{
    return p->mask.data && !((const uint8_t *)p->mask.data)[boxIndex(&p->mask, x, y, z)];
}

// Bases holds the matrix of each axis: [axis][0][k][i] is sample i of row k, [axis][1]
// the transpose.
typedef double Bases[3][2][8][8];

static void fillBases(const DctParams *p, Bases m)
{
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < p->size[axis]; k++)
            for (int i = 0; i < p->size[axis]; i++) m[axis][0][k][i] = m[axis][1][i][k] = sampleOf(p, axis, k, i);
}

// along transforms a block along each axis in turn: c[k] = sum_i m[k][i] s[i], or its
// transpose. s is lost.
static void along(const DctParams *p, Bases m, int transposed, double *s, double *c)
{
    int n = p->size[0] * p->size[1] * p->size[2];
    for (int axis = 0, stride = 1; axis < 3; stride *= p->size[axis++]) {
        int size = p->size[axis];
        for (int first = 0; first < n; first += size * stride)
            for (int k = 0; k < size; k++)
                for (int i = first; i < first + stride; i++) {
                    double sum = 0;
                    for (int j = 0; j < size; j++) sum += m[axis][transposed][k][j] * s[i + j * stride];
                    c[i + k * stride] = sum;
                }
        for (int i = 0; i < n; i++) s[i] = c[i];
    }
}

#define SAMPLES(p, at)                                                           \
    for (int z = (at)[2]; z < (at)[2] + (p)->size[2]; z++)                 \
        for (int y = (at)[1]; y < (at)[1] + (p)->size[1]; y++)             \
            for (int x = (at)[0]; x < (at)[0] + (p)->size[0]; x++)

// transform computes the coefficients, in the unit of the limit, of a block of the voxels
// or of the pilot, of which an excluded sample is that of the voxels.
static void transform(const DctParams *p, Bases m, int pilot, const int at[3], double *c)
{
    double s[MOST], *next = s;
    SAMPLES(p, at) *next++ = p->unit * (double)boxAt(pilot && !excluded(p, x, y, z) ? &p->pilot : &p->in, x, y, z);
    along(p, m, 0, s, c);
}

// shrink leaves in c what is removed from a block and returns the block's weight. P are
// the coefficients of the pilot, NULL for a hard threshold.
static double shrink(const DctParams *p, double *c, const double *P)
{
    double sum = 1;
    int n = p->size[0] * p->size[1] * p->size[2];
    c[0] = 0;
    for (int k = 1; k < n; k++)
        if (P) {
            const int kx = k % p->size[0], ky = k / p->size[0] % p->size[1], kz = k / p->size[0] / p->size[1];
            const double factor = p->limits[8 * ky + kx] * (double)p->rows[3][kz][0] / p->rows[2][kz][0];
            double q = P[k] * factor, gain = factor == 0 ? 1 : 1 - 1 / (1 + q * q);
            sum += gain * gain;
            c[k] *= 1 - gain;
        } else if (fabs(c[k]) > p->limits[k]) {
            sum++;
            c[k] = 0;
        }
    return 1 / sum;
}

// addBlocks adds the blocks that begin in slice bz to the sums of their voxels.
static void addBlocks(const DctParams *p, Bases m, int stage, int bz, double *removed, double *weight)
{
    const Box *o = &p->out;
    int b[3] = {0, 0, bz};
    double c[MOST], P[MOST], r[MOST];
    for (b[1] = o->min[1] - p->size[1] + 1; b[1] < o->max[1]; b[1]++)
        for (b[0] = o->min[0] - p->size[0] + 1; b[0] < o->max[0]; b[0]++) {
            if (b[0] < 0 || b[1] < 0 || b[0] + p->size[0] > p->dims[0] || b[1] + p->size[1] > p->dims[1]) continue;
            transform(p, m, 0, b, c);
            if (stage) transform(p, m, 1, b, P);
            double w = shrink(p, c, stage ? P : NULL), *next = r;
            along(p, m, 1, c, r);
            SAMPLES(p, b)
            {
                double change = *next++;
                if (x < o->min[0] || x >= o->max[0] || y < o->min[1] || y >= o->max[1] || z < o->min[2] || z >= o->max[2]) continue;
                removed[boxIndex(o, x, y, z)] += w * change;
                weight[boxIndex(o, x, y, z)] += w;
            }
        }
}

static void blocksRun(const DctParams *p, int stage)
{
    const Box *o = &p->out;
    int across = o->max[0] - o->min[0], down = o->max[1] - o->min[1], n = across * down * (o->max[2] - o->min[2]);
    double *removed = (double *)calloc(2 * (size_t)n, sizeof(double)), *weight = removed + n;
    Bases m;
    fillBases(p, m);
    // Blocks whose first slices are a block apart have no voxel in common.
    for (int phase = 0; phase < p->size[2]; phase++)
#pragma omp parallel for
        for (int bz = o->min[2] - p->size[2] + 1 + phase; bz < o->max[2]; bz += p->size[2])
            if (bz >= 0 && bz + p->size[2] <= p->dims[2]) addBlocks(p, m, stage, bz, removed, weight);
    for (int i = 0; i < n; i++) {
        int x = o->min[0] + i % across, y = o->min[1] + i / across % down, z = o->min[2] + i / across / down;
        ((float *)o->data)[i] = excluded(p, x, y, z) ? boxAt(&p->voxels, x, y, z) : (float)(boxAt(&p->in, x, y, z) - removed[i] / weight[i] * p->back);
    }
    free(removed);
}

void odct(const void *args) { blocksRun((const DctParams *)args, 0); }
void wiener(const void *args) { blocksRun((const DctParams *)args, 1); }
