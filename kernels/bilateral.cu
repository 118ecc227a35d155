// The bilateral filter (Tomasi and Manduchi 1998; Bethel 2009, eq. 1-3), exact:
//
//   out_i = v_i + sum_j g_d c_ij (v_j - v_i) / sum_j g_d c_ij,   d = j - i
//   g_d   = exp(-1/2 sum_a (d_a / sigma_a)^2)                    spatial weight
//   c_ij  = exp(-1/2 ((v_j - v_i) / sigma_r)^2)                  range weight
//
// over |d_a| <= radius_a. With values scaled by sqrt(log2(e) / 2) / sigma_r the
// product of both weights is a single power of two: g c = 2^(q_d - dv^2), with
// q_d = -sum_a decay_a d_a^2. A pair costs a subtraction, a fused multiply-add, the
// power and the two sums. The special function unit computes 16 powers per clock
// and multiprocessor, which is the limit of the kernel.
//
// A lane computes a strip of four voxels of a column, or two in small images, which have too
// few strips for the device. For every (dx, dz) it goes down the column of neighbours: each
// is read once from shared memory and used for all voxels of the strip. Their q are
// successive elements of the sequence q(dy), which is shifted by one at every step.
// Neighbours that are outside or masked hold kExcluded, whose weight is zero.
//
// The tile in shared memory holds the rows of one slice around the block, wide
// enough for 33 steps of dx. Wider neighbourhoods and further slices are processed
// one after the other.
//
// For common radii along x the 2 R + 1 neighbours of a row have straight code, in which the part of q that
// depends on dx is in registers. Their weights are summed first, and the sums get the weight along y and z.
//
// Images that are so small that a device waits for each thread rather than for its units
// have kernels for a few sizes of square neighbourhoods, of one voxel a thread and without loops.
#include "bilateral_params.cuh"

constexpr int kColumns = 64;                // columns of the tile
constexpr int kSteps = kColumns - 32 + 1;   // steps of dx that the tile is wide enough for
constexpr float kExcluded = 1e18f;          // its square is finite and 2^-(its square) is 0

// Column is the neighbours of a strip at one (dx, dz), from the top.
struct Column {
    const float *at; // the next neighbour
    float dy;        // from voxel 0 of the strip to it
    float rest;      // the part of q that does not depend on dy
    float decay;
};

// Rows is the same neighbours at one dz, row by row, for the radius R along x.
template <int R>
struct Rows {
    const float *at; // the first of the next row
    float dy;        // from voxel 0 of the strip to it
    float rest;      // the part of q that depends on dz
    float decay;
    float q[R + 1];  // the part that depends on dx, by distance
};

// Strip holds the VOXELS voxels of a lane and their sums.
template <int VOXELS>
struct Strip {
    float own[VOXELS], num[VOXELS], den[VOXELS];
    float q[VOXELS]; // q[i]: q for the offset from voxel i to the current neighbour; with Rows, the weight along y and z

    // step adds the next neighbour of the column to the sums of voxels FROM <= i < TO.
    template <int FROM, int TO>
    __device__ void step(Column &c)
    {
#pragma unroll
        for (int i = VOXELS - 1; i > 0; --i) q[i] = q[i - 1];
        q[0] = fmaf(-c.decay * c.dy, c.dy, c.rest);
        const float v = *c.at;
        c.at += kColumns;
        c.dy += 1;
#pragma unroll
        for (int i = FROM; i < TO; ++i) {
            float d = v - own[i];
            float w = powerOfTwo(fmaf(-d, d, q[i]));
            num[i] = fmaf(w, d, num[i]);
            den[i] += w;
        }
    }

    // step with Rows adds a row of neighbours.
    template <int FROM, int TO, int R>
    __device__ void step(Rows<R> &c)
    {
#pragma unroll
        for (int i = VOXELS - 1; i > 0; --i) q[i] = q[i - 1];
        q[0] = powerOfTwo(fmaf(-c.decay * c.dy, c.dy, c.rest));
        float n[VOXELS], weights[VOXELS]; // sums over the row
#pragma unroll
        for (int k = 0; k <= 2 * R; ++k) {
            const float v = c.at[k];
#pragma unroll
            for (int i = FROM; i < TO; ++i) {
                const float d = v - own[i], w = powerOfTwo(fmaf(-d, d, c.q[k < R ? R - k : k - R]));
                n[i] = k == 0 ? w * d : fmaf(w, d, n[i]);
                weights[i] = k == 0 ? w : weights[i] + w;
            }
        }
#pragma unroll
        for (int i = FROM; i < TO; ++i) {
            num[i] = fmaf(q[i], n[i], num[i]);
            den[i] = fmaf(q[i], weights[i], den[i]);
        }
        c.at += kColumns;
        c.dy += 1;
    }

    // enter and leave add the neighbours at the top and at the bottom of the column
    // that are within the radius of only some of the voxels: of one voxel, two, ...
    template <int N = 1, class C>
    __device__ void enter(C &c)
    {
        if constexpr (N < VOXELS) {
            step<0, N>(c);
            enter<N + 1>(c);
        }
    }

