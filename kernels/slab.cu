// The mean of neighbouring slices, with the volume g whose slices are smoothed (gaussian):
//
//   m_i(f) = f_i + sum_j w_j (f_j - f_i) / (1 + sum_j w_j)
//   w_j   = min(max(3 - ((g_j - g_i) / s_k)^2, 0), 1)^2
//
// over the voxels j up to reach slices above and below i, k slices away, that are in the volume and not masked; s_k is
// the noise of the difference. The launches compute a = m(v), l = m(g) - (smoothed a), and
// a + (smoothed l), with a reach of 0.
//
// A thread computes one voxel. Warps lie along x; the slices that neighbouring blocks read are in the second-level
// cache.
#include "slab_params.cuh"

constexpr int kRows = 8; // of a block, each of 32 voxels

extern "C" __global__ void __launch_bounds__(32 * kRows)
slab_average(const __grid_constant__ SlabParams p)
{
    const unsigned across = (p.out.max[0] - p.out.min[0] + 31) / 32, down = (p.out.max[1] - p.out.min[1] + kRows - 1) / kRows;
    const unsigned line = blockIdx.x / across;
    const int x = p.out.min[0] + int(blockIdx.x - line * across) * 32 + threadIdx.x;
    const int y = p.out.min[1] + int(line % down) * kRows + threadIdx.y, z = p.out.min[2] + int(line / down);
    if (x >= p.out.max[0] || y >= p.out.max[1]) return;
    if (!valid(p.dims, p.mask, x, y, z)) {
        p.out.at(x, y, z) = p.voxels.at(x, y, z);
        return;
    }
    const float v = p.in.at(x, y, z), g = p.guide.at(x, y, z);
    const int dx = p.axis == 0, dy = p.axis == 1, dz = p.axis == 2;
    float num = 0, den = 1;
#pragma unroll 2
    for (int k = -p.reach; k <= p.reach; ++k) {
        const int jx = x + k * dx, jy = y + k * dy, jz = z + k * dz;
        if (k == 0 || !valid(p.dims, p.mask, jx, jy, jz)) continue;
        const float d = (p.guide.at(jx, jy, jz) - g) * p.inverse[abs(k) - 1];
        const float u = __saturatef(3 - d * d), w = u * u;
        num = fmaf(w, p.in.at(jx, jy, jz) - v, num);
        den += w;
    }
    const float mean = v + num / den;
    p.out.at(x, y, z) = p.more.data ? mean + p.factor * p.more.at(x, y, z) : mean;
}
