// The overlapping DCT (Manjon 2012): of every block that lies in the volume the
// coefficients c_k of magnitude limit_k or less are removed, but for the first, and
//
//   out_i = v_i - sum_B w_B r_B(i) / sum_B w_B,   w_B = 1 / (coefficients that stay)
//
// over the blocks that hold voxel i, with r_B what is removed from block B.
//
// odct_3d and odct_2d compute blocks of 4 x 4 x 4 and 8 x 8 voxels. A thread has a
// position along x (and y) and goes along the last axis. It keeps, for the planes that a
// block has, the coefficients along the other axes and their sums of removed parts, all
// in registers: the transform along x and y of a plane serves four blocks, and the
// inverse one is done once for the sum over four blocks. The neighbours of a thread hold
// the other blocks of its voxel.
//
// odct_any computes blocks of any size, for volumes with fewer voxels than a block along
// an axis: a thread computes a voxel, block by block.
#include "dct.cuh"

constexpr int kWidth3 = 32, kHeight3 = 12; // positions of blocks of a thread block
constexpr int kDepth3 = 13;                // slices that it computes
constexpr int kSize3 = 4, kSize2 = 8;
constexpr int kWarps2 = 4, kRows2 = 32;    // rows that a warp computes

// tileAt returns the numbers along x, y and z of tile n of a region, with tiles of the
// given dims.
__device__ inline int3 tileAt(const Box<float> &out, unsigned n, int w, int h)
{
    const unsigned across = (out.max[0] - out.min[0] + w - 1) / w, down = (out.max[1] - out.min[1] + h - 1) / h;
    return {int(n % across), int(n / across % down), int(n / across / down)};
}

// finish writes voxel (x, y, z) from the sums over its blocks.
__device__ inline void finish(const DctParams &p, int x, int y, int z, float removed, float weight)
{
    p.out.at(x, y, z) = valid(p.dims, p.mask, x, y, z) ? p.in.at(x, y, z) - removed / weight * p.back : p.voxels.at(x, y, z);
}

// opaque keeps the compiler from remembering what it has computed from v.
__device__ inline void opaque(float &v) { asm volatile("" : "+f"(v)); }

// March is what a thread keeps as it goes along the last axis: N voxels of a block lie along
// it, CHANNELS coefficients across.
template <int N, int CHANNELS>
struct March {
    float coef[N][CHANNELS]; // of the last N planes, along the other axes
    float sum[N][CHANNELS];  // removed parts of the blocks so far, in each of these planes
    float weight[N];         // weights, likewise

    __device__ March()
    {
#pragma unroll
        for (int j = 0; j < N; ++j) {
            weight[j] = 0;
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) coef[j][c] = sum[j][c] = 0;
        }
    }

    // step forgets the first plane and makes room for a new last one.
    __device__ void step()
    {
#pragma unroll
        for (int j = 0; j < N; ++j) {
            weight[j] = j + 1 < N ? weight[(j + 1) % N] : 0;
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) {
                coef[j][c] = coef[(j + 1) % N][c];
                sum[j][c] = j + 1 < N ? sum[(j + 1) % N][c] : 0;
            }
        }
    }

    // transform computes the coefficients of a channel of the block in the N planes.
    __device__ void transform(int c, float (&v)[N]) const
    {
#pragma unroll
        for (int j = 0; j < N; ++j) v[j] = coef[j][c];
        forward<N>(v);
    }

    // shrink adds what is removed from the block in the N planes to their sums.
    __device__ void shrink(const float (&limits)[64])
    {
        float kept = 1, v[N];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            transform(c, v);
#pragma unroll
            for (int k = 0; k < N; ++k)
                if (c + k > 0 && fabsf(v[k]) > limits[k * CHANNELS + c]) kept += 1;
        }
        const float w = 1 / kept;
        // Doing the transform twice takes less than keeping it, which takes N x CHANNELS
        // more registers.
#pragma unroll
        for (int j = 0; j < N; ++j)
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) opaque(coef[j][c]);
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            transform(c, v);
#pragma unroll
            for (int k = 0; k < N; ++k) v[k] = c + k > 0 && fabsf(v[k]) <= limits[k * CHANNELS + c] ? v[k] * w : 0;
            inverse<N>(v);
#pragma unroll
            for (int j = 0; j < N; ++j) sum[j][c] += v[j];
        }
#pragma unroll
        for (int j = 0; j < N; ++j) weight[j] += w;
    }
};

