// The passes around those of a filter that stabilise Rician noise, see
// kernels/noisemap.cu and package rice.
#include "fake.h"

#include <math.h>
#include <stdint.h>

typedef struct {
    Box in, voxels, mask, out;
    int32_t dims[3], pad;
    double sigma, shift, floor;
    double slopes[25], values[25], squares[19], rises[19];
} StabiliseParams;

static double stabilised(const StabiliseParams *p, double z)
{
    if (z >= 6) return z - 1 / (4 * z) + p->shift;
    if (!(z > 0)) return 0;
    int k = z / 0.25;
    double t = z - 0.25 * k, slope = p->slopes[k];
    return p->values[k] + slope * t + (p->slopes[k + 1] - slope) / 0.25 * t * t / 2;
}

static double signalOf(const StabiliseParams *p, double d)
{
    double at = (d - p->floor) / 0.5;
    if (!(at > 0)) return 0;
    if (at >= 18) {
        d -= p->shift;
        return d / 2 * (1 + sqrt(1 - 1 / (d * d)));
    }
    // The cubic through two squares with the derivatives there, by Hermite's polynomials.
    int k = at;
    double t = at - k;
    return sqrt(p->squares[k] * (1 + 2 * t) * (1 - t) * (1 - t) + 0.5 * p->rises[k] * t * (1 - t) * (1 - t) +
                p->squares[k + 1] * t * t * (3 - 2 * t) + 0.5 * p->rises[k + 1] * t * t * (t - 1));
}

static void run(const StabiliseParams *p, int forward)
{
    const Box *o = &p->out;
    for (int z = o->min[2]; z < o->max[2]; z++)
        for (int y = o->min[1]; y < o->max[1]; y++)
            for (int x = o->min[0]; x < o->max[0]; x++) {
                double v = boxAt(&p->in, x, y, z);
                int excluded = !forward && p->mask.data && !((const uint8_t *)p->mask.data)[boxIndex(&p->mask, x, y, z)];
                ((float *)o->data)[boxIndex(o, x, y, z)] =
                    excluded ? boxAt(&p->voxels, x, y, z) : forward ? stabilised(p, v / p->sigma) : signalOf(p, v) * p->sigma;
            }
}

void stabiliseNoise(const void *args) { run(args, 1); }
void restoreSignal(const void *args) { run(args, 0); }
