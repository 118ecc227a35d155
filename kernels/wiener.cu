// The Wiener stage of sliding blocks: of every block B that lies in the volume, with
// coefficients c of the noisy voxels and P of the pilot,
//
//   r_k   = c_k / (1 + (P_k / sigma_k)^2)  but for the first,     what is removed
//   w_B   = 1 / sum_k g_k^2,  g_k = 1 - 1 / (1 + (P_k / sigma_k)^2)
//   out_i = v_i - sum_B w_B r_B(i) / sum_B w_B
//
// over the blocks that hold voxel i. A sample of the pilot that is excluded is that of
// the noisy voxels.
//
// A thread has a position along x and y and goes along z, once for every coefficient
// (kx, ky) across: it keeps that coefficient of the last N planes of its blocks, N being
// their size along z, transforms it along z, and adds what is removed to the sums of these
// planes. The sums of a plane are transformed back along y and x with those of the other
// threads, and added to the result. As the weights depend on the pilot alone, a first
// sweep over all coefficients finds them, for the 16 blocks of a thread.
#include "dct.cuh"

constexpr int kWidth = 32, kHeight = 16; // positions of blocks of a thread block
constexpr int kPositions = 16;           // along z
constexpr int kMost = 8;                 // largest size of a block along an axis

// rowAt returns sample i of row k of m along an axis.
__device__ inline float rowAt(const DctParams &p, int axis, int k, int i)
{
    const int j = p.size[axis] - 1 - i;
    return i <= j ? p.rows[axis][k][i] : k % 2 ? -p.rows[axis][k][j] : p.rows[axis][k][j];
}

// Shared is the shared memory of a block.
struct Shared {
    float weight[kPositions][kHeight][kWidth];
    float lines[2][kHeight + kMost - 1][kWidth]; // a plane's coefficients kx: of the noisy voxels, of the pilot
    union {
        float samples[2][kHeight + kMost - 1][kWidth + kMost - 1]; // of a plane
        struct {
            float sums[kHeight][kWidth];    // of the positions, coefficient (kx, ky)
            float columns[kHeight][kWidth]; // of the lines, coefficient kx
        };
    };
};

template <int N>
struct Block {
    const DctParams &p;
    Shared &s;
    int i, j;         // the position of this thread in the block
    int x0, y0;       // the first position
    int first;        // along z
    int from, to;     // the slices that the block computes
    bool inside;      // blocks at the position lie in the volume along x and y
    bool writes;      // the thread computes voxel (x0 + i, y0 + j)

    __device__ Block(const DctParams &p, Shared &s) : p(p), s(s), i(threadIdx.x), j(threadIdx.y)
    {
        const int hx = p.size[0] - 1, hy = p.size[1] - 1, depth = kPositions - N + 1;
        const unsigned across = (p.out.max[0] - p.out.min[0] + kWidth - hx - 1) / (kWidth - hx);
        const unsigned down = (p.out.max[1] - p.out.min[1] + kHeight - hy - 1) / (kHeight - hy), line = blockIdx.x / across;
        x0 = p.out.min[0] + int(blockIdx.x - line * across) * (kWidth - hx) - hx;
        y0 = p.out.min[1] + int(line % down) * (kHeight - hy) - hy;
        from = p.out.min[2] + int(line / down) * depth;
        to = min(from + depth, p.out.max[2]);
        first = from - N + 1;
        inside = x0 + i >= 0 && y0 + j >= 0 && x0 + i + p.size[0] <= p.dims[0] && y0 + j + p.size[1] <= p.dims[1];
        writes = i >= hx && j >= hy && x0 + i < p.out.max[0] && y0 + j < p.out.max[1];
    }

