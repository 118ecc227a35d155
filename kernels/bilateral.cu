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
// A lane computes eight voxels of a column; a block has up to 8 warps. For every
// (dx, dz) a lane goes down the column of neighbours: each is read once from shared
// memory and used for all eight voxels. Their q are eight successive elements of the sequence q(dy), which
// is shifted by one at every step. Neighbours that are outside or masked hold
// kExcluded, whose weight is zero.
//
// The tile in shared memory holds the rows of one slice around the block, wide
// enough for 33 steps of dx. Wider neighbourhoods and further slices are processed
// one after the other.
#include "bilateral_params.cuh"

constexpr int kStrip = 8;                   // voxels of a lane
constexpr int kMaxWarps = 8;                // warps of a block, at most
constexpr int kColumns = 64;                // columns of the tile
constexpr int kSteps = kColumns - 32 + 1;   // steps of dx that the tile is wide enough for
constexpr float kExcluded = 1e18f;          // its square is finite and 2^-(its square) is 0

// Strip holds the voxels of a lane and their sums.
struct Strip {
    float own[kStrip], num[kStrip], den[kStrip];
    float q[kStrip]; // q[i]: q for the offset from voxel i to the current neighbour

    // add adds neighbour v to the sums of voxels FROM <= i < TO.
    template <int FROM, int TO>
    __device__ void add(float v)
    {
#pragma unroll
        for (int i = FROM; i < TO; ++i) {
            float d = v - own[i];
            float w = powerOfTwo(fmaf(-d, d, q[i]));
            num[i] = fmaf(w, d, num[i]);
            den[i] += w;
        }
    }

    // step goes to the next neighbour down the column, whose q for voxel 0 is next.
    __device__ void step(float next)
    {
#pragma unroll
        for (int i = kStrip - 1; i > 0; --i) q[i] = q[i - 1];
        q[0] = next;
    }
};

// enter and leave add the neighbours at the top and at the bottom of the column
// that are within the radius of only some of the voxels: of one voxel, two, ...
template <int N>
__device__ inline void enter(Strip &s, const float *&at, int &dy, float rest, float decay)
{
    s.step(fmaf(-decay, float(dy * dy), rest));
    s.add<0, N>(*at);
    at += kColumns;
    ++dy;
    if constexpr (N < kStrip - 1) enter<N + 1>(s, at, dy, rest, decay);
}

template <int N>
__device__ inline void leave(Strip &s, const float *&at, int &dy, float rest, float decay)
{
    s.step(fmaf(-decay, float(dy * dy), rest));
    s.add<N, kStrip>(*at);
    at += kColumns;
    ++dy;
    if constexpr (N < kStrip - 1) leave<N + 1>(s, at, dy, rest, decay);
}

extern "C" __global__ void __launch_bounds__(32 * kMaxWarps, 4)
bilateral(const __grid_constant__ BilateralParams p)
{
    extern __shared__ float tile[];
    const Field &f = p.field;
    const int warps = blockDim.y;
    const Tile t = tileOf(f, 32, kStrip * warps, 1);
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int x = t.x + lane, y = t.y + warp * kStrip, z = t.z;
    const float reference = referenceOf(f, t, kStrip * warps);

    Strip s;
#pragma unroll
    for (int i = 0; i < kStrip; ++i) {
        bool inside = f.inside(x, y + i, z);
        s.own[i] = inside ? (__ldg(f.in + f.index(x, y + i, z)) - reference) * p.scale : 0;
        s.num[i] = s.den[i] = s.q[i] = 0;
    }

    const int rows = kStrip * warps + 2 * p.radius[1];
    for (int dz = -p.radius[2]; dz <= p.radius[2]; ++dz) {
        if (unsigned(z + dz) >= unsigned(f.dims[2])) continue;
        for (int first = -p.radius[0]; first <= p.radius[0]; first += kSteps) {
            __syncthreads(); // all threads have read the previous tile
#pragma unroll 4
            for (int r = warp; r < rows; r += warps) {
                int ty = t.y - p.radius[1] + r;
#pragma unroll
                for (int c = lane; c < kColumns; c += 32) {
                    int tx = t.x + first + c;
                    bool use = f.valid(tx, ty, z + dz);
                    tile[r * kColumns + c] = use ? (__ldg(f.in + f.index(tx, ty, z + dz)) - reference) * p.scale : kExcluded;
                }
            }
            __syncthreads();
            int steps = min(kSteps, p.radius[0] - first + 1);
#pragma unroll 1
            for (int k = 0; k < steps; ++k) {
                const float dx = first + k;
                const float rest = -(p.decay[0] * dx * dx + p.decay[2] * float(dz * dz));
                const float *at = tile + warp * kStrip * kColumns + lane + k;
                int dy = -p.radius[1]; // offset from voxel 0 to the neighbour
                if (p.radius[1] >= kStrip / 2) {
                    enter<1>(s, at, dy, rest, p.decay[1]);
#pragma unroll 4
                    for (int n = 2 * p.radius[1] + 2 - kStrip; n > 0; --n) {
                        s.step(fmaf(-p.decay[1], float(dy * dy), rest));
                        s.add<0, kStrip>(*at);
                        at += kColumns;
                        ++dy;
                    }
                    leave<1>(s, at, dy, rest, p.decay[1]);
                } else { // too few rows for that: voxels beyond the radius get weight 0
#pragma unroll
                    for (int i = 0; i < kStrip; ++i) s.q[i] = -kExcluded;
#pragma unroll 1
                    for (int n = 2 * p.radius[1] + kStrip; n > 0; --n) {
                        s.step(dy <= p.radius[1] ? fmaf(-p.decay[1], float(dy * dy), rest) : -kExcluded);
                        s.add<0, kStrip>(*at);
                        at += kColumns;
                        ++dy;
                    }
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < kStrip; ++i) {
        if (x >= f.max[0] || y + i >= f.max[1]) continue;
        float v = __ldg(f.in + f.index(x, y + i, z));
        *f.result(x, y + i, z) = f.valid(x, y + i, z) ? v + s.num[i] / s.den[i] * p.inverse : v;
    }
}
