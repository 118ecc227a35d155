// The two passes of filtertest.Filter, a filter for tests: a mean weighted by the noise
// map, then a mean weighted by the guide.
//
//   mean_i   = v_i + sum_j r_ij^2 (v_j - v_i) / (1 + sum_j r_ij^2),   r_ij = sigma_i / sigma_j
//   result_i = m_i + sum_j w_ij (m_j - m_i) / (1 + sum_j w_ij),       m = mean,
//              w_ij = exp(-1/2 ((g_j - g_i) / sigma_g)^2)
#include "../box.cuh"

// TwopassParams mirrors struct params of kerneltest.go.
struct TwopassParams {
    Box<const float> in;    // the voxels, or the result of the first pass
    Box<const float> map;   // the noise map, or the guide
    Box<const float> voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    int radius[3];
    double inverse; // 1 / sigma_g
};
static_assert(sizeof(TwopassParams) == 192);

// average computes one voxel per thread. weight(here, there) returns the weight of a
// neighbour, given the values of the map at both voxels.
template <class Weight>
__device__ inline void average(const TwopassParams &p, Weight weight)
{
    int w = p.out.max[0] - p.out.min[0], h = p.out.max[1] - p.out.min[1], d = p.out.max[2] - p.out.min[2];
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x, line = n / w;
    if (line >= unsigned(h * d)) return;
    int x = p.out.min[0] + n % w, y = p.out.min[1] + line % h, z = p.out.min[2] + line / h;
    if (!valid(p.dims, p.mask, x, y, z)) {
        p.out.at(x, y, z) = p.voxels.at(x, y, z);
        return;
    }
    double v = p.in.at(x, y, z), here = p.map.at(x, y, z), num = 0, den = 1;
    for (int jz = z - p.radius[2]; jz <= z + p.radius[2]; ++jz)
        for (int jy = y - p.radius[1]; jy <= y + p.radius[1]; ++jy)
            for (int jx = x - p.radius[0]; jx <= x + p.radius[0]; ++jx) {
                if ((jx == x && jy == y && jz == z) || !valid(p.dims, p.mask, jx, jy, jz)) continue;
                double a = weight(here, double(p.map.at(jx, jy, jz)));
                num += a * (p.in.at(jx, jy, jz) - v);
                den += a;
            }
    p.out.at(x, y, z) = float(v + num / den);
}

extern "C" __global__ void twopass_mean(const __grid_constant__ TwopassParams p)
{
    average(p, [](double here, double there) { return here / there * (here / there); });
}

extern "C" __global__ void twopass_guided(const __grid_constant__ TwopassParams p)
{
    average(p, [&](double here, double there) {
        double d = (there - here) * p.inverse;
        return exp(-0.5 * d * d);
    });
}
