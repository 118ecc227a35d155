// The Gaussian filter, truncated at its radius:
//
//   out_i = sum_j g_d v_j / sum_j g_d,   g_d = exp(-1/2 sum_a (d_a / sigma_a)^2)
//
// over the neighbours that are in the volume and not masked. Both sums are separable.
// A block filters a tile of 32 x 32 voxels in DEPTH slices: it reads every slice of
// their neighbourhood once, sums along x and along y through shared memory, and adds
// the slice, weighted, to all of its results, which are in registers.
//
// If no voxel is masked, the sum of the weights is the product of three sums of those
// that lie inside the volume along one axis.
#include "gaussian_params.cuh"

constexpr int kTile = 32;
constexpr int kLines = 8;             // warps
constexpr int kEach = kTile / kLines; // voxels of a thread in a slice, one below the other

// Taps are the weights along an axis, followed and preceded by zeros.
struct Taps {
    const float *at; // of offset -radius
    int radius;

    // inside returns the sum of those that lie in an axis of n voxels around index i.
    __device__ float inside(int i, int n) const
    {
        float sum = 0;
        for (int d = max(-radius, -i); d <= min(radius, n - 1 - i); ++d) sum += at[d + radius];
        return sum;
    }
};

// tabulate fills a table with the weights along an axis between zeros.
__device__ inline Taps tabulate(float *table, int size, int zeros, int radius, float decay)
{
    for (int i = threadIdx.y * kTile + threadIdx.x; i < size; i += kTile * kLines) {
        int d = i - zeros - radius;
        table[i] = abs(d) <= radius ? powerOfTwo(-decay * float(d * d)) : 0;
    }
    return {table + zeros, radius};
}