extern "C" __global__ void __launch_bounds__(kWidth3 * kHeight3)
odct_3d(const __grid_constant__ DctParams p)
{
    constexpr int kHalo = kSize3 - 1, kPitch = kWidth3 + kHalo, kLines = kHeight3 + kHalo;
    __shared__ float plane[kLines][kPitch];
    __shared__ float parts[kSize3 * kSize3 + 1][kHeight3][kWidth3];
    const int3 tile = tileAt(p.out, blockIdx.x, kWidth3 - kHalo, kHeight3 - kHalo);
    const int i = threadIdx.x, j = threadIdx.y;
    // The position of the thread's blocks, which is also the voxel that it writes: it is in
    // the blocks of this thread and of those up to kHalo before it.
    const int x0 = p.out.min[0] + tile.x * (kWidth3 - kHalo) - kHalo, x = x0 + i;
    const int y0 = p.out.min[1] + tile.y * (kHeight3 - kHalo) - kHalo, y = y0 + j;
    const int from = p.out.min[2] + tile.z * kDepth3, to = min(from + kDepth3, p.out.max[2]);
    const bool inside = x >= 0 && y >= 0 && x + kHalo < p.dims[0] && y + kHalo < p.dims[1];
    const bool writes = i >= kHalo && j >= kHalo && x < p.out.max[0] && y < p.out.max[1];

    March<kSize3, kSize3 * kSize3> m;
    const int last = min(to + kHalo, p.dims[2]);
#pragma unroll 1
    for (int z = max(from - kHalo, 0); z < to + kHalo; ++z) {
        m.step();
        if (z < last) {
            __syncthreads(); // all threads have read the previous plane
            for (int n = j * kWidth3 + i; n < kLines * kPitch; n += kWidth3 * kHeight3) {
                const int px = x0 + n % kPitch, py = y0 + n / kPitch;
                const bool use = px >= p.in.min[0] && px < p.in.max[0] && py >= p.in.min[1] && py < p.in.max[1];
                plane[n / kPitch][n % kPitch] = use ? __fmul_rn(p.in.at(px, py, z), p.unit) : 0;
            }
            __syncthreads();
            float v[kSize3][kSize3];
#pragma unroll
            for (int b = 0; b < kSize3; ++b) {
#pragma unroll
                for (int a = 0; a < kSize3; ++a) v[b][a] = plane[j + b][i + a];
                forward<kSize3>(v[b]);
            }
#pragma unroll
            for (int a = 0; a < kSize3; ++a) {
                float column[kSize3];
#pragma unroll
                for (int b = 0; b < kSize3; ++b) column[b] = v[b][a];
                forward<kSize3>(column);
#pragma unroll
                for (int b = 0; b < kSize3; ++b) m.coef[kSize3 - 1][b * kSize3 + a] = column[b];
            }
            if (inside && z - kHalo >= max(from - kHalo, 0)) m.shrink(p.limits);
        }
        const int done = z - kHalo; // its sums are complete
        if (done < from) continue;
        float v[kSize3][kSize3];
#pragma unroll
        for (int a = 0; a < kSize3; ++a) {
            float column[kSize3];
#pragma unroll
            for (int b = 0; b < kSize3; ++b) column[b] = m.sum[0][b * kSize3 + a];
            inverse<kSize3>(column);
#pragma unroll
            for (int b = 0; b < kSize3; ++b) v[b][a] = column[b];
        }
        __syncthreads(); // all threads have read the parts of the previous plane
        parts[kSize3 * kSize3][j][i] = m.weight[0];
#pragma unroll
        for (int b = 0; b < kSize3; ++b) {
            inverse<kSize3>(v[b]);
#pragma unroll
            for (int a = 0; a < kSize3; ++a) parts[b * kSize3 + a][j][i] = v[b][a];
        }
        __syncthreads();
        if (!writes) continue;
        float removed = 0, weight = 0;
#pragma unroll
        for (int b = kSize3 - 1; b >= 0; --b)
#pragma unroll
            for (int a = kSize3 - 1; a >= 0; --a) {
                removed += parts[b * kSize3 + a][j - b][i - a];
                weight += parts[kSize3 * kSize3][j - b][i - a];
            }
        finish(p, x, y, done, removed, weight);
    }
}

