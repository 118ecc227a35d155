// Non-local means for one voxel, directly from the definition: any radius and every
// option, without a tile. If the weights of a voxel underflow in float32, it is left to
// a second kernel in float64. The fast kernels of nlm.cuh filter such voxels themselves.
//
//   D_ij  = sum_k a_k |v_{i+k} - v_{j+k}|^2
//   w_ij  = exp(-max(0, D_ij - C_ij) / h^2)           weighting gaussian
//   C_ij  = 2 sigma^2 (1 - rho(j - i))
//   w_ij  = T_i - D_ij, T_i = sum_j D_ij              weighting lk, |.|^k in D
//   out_i = v_i + sum_j w_ij (v_j - v_i) / sum_j w_ij
//
// rician: the root of the same mean of v^2, minus 2 sigma^2, clamped at 0.
#pragma once

#include "nlm_params.cuh"

constexpr unsigned kAll = ~0u; // mask of all lanes of a warp

// Base-2 logarithms of weights: of a neighbour that is not used; of the largest
// weight of a voxel, below which its weights underflow in float32; and of weights that
// underflow even in float64, whose smallest number is 2^-1074.
constexpr float kUnused = -1e30f;
constexpr float kUnderflow = -96;
constexpr float kUnderflow64 = -1080;

// kUnderflowMark is the bit pattern in the result of a voxel that is left to
// nlm_underflow: a NaN that no arithmetic produces.
constexpr unsigned kUnderflowMark = 0x7FC0FA17;

// patchDistance returns D of the patches around i = (x, y, z) and j for values
// multiplied by scale, without the product of the middle taps. SWAPS is that of Field.
template <class Real, bool SWAPS = false>
__device__ inline Real patchDistance(const NlmParams &p, Real scale, int x, int y, int z, int jx, int jy, int jz)
{
    const Field &f = p.field;
    const int rx = p.patch[0], ry = p.patch[1], rz = p.patch[2];
    const int step = SWAPS ? f.columnStep() : 1;
    const bool whole = min(x, jx) >= rx && max(x, jx) + rx < f.dims[0];
    Real sum = 0;
    for (int kz = -rz; kz <= rz; ++kz) {
        Real plane = 0;
        for (int ky = -ry; ky <= ry; ++ky) {
            const float *a = f.row(y + ky, z + kz), *b = f.row(jy + ky, jz + kz);
            Real line = 0;
            for (int kx = -rx; kx <= rx; ++kx) {
                int ax = x + kx, bx = jx + kx;
                if (!whole) {
                    ax = mirror(ax, f.dims[0]);
                    bx = mirror(bx, f.dims[0]);
                }
                Real d = (Real(__ldg(a + ax * step)) - Real(__ldg(b + bx * step))) * scale;
                Real power = d * d;
                if (p.lk == 1) power = fabs(d);
                if (p.lk == 3) power *= fabs(d);
                if (p.lk == 4) power *= power;
                line += Real(p.ring[abs(kx)]) * power;
            }
            plane += Real(p.ring[abs(ky)]) * line;
        }
        sum += Real(p.ring[abs(kz)]) * plane;
    }
    return sum;
}

// difference returns v_j - v_i, or v_j^2 - v_i^2 for rician.
__device__ inline double difference(const NlmParams &p, double vj, double vi)
{
    return p.rician ? (vj - vi) * (vj + vi) : vj - vi;
}

// fromMean returns the result, given the weighted mean of the differences. Double
// precision keeps the root accurate if the mean square is close to zero.
__device__ inline float fromMean(const NlmParams &p, float v, double mean)
{
    if (!p.rician) return float(v + mean);
    double square = double(v) * v + mean - p.bias;
    return float(sqrt(fmax(square, 0.0)));
}

// SearchRegion numbers the neighbours of a voxel that are in the volume.
struct SearchRegion {
    int x, y, z, across, down, size;

    __device__ SearchRegion(const NlmParams &p, int cx, int cy, int cz)
    {
        const Field &f = p.field;
        x = max(cx - p.search[0], 0);
        y = max(cy - p.search[1], 0);
        z = max(cz - p.search[2], 0);
        across = min(cx + p.search[0], f.dims[0] - 1) - x + 1;
        down = min(cy + p.search[1], f.dims[1] - 1) - y + 1;
        size = across * down * (min(cz + p.search[2], f.dims[2] - 1) - z + 1);
    }
};

// AllNeighbours is the choice of all neighbours: the argument used of the functions
// below says which voxels j of the search region of a voxel count.
struct AllNeighbours {
    __device__ bool operator()(int, int, int, int, int, int) const { return true; }
};

