// What a filter removed, d = v - f, taken by frequency (package equalise):
//
//   out = v - sum_k sum_j w_kj (B_k * (d_(z+j) + d_(z-j)) / 2),   j = 0 .. slices - 1, once for j = 0
//
// B_0 is the identity, and B_k is B_(k-1) after (1 2 1) / 4 along x and y with taps 2^(k-1) voxels apart. The volume continues
// as in a mirror; d is 0 in an excluded voxel, whose f keeps the unit of the volume under a noise map.
//
// A block computes 32 x 32 voxels of kDepth slices. Slice by slice it reads d with the surroundings, smooths it in shared memory
// from level to level, and adds what the levels give for each distance to its results, of which a ring is in registers.
#include "box.cuh"

constexpr int kTile = 32, kRows = 8, kEach = kTile / kRows, kDepth = 16;
constexpr int kLevels = 4, kSlices = 4;
constexpr int kMargin = (1 << (kLevels - 1)) - 1, kSide = kTile + 2 * kMargin;

// EqualiseParams mirrors struct equaliseParams of equalise.go.
struct EqualiseParams {
    Box<const float> in, original, voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    int levels, slices;
    float weights[kLevels * kSlices];
    int pad;
};
static_assert(sizeof(EqualiseParams) == 248);

// mirror maps an index to [0, n): ... 1 0 | 0 1 ... n-1 | n-1 n-2 ...
__device__ inline int mirror(int i, int n)
{
    if (unsigned(i) < unsigned(n)) return i;
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i < n ? i : 2 * n - 1 - i;
}

extern "C" __global__ void __launch_bounds__(kTile * kRows) equalise(const __grid_constant__ EqualiseParams p)
{
    __shared__ float plane[kSide][kSide + 1], half[kSide][kSide + 1];
    const int *lo = p.out.min, *hi = p.out.max;
    const unsigned across = (hi[0] - lo[0] + kTile - 1) / kTile, down = (hi[1] - lo[1] + kTile - 1) / kTile;
    const unsigned line = blockIdx.x / across;
    const int x0 = lo[0] + int(blockIdx.x - line * across) * kTile, y0 = lo[1] + int(line % down) * kTile;
    const int z0 = lo[2] + int(line / down) * kDepth, z1 = min(z0 + kDepth, hi[2]);
    const int thread = threadIdx.y * kTile + threadIdx.x, reach = p.slices - 1, margin = (1 << (p.levels - 1)) - 1;
    const int side = kTile + 2 * margin;

    // ring[i] is the sum of slice z - reach + i, once slice z is added; only the first 2 reach + 1 are in use.
    float ring[2 * kSlices - 1][kEach] = {};
    for (int z = z0 - reach; z < z1 + reach; ++z) {
        const int mz = mirror(z, p.dims[2]);
        __syncthreads();
        for (int i = thread; i < side * side; i += kTile * kRows) {
            const int r = i / side, c = i - r * side;
            const int x = mirror(x0 - margin + c, p.dims[0]), y = mirror(y0 - margin + r, p.dims[1]);
            // What lies beyond the region and its surroundings is read by no voxel of it.
            const bool near = x >= p.in.min[0] && x < p.in.max[0] && y >= p.in.min[1] && y < p.in.max[1];
            plane[r][c] = near && valid(p.dims, p.mask, x, y, mz) ? p.original.at(x, y, mz) - p.in.at(x, y, mz) : 0;
        }
        __syncthreads();
        float sums[kSlices][kEach] = {};
        int m = margin; // of the surroundings that the plane holds
        for (int k = 0; k < p.levels; ++k) {
            if (k > 0) {
                const int step = 1 << (k - 1), wide = kTile + 2 * m;
                m -= step;
                const int narrow = kTile + 2 * m;
                for (int i = thread; i < wide * narrow; i += kTile * kRows) {
                    const int r = i / narrow, c = i - r * narrow;
                    half[r][c] = 0.25f * (plane[r][c] + plane[r][c + 2 * step]) + 0.5f * plane[r][c + step];
                }
                __syncthreads();
                for (int i = thread; i < narrow * narrow; i += kTile * kRows) {
                    const int r = i / narrow, c = i - r * narrow;
                    plane[r][c] = 0.25f * (half[r][c] + half[r + 2 * step][c]) + 0.5f * half[r + step][c];
                }
                __syncthreads();
            }
#pragma unroll
            for (int e = 0; e < kEach; ++e) {
                const float b = plane[m + threadIdx.y + e * kRows][m + threadIdx.x];
#pragma unroll
                for (int j = 0; j < kSlices; ++j) sums[j][e] = fmaf(p.weights[k * kSlices + j], b, sums[j][e]);
            }
        }
        const int at = z - reach; // the slice that is complete
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
#pragma unroll
            for (int i = 0; i < 2 * kSlices - 1; ++i) {
                const int j = abs(i - reach);
                float s = 0;
#pragma unroll
                for (int q = 0; q < kSlices; ++q) s = j == q ? sums[q][e] : s;
                if (i <= 2 * reach) ring[i][e] += s;
            }
            const int x = x0 + threadIdx.x, y = y0 + threadIdx.y + e * kRows;
            if (at >= z0 && x < hi[0] && y < hi[1]) {
                const float v = p.original.at(x, y, at);
                p.out.at(x, y, at) = valid(p.dims, p.mask, x, y, at) ? v - ring[0][e] : p.voxels.at(x, y, at);
            }
#pragma unroll
            for (int i = 0; i < 2 * kSlices - 2; ++i) ring[i][e] = i < 2 * reach ? ring[i + 1][e] : 0;
            ring[2 * kSlices - 2][e] = 0;
        }
    }
}