template <bool MASKED, int DEPTH>
__device__ inline void blur(const GaussianParams &p)
{
    constexpr int kSums = MASKED ? 2 : 1; // of g (v - reference) and of g
    constexpr int kRows = MASKED ? 3 : 5; // rows that a warp reads or sums at once, so that their latencies overlap
    extern __shared__ float4 memory[];
    __shared__ float alongZ[DEPTH]; // the sums of the taps inside the volume along z
    const Field &f = p.field;
    const Tile t = tileOf(f, kTile, kTile, DEPTH);
    const int rx = p.radius[0], ry = p.radius[1], rz = p.radius[2];
    const int lane = threadIdx.x, warp = threadIdx.y;

    // Shared memory, see gaussianLaunch: the taps, the sums along x of all rows, and a band
    // of rows. Four taps along x are read at once, so that a row is read beyond its end.
    const int xTaps = (2 * rx + 4) / 4 * 4, yTaps = 2 * ry + 1 + 2 * (kEach - 1), zTaps = 2 * rz + 1 + 2 * (DEPTH - 1);
    const int rows = kTile + 2 * ry, columns = kTile + 2 * rx, pitch = kTile + xTaps;
    float *shared = reinterpret_cast<float *>(memory);
    const Taps gx = tabulate(shared, xTaps, 0, rx, p.decay[0]);
    const Taps gy = tabulate(shared + xTaps, yTaps, kEach - 1, ry, p.decay[1]);
    const Taps gz = tabulate(shared + xTaps + yTaps, zTaps, DEPTH - 1, rz, p.decay[2]);
    float *lines = shared + xTaps + yTaps + zTaps;
    float *band = lines + kSums * rows * kTile;
    for (int r = warp; r < kSums * p.band; r += kLines)
        if (lane < pitch - columns) band[r * pitch + columns + lane] = 0;

    const float reference = referenceOf(f, t, kTile);
    const int x = t.x + lane, y = t.y + warp * kEach, end = min(t.z + DEPTH, f.max[2]);
    __syncthreads(); // the taps are there
    float alongX = 0, alongY[kEach] = {};
    if (!MASKED) {
        alongX = gx.inside(x, f.dims[0]);
#pragma unroll
        for (int i = 0; i < kEach; ++i) alongY[i] = gy.inside(y + i, f.dims[1]);
        if (warp == 0 && lane < DEPTH) alongZ[lane] = gz.inside(t.z + lane, f.dims[2]);
    }

    float sums[kSums][DEPTH][kEach] = {};
    for (int z = max(t.z - rz, 0); z < min(end + rz, f.dims[2]); ++z) {
        const std::size_t slice = std::size_t(z - f.first) * f.dims[1] * f.dims[0];
        for (int from = 0; from < rows; from += p.band) {
            const int count = min(p.band, rows - from), top = t.y - ry + from;
            __syncthreads(); // the band has been summed, and the lines of the previous slice too
            for (int r = warp; r < count; r += kRows * kLines) {
                for (int c = lane; c < columns; c += 2 * kTile) {
                    float value[2][kRows], used[2][kRows];
#pragma unroll
                    for (int i = 0; i < 2; ++i) {
#pragma unroll
                        for (int j = 0; j < kRows; ++j) {
                            const int vx = t.x - rx + c + i * kTile, vy = top + r + j * kLines;
                            const bool inside = unsigned(vx) < unsigned(f.dims[0]) && unsigned(vy) < unsigned(f.dims[1]) &&
                                                c + i * kTile < columns && r + j * kLines < count;
                            const std::size_t at = slice + unsigned(vy * f.dims[0] + vx);
                            const bool valid = inside && (!MASKED || __ldg(f.mask + at));
                            value[i][j] = valid ? __ldg(f.in + at) - reference : 0;
                            used[i][j] = valid;
                        }
                    }
#pragma unroll
                    for (int i = 0; i < 2; ++i) {
#pragma unroll
                        for (int j = 0; j < kRows; ++j) {
                            if (c + i * kTile >= columns || r + j * kLines >= count) continue;
                            float *to = band + (r + j * kLines) * pitch + c + i * kTile;
                            *to = value[i][j];
                            if (MASKED) to[p.band * pitch] = used[i][j];
                        }
                    }
                }
            }
            __syncthreads();
            for (int r = warp; r < count; r += kRows * kLines) {
#pragma unroll
                for (int s = 0; s < kSums; ++s) {
                    const float *row[kRows];
                    float sum[kRows] = {};
#pragma unroll
                    for (int j = 0; j < kRows; ++j) row[j] = band + (s * p.band + min(r + j * kLines, count - 1)) * pitch + lane;
                    for (int k = 0; k < xTaps; k += 4) {
                        const float4 g = *reinterpret_cast<const float4 *>(gx.at + k);
#pragma unroll
                        for (int j = 0; j < kRows; ++j) {
                            sum[j] += g.x * row[j][k];
                            sum[j] += g.y * row[j][k + 1];
                            sum[j] += g.z * row[j][k + 2];
                            sum[j] += g.w * row[j][k + 3];
                        }
                    }
#pragma unroll
                    for (int j = 0; j < kRows; ++j)
                        if (r + j * kLines < count) lines[(s * rows + from + r + j * kLines) * kTile + lane] = sum[j];
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int s = 0; s < kSums; ++s) {
            const float *line = lines + (s * rows + warp * kEach) * kTile + lane;
            float slice[kEach] = {}, g[kEach] = {}; // g[i]: the tap of row r for voxel i
#pragma unroll 4
            for (int r = 0; r < 2 * ry + kEach; ++r) {
#pragma unroll
                for (int i = kEach - 1; i > 0; --i) g[i] = g[i - 1];
                g[0] = gy.at[r];
#pragma unroll
                for (int i = 0; i < kEach; ++i) slice[i] += g[i] * line[r * kTile];
            }
#pragma unroll
            for (int d = 0; d < DEPTH; ++d) {
                const float weight = gz.at[z - t.z - d + rz];
#pragma unroll
                for (int i = 0; i < kEach; ++i) sums[s][d][i] += weight * slice[i];
            }
        }
    }

#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
        const int z = t.z + d;
        if (z >= end) break;
        const float alongXZ = MASKED ? 0 : alongX * alongZ[d];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (x >= f.max[0] || y + i >= f.max[1]) continue;
            const float den = MASKED ? sums[kSums - 1][d][i] : alongXZ * alongY[i];
            const bool valid = !MASKED || f.valid(x, y + i, z);
            *f.result(x, y + i, z) = valid ? reference + sums[0][d][i] / den : __ldg(f.in + f.index(x, y + i, z));
        }
    }
}

extern "C" __global__ void __launch_bounds__(kTile * kLines, 2) gaussian(const __grid_constant__ GaussianParams p)
{
    blur<false, 16>(p);
}

extern "C" __global__ void __launch_bounds__(kTile * kLines, 2) gaussian_masked(const __grid_constant__ GaussianParams p)
{
    blur<true, 8>(p);
}