    // load puts the samples of slice z into shared memory.
    template <bool NOISY>
    __device__ void load(int z)
    {
        const int columns = kWidth + p.size[0] - 1, rows = kHeight + p.size[1] - 1;
        for (int r = j; r < rows; r += kHeight)
            for (int c = i; c < columns; c += kWidth) {
                const int x = x0 + c, y = y0 + r;
                // The boxes hold what the region's voxels read, not what the block's would.
                const bool use = x >= 0 && y >= 0 && x < min(p.dims[0], p.out.max[0] + p.size[0] - 1) && y < min(p.dims[1], p.out.max[1] + p.size[1] - 1);
                const bool excluded = use && p.mask.data != nullptr && !p.mask.at(x, y, z);
                if (NOISY) s.samples[0][r][c] = use ? p.in.at(x, y, z) * p.unit : 0;
                s.samples[1][r][c] = use ? (excluded ? p.in.at(x, y, z) : p.pilot.at(x, y, z)) * p.unit : 0;
            }
    }

    // line computes coefficient kx of the lines of the plane.
    __device__ void line(int input, const float (&mx)[kMost])
    {
        for (int r = j; r < kHeight + p.size[1] - 1; r += kHeight) {
            float sum = 0;
#pragma unroll
            for (int a = 0; a < kMost; ++a)
                if (a < p.size[0]) sum = fmaf(mx[a], s.samples[input][r][i + a], sum);
            s.lines[input][r][i] = sum;
        }
    }

    // column returns coefficient (kx, ky) of the plane at this position.
    __device__ float column(int input, const float (&my)[kMost]) const
    {
        float sum = 0;
#pragma unroll
        for (int b = 0; b < kMost; ++b)
            if (b < p.size[1]) sum = fmaf(my[b], s.lines[input][j + b][i], sum);
        return sum;
    }

    // along transforms the last N planes along z, by these rows.
    __device__ void along(int rows, const float (&planes)[N], float (&c)[N]) const
    {
#pragma unroll
        for (int k = 0; k < N; ++k) {
            c[k] = 0;
#pragma unroll
            for (int n = 0; n < N; ++n) c[k] = fmaf(mz(rows, k, n), planes[n], c[k]);
        }
    }

    // sweep goes along z for one coefficient: with SUMS it adds what is removed to the
    // result, without it finds the sums of squared gains.
    template <bool SUMS>
    __device__ void sweep(int kx, int ky)
    {
        const float factor = p.limits[8 * ky + kx];
        float mx[kMost], my[kMost];
#pragma unroll
        for (int n = 0; n < kMost; ++n) {
            mx[n] = n < p.size[0] ? rowAt(p, 0, kx, n) : 0;
            my[n] = n < p.size[1] ? rowAt(p, 1, ky, n) : 0;
        }
        float noisy[N], pilot[N], sum[N];
#pragma unroll
        for (int n = 0; n < N; ++n) noisy[n] = pilot[n] = sum[n] = 0;
#pragma unroll 1
        for (int z = max(first, 0); z < to + N - 1; ++z) {
#pragma unroll
            for (int n = 0; n + 1 < N; ++n) {
                noisy[n] = noisy[n + 1];
                pilot[n] = pilot[n + 1];
                sum[n] = sum[n + 1];
            }
            sum[N - 1] = 0;
            const int begin = z - N + 1; // of the blocks that end here
            if (z < p.dims[2]) {
                __syncthreads(); // all threads have read what follows the samples in memory
                load<SUMS>(z);
                __syncthreads();
                if (SUMS) line(0, mx);
                line(1, mx);
                __syncthreads();
                if (SUMS) noisy[N - 1] = column(0, my);
                pilot[N - 1] = column(1, my);
                if (begin >= max(first, 0) && inside) {
                    float c[N], q[N], gains = 0;
                    along(3, pilot, q);
                    if (SUMS) along(2, noisy, c);
#pragma unroll
                    for (int k = 0; k < N; ++k) {
                        q[k] *= factor;
                        float r = factor == 0 ? 0 : __fdividef(1, fmaf(q[k], q[k], 1.0f));
                        if (kx + ky + k == 0) r = 0;
                        gains = fmaf(1 - r, 1 - r, gains);
                        if (SUMS) c[k] *= r * s.weight[begin - first][j][i];
                    }
                    if (!SUMS) s.weight[begin - first][j][i] += gains;
                    if (SUMS)
#pragma unroll
                        for (int n = 0; n < N; ++n)
#pragma unroll
                            for (int k = 0; k < N; ++k) sum[n] = fmaf(mz(2, k, n), c[k], sum[n]);
                }
            }
            if (!SUMS || begin < from) continue;
            const float removed = gather(sum[0], mx, my);
            if (!writes) continue;
            float &out = p.out.at(x0 + i, y0 + j, begin);
            out = kx + ky == 0 ? removed : out + removed;
        }
    }

