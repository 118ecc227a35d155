// The bilateral filter (Tomasi and Manduchi 1998; Bethel 2009, eq. 1-3), exact:
//
//   out_i = v_i + sum_j g_d c_ij (v_j - v_i) / sum_j g_d c_ij,   d = j - i
//   g_d   = exp(-1/2 sum_a (d_a / sigma_a)^2)                    spatial weight
//   c_ij  = exp(-1/2 ((v_j - v_i) / sigma_r)^2)                  range weight
//
// over |d_a| <= radius_a. With values scaled by sqrt(log2(e) / 2) / sigma_r both
// weights are one power of two: g c = 2^(q_d - dv^2), q_d = -sum_a decay_a d_a^2.
// A pair costs a subtraction, a fused multiply-add, the power and the two sums.
// The power's unit takes 16 a clock, so it is what bounds the kernel.
//
// A lane owns eight voxels of a column. For every (dx, dz) it walks down the
// column of neighbours: each is read once from shared memory and used for all
// eight, whose q are the last eight of the sequence q(dy): it moves along by
// one with every step. Neighbours that are outside or masked hold kFar, so that
// their weight vanishes by itself.
//
// The tile in shared memory is one slice's rows around the block and 33 steps of
// dx wide; wider windows and further slices follow one after the other.
#include "params.cuh"

constexpr int kStrip = 8;                   // voxels a lane owns
constexpr int kWarps = 4;                   // of a block
constexpr int kColumns = 64;                // of the tile
constexpr int kSteps = kColumns - 32 + 1;   // steps of dx that it serves
constexpr float kFar = 1e18f;               // its square is finite and 2^-(its square) is 0

// Strip is a lane's voxels and what they gather.
struct Strip {
    float own[kStrip], num[kStrip], den[kStrip];
    float q[kStrip]; // q[i]: of the distance between the current neighbour and voxel i

    // add uses neighbour v for the voxels FROM <= i < TO.
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

    // step moves on to the next neighbour down the column, whose distance to
    // voxel 0 has q.
    __device__ void step(float next)
    {
#pragma unroll
        for (int i = kStrip - 1; i > 0; --i) q[i] = q[i - 1];
        q[0] = next;
    }
};

// enter and leave add the neighbours that only the first or only the last of
// the strip can reach: one voxel, then two, and so on.
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

extern "C" __global__ void __launch_bounds__(32 * kWarps, 8)
bilateral(const __grid_constant__ BilateralParams p)
{
    extern __shared__ float tile[];
    const Field &f = p.field;
    const Tile t = tileOf(f, 32, kStrip * kWarps, 1);
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int x = t.x + lane, y = t.y + warp * kStrip, z = t.z;
    const float reference = referenceOf(f, t, kStrip * kWarps);

    Strip s;
#pragma unroll
    for (int i = 0; i < kStrip; ++i) {
        bool there = f.inside(x, y + i, z);
        s.own[i] = there ? (__ldg(f.in + f.index(x, y + i, z)) - reference) * p.scale : 0;
        s.num[i] = s.den[i] = s.q[i] = 0;
    }

    const int rows = kStrip * kWarps + 2 * p.radius[1];
    for (int dz = -p.radius[2]; dz <= p.radius[2]; ++dz) {
        if (unsigned(z + dz) >= unsigned(f.dims[2])) continue;
        for (int first = -p.radius[0]; first <= p.radius[0]; first += kSteps) {
            __syncthreads(); // the last tile is done with
#pragma unroll 4
            for (int r = warp; r < rows; r += kWarps) {
                int ty = t.y - p.radius[1] + r;
#pragma unroll
                for (int c = lane; c < kColumns; c += 32) {
                    int tx = t.x + first + c;
                    bool use = f.valid(tx, ty, z + dz);
                    tile[r * kColumns + c] = use ? (__ldg(f.in + f.index(tx, ty, z + dz)) - reference) * p.scale : kFar;
                }
            }
            __syncthreads();
            int steps = min(kSteps, p.radius[0] - first + 1);
#pragma unroll 1
            for (int k = 0; k < steps; ++k) {
                const float dx = first + k;
                const float rest = -(p.decay[0] * dx * dx + p.decay[2] * float(dz * dz));
                const float *at = tile + warp * kStrip * kColumns + lane + k;
                int dy = -p.radius[1]; // from voxel 0 to the neighbour
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
                } else { // too low a window for that: voxels out of reach have no weight
#pragma unroll
                    for (int i = 0; i < kStrip; ++i) s.q[i] = -kFar;
#pragma unroll 1
                    for (int n = 2 * p.radius[1] + kStrip; n > 0; --n) {
                        s.step(dy <= p.radius[1] ? fmaf(-p.decay[1], float(dy * dy), rest) : -kFar);
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