    template <int N = 1, class C>
    __device__ void leave(C &c)
    {
        if constexpr (N < VOXELS) {
            step<N, VOXELS>(c);
            leave<N + 1>(c);
        }
    }

    // steps adds the next N neighbours, which are within the radius of all voxels.
    template <int N>
    __device__ void steps(Column &c)
    {
#pragma unroll
        for (int i = 0; i < N; ++i) step<0, VOXELS>(c);
    }
};

// loadTile fills the rows from y on of the tile with the columns from x on of slice z. A warp
// reads TOGETHER rows together. Voxels outside the volume are read inside it, so that no
// read waits for another.
template <int WARPS, int TOGETHER>
__device__ inline void loadTile(const BilateralParams &p, float *tile, int x, int y, int z, int rows, int columns, float reference)
{
    const Field &f = p.field;
    const std::size_t slice = f.index(0, 0, z);
    for (int from = threadIdx.y; from < rows; from += TOGETHER * WARPS) {
        float value[TOGETHER][2];
        std::uint8_t use[TOGETHER][2];
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const int tx = x + threadIdx.x + 32 * j, ty = y + from + i * WARPS;
                const int cx = clamp(tx, 0, f.dims[0] - 1), cy = clamp(ty, 0, f.dims[1] - 1);
                const unsigned at = unsigned(cy) * f.dims[0] + cx;
                use[i][j] = cx == tx && cy == ty;
                value[i][j] = __ldg(f.in + slice + at);
                if (f.mask != nullptr) use[i][j] &= __ldg(f.mask + slice + at);
            }
        }
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const int row = from + i * WARPS, column = threadIdx.x + 32 * j;
                if (row < rows && column < columns)
                    tile[row * kColumns + column] = use[i][j] ? __fmul_rn(value[i][j] - reference, p.scale) : kExcluded;
            }
        }
    }
}

// bilateralBlock filters a tile of 32 x (VOXELS WARPS) voxels of a slice. R is the radius along x,
// with which that along y is at least VOXELS / 2, or 0 for all.
template <int VOXELS, int WARPS, int TOGETHER, int R = 0>
__device__ inline void bilateralBlock(const BilateralParams &p)
{
    constexpr int kRows = VOXELS * WARPS;
    extern __shared__ float tile[];
    const Field &f = p.field;
    const Tile t = tileOf(f, 32, kRows, 1);
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int x = t.x + lane, y = t.y + warp * VOXELS, z = t.z;
    const float reference = referenceOf(f, t, kRows);
    const float *const in = f.in + f.index(min(x, f.dims[0] - 1), 0, z);

    Strip<VOXELS> s;
    float v[VOXELS];
#pragma unroll
    for (int i = 0; i < VOXELS; ++i) {
        v[i] = __ldg(in + std::size_t(min(y + i, f.dims[1] - 1)) * f.dims[0]);
        s.num[i] = s.den[i] = s.q[i] = 0;
    }

    for (int dz = -p.radius[2]; dz <= p.radius[2]; ++dz) {
        if (unsigned(z + dz) >= unsigned(f.dims[2])) continue;
        for (int first = -p.radius[0]; first <= p.radius[0]; first += kSteps) {
            const int steps = min(kSteps, p.radius[0] - first + 1);
            __syncthreads(); // all threads have read the previous tile
            loadTile<WARPS, TOGETHER>(p, tile, t.x + first, t.y - p.radius[1], z + dz, kRows + 2 * p.radius[1], 31 + steps, reference);
            __syncthreads();
            // Only now, so that the tile does not wait for these voxels. The product is rounded
            // as that in the tile is: fused with the difference from a neighbour, a voxel would
            // differ from itself.
#pragma unroll
            for (int i = 0; i < VOXELS; ++i) s.own[i] = __fmul_rn(v[i] - reference, p.scale);
            if constexpr (R > 0) {
                static_assert(2 * R + 1 <= kSteps);
                Rows<R> c{tile + warp * VOXELS * kColumns + lane, float(-p.radius[1]), -p.decay[2] * float(dz * dz), p.decay[1]};
#pragma unroll
                for (int d = 0; d <= R; ++d) c.q[d] = -p.decay[0] * float(d * d);
                s.enter(c);
#pragma unroll 1
                for (int n = 2 * p.radius[1] + 2 - VOXELS; n > 0; --n) s.template step<0, VOXELS>(c);
                s.leave(c);
            } else {
#pragma unroll 1
                for (int k = 0; k < steps; ++k) {
                    const float dx = first + k;
                    Column c{tile + warp * VOXELS * kColumns + lane + k, float(-p.radius[1]),
                             -(p.decay[0] * dx * dx + p.decay[2] * float(dz * dz)), p.decay[1]};
                    if (p.radius[1] >= VOXELS / 2) {
                        s.enter(c);
                        int n = 2 * p.radius[1] + 2 - VOXELS;
#pragma unroll 1
                        for (; n >= 4; n -= 4) s.template steps<4>(c);
                        if (n >= 2) s.template steps<2>(c);
                        if (VOXELS % 2 == 1) s.template steps<1>(c); // n is odd
                        s.leave(c);
                    } else { // too few rows for that: voxels beyond the radius get weight 0
#pragma unroll
                        for (int i = 0; i < VOXELS; ++i) s.q[i] = -kExcluded;
                        const float rest = c.rest;
#pragma unroll 1
                        for (int n = 2 * p.radius[1] + VOXELS; n > 0; --n) {
                            c.rest = c.dy <= p.radius[1] ? rest : -kExcluded;
                            s.template steps<1>(c);
                        }
                    }
                }
            }
        }
    }

    if (x >= f.max[0]) return;
    float *to = f.result(x, y, z);
#pragma unroll
    for (int i = 0; i < VOXELS; ++i, to += f.max[0] - f.min[0]) {
        if (y + i >= f.max[1]) break;
        const bool valid = f.mask == nullptr || __ldg(f.mask + f.index(x, y + i, z));
        *to = valid ? v[i] + __fdividef(s.num[i], s.den[i]) * p.inverse : v[i];
    }
}

