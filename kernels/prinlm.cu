// Prefiltered rotationally invariant non-local means (Manjon 2012), with the prefiltered
// volume g (odct) and its mean m over a voxel and its next neighbours:
//
//   out_i = v_i + sum_j w_ij (v_j - v_i) / sum_j w_ij
//   w_ij  = exp(-((g_j - g_i)^2 + 3 (m_j - m_i)^2) / 4 h^2)
//
// over the search region, with w_ii the largest of the other weights, or 1. With g and m
// scaled by sqrt(log2(e) / 4) / h, m by sqrt(3) more, w = 2^-(dg^2 + dm^2).
//
// A lane of prinlm_average computes four voxels of a column. For every (dx, dz) it goes
// down the column of neighbours: each is read once from shared memory and used for all
// four. The tile in shared memory holds the rows of one slice around the block, wide
// enough for some steps of dx; wider neighbourhoods and further slices follow one after
// the other. Neighbours that are outside or excluded hold kExcluded, whose weight is zero.
// A voxel whose weights float32 does not hold well enough is computed again in float64.
#include "prinlm_params.cuh"

constexpr int kStrip = 4;          // voxels of a lane
constexpr int kWarps = 4;          // warps of a block
constexpr float kExcluded = 1e18f; // its square is finite and 2^-(its square) is 0
constexpr float kFaint = 0x1p-64f; // a largest weight below it is not used
constexpr float kSteep = 400;      // see Strip::faint

