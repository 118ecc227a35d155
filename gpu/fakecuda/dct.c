// The filters that shrink the coefficients of sliding blocks, see kernels/dct.cuh: in
// double, voxel by voxel and block by block, with transforms written as plain sums.
#include "fake.h"

#include <math.h>
#include <stdint.h>

typedef struct {
    Box in, pilot, voxels, mask, out;
    int32_t dims[3], size[3];
    float rows[3][8][4];
    float unit, limit, back;
    int32_t pad;
} DctParams;

enum { MOST = 512 }; // coefficients of a block

// basis returns the value at sample i of row k along an axis.
static double basis(const DctParams *p, int axis, int k, int i)
{
    int n = p->size[axis], j = n - 1 - i;
    return i <= j ? p->rows[axis][k][i] : k % 2 ? -p->rows[axis][k][j] : p->rows[axis][k][j];
}

// transform computes the coefficients, in the unit of the limit, of a block.
static void transform(const DctParams *p, const Box *in, const int at[3], double *c)
{
    int n = p->size[0] * p->size[1] * p->size[2];
    double s[MOST];
    for (int i = 0; i < n; i++)
        s[i] = p->unit * (double)boxAt(in, at[0] + i % p->size[0], at[1] + i / p->size[0] % p->size[1], at[2] + i / p->size[0] / p->size[1]);
    for (int axis = 0, stride = 1; axis < 3; stride *= p->size[axis++]) {
        for (int i = 0; i < n; i++) {
            int k = i / stride % p->size[axis];
            c[i] = 0;
            for (int j = 0; j < p->size[axis]; j++) c[i] += basis(p, axis, k, j) * s[i + (j - k) * stride];
        }
        for (int i = 0; i < n; i++) s[i] = c[i];
    }
}

// removedAt is what is removed from the sample at `here` of a block with coefficients c
// that remain to be removed.
static double removedAt(const DctParams *p, const double *c, const int here[3])
{
    int n = p->size[0] * p->size[1] * p->size[2];
    double sum = 0;
    for (int k = 0; k < n; k++)
        if (c[k] != 0)
            sum += c[k] * basis(p, 0, k % p->size[0], here[0]) * basis(p, 1, k / p->size[0] % p->size[1], here[1]) *
                   basis(p, 2, k / p->size[0] / p->size[1], here[2]);
    return sum;
}

static double odctVoxel(const DctParams *p, const int at[3])
{
    int b[3], n = p->size[0] * p->size[1] * p->size[2];
    double removed = 0, weight = 0, c[MOST];
    for (b[2] = at[2] - p->size[2] + 1; b[2] <= at[2]; b[2]++)
        for (b[1] = at[1] - p->size[1] + 1; b[1] <= at[1]; b[1]++)
            for (b[0] = at[0] - p->size[0] + 1; b[0] <= at[0]; b[0]++) {
                int inside = 1, here[3];
                for (int k = 0; k < 3; k++) {
                    inside = inside && b[k] >= 0 && b[k] + p->size[k] <= p->dims[k];
                    here[k] = at[k] - b[k];
                }
                if (!inside) continue;
                transform(p, &p->in, b, c);
                double kept = 1;
                c[0] = 0;
                for (int k = 1; k < n; k++)
                    if (fabs(c[k]) > p->limit) {
                        kept++;
                        c[k] = 0;
                    }
                removed += removedAt(p, c, here) / kept;
                weight += 1 / kept;
            }
    return boxAt(&p->in, at[0], at[1], at[2]) - removed / weight * p->back;
}

void odct(const void *args)
{
    const DctParams *p = args;
    const Box *o = &p->out;
    int across = o->max[0] - o->min[0], down = o->max[1] - o->min[1], rows = down * (o->max[2] - o->min[2]);
#pragma omp parallel for
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < across; i++) {
            int at[3] = {o->min[0] + i, o->min[1] + row % down, o->min[2] + row / down};
            int excluded = p->mask.data && !((const uint8_t *)p->mask.data)[boxIndex(&p->mask, at[0], at[1], at[2])];
            ((float *)o->data)[boxIndex(o, at[0], at[1], at[2])] = excluded ? boxAt(&p->voxels, at[0], at[1], at[2]) : (float)odctVoxel(p, at);
        }
}