// bilateralSquare filters a tile of 32 x WARPS voxels of an image with neighbourhoods of
// (2 R + 1)^2.
template <int R, int WARPS>
__device__ inline void bilateralSquare(const BilateralParams &p)
{
    constexpr int kRows = WARPS + 2 * R;
    __shared__ float tile[kRows * kColumns];
    const Field &f = p.field;
    const Tile t = tileOf(f, 32, WARPS, 1);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y;
    const float reference = referenceOf(f, t, WARPS);
    const float v = __ldg(f.in + f.index(min(x, f.dims[0] - 1), min(y, f.dims[1] - 1), t.z));
    loadTile<WARPS, (kRows + WARPS - 1) / WARPS>(p, tile, t.x - R, t.y - R, t.z, kRows, 32 + 2 * R, reference);
    __syncthreads();

    const float own = __fmul_rn(v - reference, p.scale); // rounded as in the tile
    const float *const first = tile + threadIdx.y * kColumns + threadIdx.x;
    float num[2] = {0, 0}, den[2] = {0, 0}; // two, so that an addition need not wait for the one before
    float qx[R + 1], qy[R + 1];
#pragma unroll
    for (int d = 0; d <= R; ++d) {
        qx[d] = -p.decay[0] * float(d * d);
        qy[d] = -p.decay[1] * float(d * d);
    }
#pragma unroll
    for (int dy = -R; dy <= R; ++dy) {
#pragma unroll
        for (int dx = -R; dx <= R; ++dx) {
            const int i = (dx + dy) & 1;
            const float d = first[(R + dy) * kColumns + R + dx] - own;
            const float w = powerOfTwo(fmaf(-d, d, qx[dx < 0 ? -dx : dx] + qy[dy < 0 ? -dy : dy]));
            num[i] = fmaf(w, d, num[i]);
            den[i] += w;
        }
    }
    if (x >= f.max[0] || y >= f.max[1]) return;
    const bool valid = f.mask == nullptr || __ldg(f.mask + f.index(x, y, t.z));
    *f.result(x, y, t.z) = valid ? v + __fdividef(num[0] + num[1], den[0] + den[1]) * p.inverse : v;
}

extern "C" {

// The template arguments are those of bilateral.go.
__global__ void __launch_bounds__(256, 4) bilateral(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r2(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 2>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r3(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 3>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r4(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 4>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r5(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 5>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r6(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 6>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r7(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 7>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r8(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 8>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r9(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 9>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r10(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 10>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r11(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 11>(p); }

__global__ void __launch_bounds__(256, 4) bilateral_r12(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, 12>(p); }

__global__ void __launch_bounds__(128, 8) bilateral_small(const __grid_constant__ BilateralParams p) { bilateralBlock<2, 4, 4>(p); }

__global__ void __launch_bounds__(256) bilateral_small_r1(const __grid_constant__ BilateralParams p) { bilateralSquare<1, 8>(p); }

__global__ void __launch_bounds__(256) bilateral_small_r2(const __grid_constant__ BilateralParams p) { bilateralSquare<2, 8>(p); }

__global__ void __launch_bounds__(256) bilateral_small_r3(const __grid_constant__ BilateralParams p) { bilateralSquare<3, 8>(p); }

__global__ void __launch_bounds__(256) bilateral_small_r4(const __grid_constant__ BilateralParams p) { bilateralSquare<4, 8>(p); }

__global__ void __launch_bounds__(256) bilateral_small_r5(const __grid_constant__ BilateralParams p) { bilateralSquare<5, 8>(p); }

__global__ void __launch_bounds__(256) bilateral_small_r6(const __grid_constant__ BilateralParams p) { bilateralSquare<6, 8>(p); }

} // extern "C"
