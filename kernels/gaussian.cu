// The Gaussian filter, truncated at its radius:
//
//   out_i = sum_j g_d v_j / sum_j g_d,   g_d = exp(-1/2 sum_a (d_a / sigma_a)^2)
//
// over the neighbours that are in the volume and not masked. Both sums are
// separable. A block filters a tile of 32 x 32 voxels: for every slice of the
// neighbourhood it sums along x into shared memory, for each row of the tile and
// its margin, then along y and, in registers, along z.
#include "gaussian_params.cuh"

constexpr int kTile = 32;
constexpr int kLines = 8;               // rows of threads
constexpr int kEach = kTile / kLines;   // voxels of a thread

extern "C" __global__ void __launch_bounds__(kTile * kLines)
gaussian(const __grid_constant__ GaussianParams p)
{
    extern __shared__ float2 lines[]; // sums along x of g (v - reference) and of g
    const Field &f = p.field;
    const Tile t = tileOf(f, kTile, kTile, 1);
    const int x = t.x + threadIdx.x, z = t.z, rx = p.radius[0], ry = p.radius[1];
    const float reference = referenceOf(f, t, kTile);

    float num[kEach] = {}, den[kEach] = {};
    for (int dz = -p.radius[2]; dz <= p.radius[2]; ++dz) {
        if (unsigned(z + dz) >= unsigned(f.dims[2])) continue;
        __syncthreads(); // all threads have read the sums of the previous slice
        for (int r = threadIdx.y; r < kTile + 2 * ry; r += kLines) {
            float2 sum = {0, 0};
            int y = t.y - ry + r;
            if (unsigned(y) < unsigned(f.dims[1])) {
                for (int dx = max(-rx, -x); dx <= min(rx, f.dims[0] - 1 - x); ++dx) {
                    if (!f.valid(x + dx, y, z + dz)) continue;
                    float g = powerOfTwo(-p.decay[0] * float(dx * dx));
                    sum.x += g * (__ldg(f.in + f.index(x + dx, y, z + dz)) - reference);
                    sum.y += g;
                }
            }
            lines[r * kTile + threadIdx.x] = sum;
        }
        __syncthreads();
        for (int dy = -ry; dy <= ry; ++dy) {
            float g = powerOfTwo(-p.decay[1] * float(dy * dy) - p.decay[2] * float(dz * dz));
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                float2 line = lines[(threadIdx.y + i * kLines + dy + ry) * kTile + threadIdx.x];
                num[i] += g * line.x;
                den[i] += g * line.y;
            }
        }
    }

#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        int y = t.y + threadIdx.y + i * kLines;
        if (x >= f.max[0] || y >= f.max[1]) continue;
        *f.result(x, y, z) = f.valid(x, y, z) ? reference + num[i] / den[i] : __ldg(f.in + f.index(x, y, z));
    }
}