// exactVoxel filters one voxel in float64, with Gaussian weights and centre rule max.
// All THREADS of a block call it together and divide the neighbours among them. The
// first thread gets the result. SWAPS is that of Field.
template <int THREADS, bool SWAPS = false, class USED>
__device__ inline float exactVoxel(const NlmParams &p, int x, int y, int z, USED used)
{
    __shared__ double sums[THREADS / 32][3];
    const Field &f = p.field;
    const float v = __ldg(f.in + f.index<true>(x, y, z));
    const SearchRegion region(p, x, y, z);
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    double num = 0, den = 0, most = 0;
    for (int n = thread; n < region.size; n += THREADS) {
        int jx = region.x + n % region.across, line = n / region.across;
        int jy = region.y + line % region.down, jz = region.z + line / region.down;
        if ((jx == x && jy == y && jz == z) || !f.valid<true>(jx, jy, jz) || !used(x, y, z, jx, jy, jz)) continue;
        double distance = patchDistance<double, SWAPS>(p, p.scale, x, y, z, jx, jy, jz);
        double w = exp2(-fmax(distance - cutAt(p, jx - x, jy - y, jz - z), 0.0));
        num += w * difference(p, __ldg(f.in + f.index<true>(jx, jy, jz)), v);
        den += w;
        most = fmax(most, w);
    }
    for (int k = 16; k > 0; k /= 2) {
        num += __shfl_xor_sync(kAll, num, k);
        den += __shfl_xor_sync(kAll, den, k);
        most = fmax(most, __shfl_xor_sync(kAll, most, k));
    }
    __syncthreads(); // all threads have read the sums of the previous voxel
    if (thread % 32 == 0) {
        sums[thread / 32][0] = num;
        sums[thread / 32][1] = den;
        sums[thread / 32][2] = most;
    }
    __syncthreads();
    num = den = most = 0;
    for (const auto &warp : sums) {
        num += warp[0];
        den += warp[1];
        most = fmax(most, warp[2]);
    }
    den += most;
    return den == 0 ? v : fromMean(p, v, num / den);
}

// VoxelSums holds the sums of one voxel over its whole search region.
struct VoxelSums {
    double num = 0, den = 0;      // of w (v_j - v_i) and w
    float log = kUnused;           // largest logarithm of w
    double total = 0, nearest = 1e300, differences = 0, weighted = 0; // for lk: sum of D, smallest D, sums of v_j - v_i and of D (v_j - v_i)
    int count = 0;

    __device__ void add(const NlmParams &p, float distance, float cut, double d)
    {
        ++count;
        if (p.lk > 0) {
            double scaled = double(distance) * p.norm;
            total += scaled;
            nearest = fmin(nearest, scaled);
            differences += d;
            weighted += scaled * d;
        } else {
            float exponent = fminf(cut - distance, 0.f), w = powerOfTwo(exponent);
            num += w * d;
            den += w;
            log = fmaxf(log, exponent);
        }
    }

    // result returns the filtered voxel; v is its original value.
    __device__ float result(const NlmParams &p, float v) const
    {
        if (count == 0) return fromMean(p, v, 0);
        if (p.lk > 0) {
            double all = double(count - 1) * total + (p.one ? total : total - nearest);
            return all == 0 ? v : fromMean(p, v, (total * differences - weighted) / all);
        }
        if (!p.one && log < kUnderflow) return log < kUnderflow64 ? v : __uint_as_float(kUnderflowMark);
        return fromMean(p, v, num / (den + (p.one ? 1 : powerOfTwo(log))));
    }
};

// plainVoxel filters one voxel in float32, with sums in float64. It returns
// kUnderflowMark if the weights underflow.
template <class USED>
__device__ inline float plainVoxel(const NlmParams &p, int x, int y, int z, USED used)
{
    const Field &f = p.field;
    const float v = __ldg(f.in + f.index<true>(x, y, z));
    const SearchRegion region(p, x, y, z);
    VoxelSums sums;
    for (int n = 0; n < region.size; ++n) {
        int jx = region.x + n % region.across, line = n / region.across;
        int jy = region.y + line % region.down, jz = region.z + line / region.down;
        if ((jx == x && jy == y && jz == z) || !f.valid<true>(jx, jy, jz) || !used(x, y, z, jx, jy, jz)) continue;
        float distance = patchDistance<float>(p, p.scale, x, y, z, jx, jy, jz);
        sums.add(p, distance, cutAt(p, jx - x, jy - y, jz - z), difference(p, __ldg(f.in + f.index<true>(jx, jy, jz)), v));
    }
    return sums.result(p, v);
}