    // gather returns the sum over the blocks of voxel (i, j) of value, which every thread
    // has for its position, times mx and my of the voxel's place in the block.
    __device__ float gather(float value, const float (&mx)[kMost], const float (&my)[kMost])
    {
        __syncthreads(); // all threads have read the samples, or the columns
        s.sums[j][i] = value;
        __syncthreads();
        float sum = 0;
#pragma unroll
        for (int b = 0; b < kMost; ++b)
            if (b < p.size[1] && b <= j) sum = fmaf(my[b], s.sums[j - b][i], sum);
        s.columns[j][i] = sum;
        __syncthreads();
        sum = 0;
#pragma unroll
        for (int a = 0; a < kMost; ++a)
            if (a < p.size[0] && a <= i) sum = fmaf(mx[a], s.columns[j][i - a], sum);
        return sum;
    }

    __device__ void run()
    {
        for (int n = 0; n < kPositions; ++n) s.weight[n][j][i] = 0;
        for (int ky = 0; ky < p.size[1]; ++ky)
            for (int kx = 0; kx < p.size[0]; ++kx) sweep<false>(kx, ky);
        for (int n = 0; n < kPositions; ++n) {
            float &w = s.weight[n][j][i];
            w = w > 0 ? 1 / w : 0;
        }
        for (int ky = 0; ky < p.size[1]; ++ky)
            for (int kx = 0; kx < p.size[0]; ++kx) sweep<true>(kx, ky);
        float ones[kMost];
#pragma unroll
        for (int n = 0; n < kMost; ++n) ones[n] = 1;
        for (int z = from; z < to; ++z) {
            float weight = 0;
            for (int n = N - 1; n >= 0; --n) weight += s.weight[z - n - first][j][i];
            weight = gather(weight, ones, ones);
            if (!writes) continue;
            const int x = x0 + i, y = y0 + j;
            float &out = p.out.at(x, y, z);
            out = valid(p.dims, p.mask, x, y, z) ? p.in.at(x, y, z) - out / weight * p.back : p.voxels.at(x, y, z);
        }
    }

    // mz returns sample n of row k of m along z, of the noisy voxels (rows 2) or the pilot (3).
    __device__ float mz(int rows, int k, int n) const { return n <= N - 1 - n ? p.rows[rows][k][n] : k % 2 ? -p.rows[rows][k][N - 1 - n] : p.rows[rows][k][N - 1 - n]; }
};

template <int N>
__device__ inline void wiener(const DctParams &p)
{
    __shared__ Shared s;
    Block<N>(p, s).run();
}

extern "C" {

__global__ void __launch_bounds__(kWidth * kHeight) wiener_1(const __grid_constant__ DctParams p) { wiener<1>(p); }
__global__ void __launch_bounds__(kWidth * kHeight) wiener_2(const __grid_constant__ DctParams p) { wiener<2>(p); }
__global__ void __launch_bounds__(kWidth * kHeight) wiener_3(const __grid_constant__ DctParams p) { wiener<3>(p); }
__global__ void __launch_bounds__(kWidth * kHeight) wiener_4(const __grid_constant__ DctParams p) { wiener<4>(p); }
__global__ void __launch_bounds__(kWidth * kHeight) wiener_5(const __grid_constant__ DctParams p) { wiener<5>(p); }
__global__ void __launch_bounds__(kWidth * kHeight) wiener_6(const __grid_constant__ DctParams p) { wiener<6>(p); }
__global__ void __launch_bounds__(kWidth * kHeight) wiener_7(const __grid_constant__ DctParams p) { wiener<7>(p); }
__global__ void __launch_bounds__(kWidth * kHeight) wiener_8(const __grid_constant__ DctParams p) { wiener<8>(p); }

} // extern "C"