// Every warp computes kRows2 rows of 32 - 7 voxels of a slice.
extern "C" __global__ void __launch_bounds__(32 * kWarps2)
odct_2d(const __grid_constant__ DctParams p)
{
    constexpr int kHalo = kSize2 - 1;
    __shared__ float lines[kWarps2][32 + kHalo + 1];
    float *line = lines[threadIdx.y];
    const int3 tile = tileAt(p.out, blockIdx.x, 32 - kHalo, kWarps2 * kRows2);
    const int i = threadIdx.x, z = p.out.min[2] + tile.z;
    const int x0 = p.out.min[0] + tile.x * (32 - kHalo) - kHalo, x = x0 + i;
    const int from = p.out.min[1] + (tile.y * kWarps2 + threadIdx.y) * kRows2, to = min(from + kRows2, p.out.max[1]);
    const bool inside = x >= 0 && x + kHalo < p.dims[0];
    const bool writes = i >= kHalo && x < p.out.max[0];

    March<kSize2, kSize2> m;
    const int last = min(to + kHalo, p.dims[1]);
#pragma unroll 1
    for (int y = max(from - kHalo, 0); y < to + kHalo; ++y) {
        m.step();
        if (y < last) {
            __syncwarp(); // all lanes have read the previous line
            for (int n = i; n < 32 + kHalo; n += 32) {
                const int px = x0 + n;
                line[n] = px >= p.in.min[0] && px < p.in.max[0] ? __fmul_rn(p.in.at(px, y, z), p.unit) : 0;
            }
            __syncwarp();
#pragma unroll
            for (int a = 0; a < kSize2; ++a) m.coef[kSize2 - 1][a] = line[i + a];
            forward<kSize2>(m.coef[kSize2 - 1]);
            if (inside && y - kHalo >= max(from - kHalo, 0)) m.shrink(p.limits);
        }
        const int done = y - kHalo; // its sums are complete
        if (done < from) continue;
        inverse<kSize2>(m.sum[0]);
        float removed = 0, weight = 0;
#pragma unroll
        for (int a = kSize2 - 1; a >= 0; --a) {
            removed += __shfl_up_sync(~0u, m.sum[0][a], a);
            weight += __shfl_up_sync(~0u, m.weight[0], a);
        }
        if (writes) finish(p, x, done, z, removed, weight);
    }
}

extern "C" __global__ void __launch_bounds__(128)
odct_any(const __grid_constant__ DctParams p)
{
    const unsigned w = p.out.max[0] - p.out.min[0], h = p.out.max[1] - p.out.min[1], d = p.out.max[2] - p.out.min[2];
    const std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, place = n / w;
    if (place >= std::size_t(h) * d) return;
    const int at[3] = {p.out.min[0] + int(n - place * w), p.out.min[1] + int(place % h), p.out.min[2] + int(place / h)};
    const int count = p.size[0] * p.size[1] * p.size[2];
    float removed = 0, weight = 0;
    int b[3];
    for (b[2] = max(at[2] - p.size[2] + 1, 0); b[2] <= min(at[2], p.dims[2] - p.size[2]); ++b[2])
        for (b[1] = max(at[1] - p.size[1] + 1, 0); b[1] <= min(at[1], p.dims[1] - p.size[1]); ++b[1])
            for (b[0] = max(at[0] - p.size[0] + 1, 0); b[0] <= min(at[0], p.dims[0] - p.size[0]); ++b[0]) {
                float c[64];
                for (int k = 0; k < count; ++k)
                    c[k] = __fmul_rn(p.in.at(b[0] + k % p.size[0], b[1] + k / p.size[0] % p.size[1], b[2] + k / p.size[0] / p.size[1]), p.unit);
                for (int axis = 0, stride = 1; axis < 3; stride *= p.size[axis++]) {
                    const int size = p.size[axis], pairs = size / 2;
                    if (size == 1) continue;
                    for (int line = 0; line < count / size; ++line) {
                        float *first = c + line / stride * stride * size + line % stride;
                        float sums[4], differences[4];
                        for (int i = 0; i < pairs; ++i) {
                            const float u = first[i * stride], v = first[(size - 1 - i) * stride];
                            sums[i] = __fadd_rn(u, v);
                            differences[i] = __fsub_rn(u, v);
                        }
                        if (size % 2) sums[pairs] = first[pairs * stride];
                        for (int k = 0; k < size; ++k) {
                            const float *v = k % 2 ? differences : sums, *row = p.rows[axis][k];
                            float sum = __fmul_rn(row[0], v[0]);
                            for (int i = 1; i < (k % 2 ? pairs : size - pairs); ++i) sum = __fadd_rn(sum, __fmul_rn(row[i], v[i]));
                            first[k * stride] = sum;
                        }
                    }
                }
                float kept = 1, here = 0;
                for (int k = 1; k < count; ++k) {
                    if (fabsf(c[k]) > p.limits[k]) {
                        kept += 1;
                        continue;
                    }
                    float basis = 1;
                    for (int axis = 0, rest = k; axis < 3; rest /= p.size[axis++]) {
                        const int size = p.size[axis], i = at[axis] - b[axis], row = rest % size;
                        const float m = p.rows[axis][row][i < size - 1 - i ? i : size - 1 - i];
                        basis *= row % 2 && 2 * i >= size ? -m : m;
                    }
                    here += basis * c[k];
                }
                removed += here / kept;
                weight += 1 / kept;
            }
    finish(p, at[0], at[1], at[2], removed, weight);
}