// powerOfTwo returns 2^x within 2 ulp, in one instruction; 0 below 2^-126.
__device__ inline float powerOfTwo(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Strip holds the voxels of a lane and their sums.
struct Strip {
    float g[kStrip], m[kStrip], v[kStrip];
    float num[kStrip], den[kStrip], peak[kStrip];

    // add adds a neighbour to the sums of voxel i.
    __device__ void add(int i, float gj, float mj, float vj)
    {
        const float dg = gj - g[i], dm = mj - m[i], w = powerOfTwo(-fmaf(dg, dg, dm * dm));
        num[i] = fmaf(w, vj - v[i], num[i]);
        den[i] += w;
        peak[i] = fmaxf(peak[i], w);
    }

    // faint returns whether float64 is needed for voxel i: its weights are too small, or too far
    // off. The rounding of g and m moves dg and dm by up to 2^-23 (|g| + |m|), and the weight
    // 2^-(d^2) by 2 d times as much: less than 1e-4 up to kSteep.
    __device__ bool faint(int i) const
    {
        return peak[i] < kFaint || sqrtf(-__log2f(fminf(peak[i], 1))) * (fabsf(g[i]) + fabsf(m[i])) > kSteep;
    }
};

// exactly computes a voxel in float64.
__device__ float exactly(const PrinlmParams &p, int x, int y, int z)
{
    const double v = p.in.at(x, y, z), g = p.guide.at(x, y, z), m = p.mean.at(x, y, z);
    double num = 0, den = 0, peak = 0;
    for (int jz = z - p.radius[2]; jz <= z + p.radius[2]; ++jz)
        for (int jy = y - p.radius[1]; jy <= y + p.radius[1]; ++jy)
            for (int jx = x - p.radius[0]; jx <= x + p.radius[0]; ++jx) {
                if ((jx == x && jy == y && jz == z) || !valid(p.dims, p.mask, jx, jy, jz)) continue;
                const double dg = (p.guide.at(jx, jy, jz) - g) * p.inverse, dm = (p.mean.at(jx, jy, jz) - m) * p.inverse;
                const double w = exp(-0.25 * (dg * dg + 3 * (dm * dm)));
                num += w * (p.in.at(jx, jy, jz) - v);
                den += w;
                peak = fmax(peak, w);
            }
    den += p.one ? 1 : peak;
    return den == 0 ? float(v) : float(v + num / den);
}

extern "C" __global__ void __launch_bounds__(32 * kWarps)
prinlm_average(const __grid_constant__ PrinlmParams p)
{
    extern __shared__ float tile[];
    const unsigned across = (p.out.max[0] - p.out.min[0] + 31) / 32, down = (p.out.max[1] - p.out.min[1] + kStrip * kWarps - 1) / (kStrip * kWarps);
    const unsigned line = blockIdx.x / across;
    const int x0 = p.out.min[0] + int(blockIdx.x - line * across) * 32, y0 = p.out.min[1] + int(line % down) * kStrip * kWarps;
    const int z = p.out.min[2] + int(line / down), lane = threadIdx.x, warp = threadIdx.y;
    const int x = x0 + lane, y = y0 + warp * kStrip;
    // Differences from one value of the tile keep the digits of small differences.
    const float reference = p.in.at(x0, y0, z), guide = p.guide.at(x0, y0, z);

    Strip s;
#pragma unroll
    for (int i = 0; i < kStrip; ++i) {
        const bool inside = x < p.out.max[0] && y + i < p.out.max[1];
        s.g[i] = inside ? (p.guide.at(x, y + i, z) - guide) * p.scale[0] : 0;
        s.m[i] = inside ? (p.mean.at(x, y + i, z) - guide) * p.scale[1] : 0;
        s.v[i] = inside ? p.in.at(x, y + i, z) - reference : 0;
        s.num[i] = s.den[i] = s.peak[i] = 0;
    }

    const int rows = kStrip * kWarps + 2 * p.radius[1], plane = rows * p.columns;
    for (int dz = -p.radius[2]; dz <= p.radius[2]; ++dz) {
        if (unsigned(z + dz) >= unsigned(p.dims[2])) continue;
        for (int first = -p.radius[0]; first <= p.radius[0]; first += p.columns - 31) {
            __syncthreads(); // all threads have read the previous tile
            for (int r = warp; r < rows; r += kWarps) {
                const int ty = y0 - p.radius[1] + r;
                for (int c = lane; c < p.columns; c += 32) {
                    const int tx = x0 + first + c, at = r * p.columns + c;
                    // The boxes hold what the region's voxels read, not what the block's would.
                    const bool held = tx < p.out.max[0] + p.radius[0] && ty < p.out.max[1] + p.radius[1];
                    const bool use = held && valid(p.dims, p.mask, tx, ty, z + dz);
                    tile[at] = use ? (p.guide.at(tx, ty, z + dz) - guide) * p.scale[0] : kExcluded;
                    tile[plane + at] = use ? (p.mean.at(tx, ty, z + dz) - guide) * p.scale[1] : kExcluded;
                    tile[2 * plane + at] = use ? p.in.at(tx, ty, z + dz) - reference : 0;
                }
            }
            __syncthreads();
            const int steps = min(p.columns - 31, p.radius[0] - first + 1);
#pragma unroll 1
            for (int k = 0; k < steps; ++k) {
                const float *at = tile + warp * kStrip * p.columns + lane + k;
                const bool middle = dz == 0 && first + k == 0;
#pragma unroll 2
                for (int n = 0; n < 2 * p.radius[1] + kStrip; ++n, at += p.columns) {
                    const float g = at[0], m = at[plane], v = at[2 * plane];
#pragma unroll
                    for (int i = 0; i < kStrip; ++i) {
                        const int dy = n - i - p.radius[1];
                        if (dy < -p.radius[1] || dy > p.radius[1] || (middle && dy == 0)) continue;
                        s.add(i, g, m, v);
                    }
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < kStrip; ++i) {
        if (x >= p.out.max[0] || y + i >= p.out.max[1]) continue;
        float result = p.voxels.at(x, y + i, z);
        if (valid(p.dims, p.mask, x, y + i, z)) {
            if (p.one) result = p.in.at(x, y + i, z) + s.num[i] / (s.den[i] + 1);
            else if (s.faint(i)) result = exactly(p, x, y + i, z);
            else result = p.in.at(x, y + i, z) + s.num[i] / (s.den[i] + s.peak[i]);
        }
        p.out.at(x, y + i, z) = result;
    }
}

// A thread of prinlm_mean computes the mean of g, which is its input, for one voxel.
extern "C" __global__ void __launch_bounds__(256)
prinlm_mean(const __grid_constant__ PrinlmParams p)
{
    const unsigned w = p.out.max[0] - p.out.min[0], h = p.out.max[1] - p.out.min[1], d = p.out.max[2] - p.out.min[2];
    const std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, line = n / w;
    if (line >= std::size_t(h) * d) return;
    const int x = p.out.min[0] + int(n - line * w), y = p.out.min[1] + int(line % h), z = p.out.min[2] + int(line / h);
    if (!valid(p.dims, p.mask, x, y, z)) {
        p.out.at(x, y, z) = p.voxels.at(x, y, z);
        return;
    }
    const float g = p.in.at(x, y, z);
    float sum = 0, count = 0;
    for (int jz = z - p.radius[2]; jz <= z + p.radius[2]; ++jz)
        for (int jy = y - p.radius[1]; jy <= y + p.radius[1]; ++jy)
            for (int jx = x - p.radius[0]; jx <= x + p.radius[0]; ++jx)
                if (valid(p.dims, p.mask, jx, jy, jz)) {
                    sum += p.in.at(jx, jy, jz) - g;
                    count += 1;
                }
    p.out.at(x, y, z) = g + sum / count;
}
