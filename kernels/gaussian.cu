// The Gaussian filter, truncated at its radius:
//
//   out_i = sum_j g_d v_j / sum_j g_d,   g_d = exp(-1/2 sum_a (d_a / sigma_a)^2)
//
// over the neighbours that are in the volume and not masked. Both sums are separable.
// A block filters a tile of 32 x 32 voxels in DEPTH slices. It reads every slice of
// their neighbourhood once, sums along x and along y through shared memory, and adds
// the slice, weighted, to all of its results, which are in registers.
//
// The slices are processed as a pipeline of steps, each a band of rows; a slice is one
// band unless the radius is large. In one step, of which a barrier is the end, the
// threads store the voxels of the next band, which they have in registers, start to
// read the band after that, sum this band along x, and sum the slice before it, if it
// is complete, along y. So no stage waits for the one before it.
//
// If no voxel is masked, the sum of the weights is the product of three sums of those
// that lie inside the volume along one axis.
#include "gaussian_params.cuh"

constexpr int kTile = 32;
constexpr int kLines = 8;             // warps
constexpr int kThreads = kTile * kLines;
constexpr int kEach = kTile / kLines; // voxels of a thread in a slice, one below the other

// Taps are the weights along an axis, followed by zeros.
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
    for (int i = threadIdx.y * kTile + threadIdx.x; i < size; i += kThreads) {
        int d = i - zeros - radius;
        table[i] = abs(d) <= radius ? powerOfTwo(-decay * float(d * d)) : 0;
    }
    return {table + zeros, radius};
}

// read4 reads four numbers that are aligned to 16 bytes.
__device__ inline void read4(float *to, const float *from)
{
    const float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

// Layout is the shared memory of a block, in floats; gaussianLaunch computes its size.
// Sums take four taps or rows at once, so that tables, rows and their number are
// multiples of four; what is beyond the neighbourhood is 0.
struct Layout {
    int xTaps, yTaps, zTaps; // the tables of weights
    int rows, pitch;         // of the neighbourhood of a slice, and their length

    __device__ Layout(const GaussianParams &p, int depth)
        : xTaps(fours(2 * p.radius[0] + 1)), yTaps(fours(2 * p.radius[1] + kEach)), zTaps(fours(2 * p.radius[2] + 2 * depth - 1)),
          rows(fours(kTile + 2 * p.radius[1])), pitch(kTile + xTaps)
    {
    }

    static __device__ int fours(int n) { return (n + 3) / 4 * 4; }
};

// sumRows sums a band along x: a thread computes four neighbours in each of its rows.
__device__ inline void sumRows(const float *band, float *lines, int rows, const Taps &gx, const Layout &l)
{
    const int column = threadIdx.x % 8 * 4;
    for (int r = threadIdx.y * 4 + threadIdx.x / 8; r < rows; r += 4 * kLines) {
        const float *row = band + r * l.pitch + column;
        float v[8], g[4], sum[4] = {};
        read4(v, row);
        for (int k = 0; k < l.xTaps; k += 4) {
            read4(v + 4, row + k + 4);
            read4(g, gx.at + k);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
#pragma unroll
                for (int i = 0; i < 4; ++i) sum[i] += g[j] * v[i + j];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) v[i] = v[i + 4];
        }
        *reinterpret_cast<float4 *>(lines + r * kTile + column) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
}

// sumColumns sums the lines along y for the voxels of a thread; line is the first one
// of their neighbourhood.
__device__ inline void sumColumns(const float *line, float (&sum)[kEach], const Taps &gy, const Layout &l)
{
    float g[4 + kEach - 1] = {}; // g[3 + k - i]: the tap of row r + k for voxel i
#pragma unroll
    for (int i = 0; i < kEach; ++i) sum[i] = 0;
#pragma unroll 1
    for (int r = 0; r < l.yTaps; r += 4) {
        read4(g + kEach - 1, gy.at + r);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float v = line[(r + k) * kTile];
#pragma unroll
            for (int i = 0; i < kEach; ++i) sum[i] += g[kEach - 1 + k - i] * v;
        }
#pragma unroll
        for (int i = 0; i < kEach - 1; ++i) g[i] = g[i + 4];
    }
}

template <bool MASKED, int DEPTH>
__device__ inline void blur(const GaussianParams &p)
{
    constexpr int kSums = MASKED ? 2 : 1;  // of g (v - reference) and of g
    constexpr int kLoads = MASKED ? 4 : 7; // voxels of a band that a thread reads
    constexpr int kBand = kLoads * kThreads;
    extern __shared__ float4 memory[];
    const Field &f = p.field;
    const Tile t = tileOf(f, kTile, kTile, DEPTH);
    const int rx = p.radius[0], ry = p.radius[1], rz = p.radius[2];
    const int lane = threadIdx.x, warp = threadIdx.y;

    const Layout l(p, DEPTH);
    float *shared = reinterpret_cast<float *>(memory);
    const Taps gx = tabulate(shared, l.xTaps, 0, rx, p.decay[0]);
    const Taps gy = tabulate(shared + l.xTaps, l.yTaps, 0, ry, p.decay[1]);
    const Taps gz = tabulate(shared + l.xTaps + l.yTaps, l.zTaps, DEPTH - 1, rz, p.decay[2]);
    float *const inverseZ = shared + l.xTaps + l.yTaps + l.zTaps; // 1 / the sum of the taps inside the volume along z
    float *const bands = inverseZ + DEPTH;                        // two, of kSums values each
    float *const lines = bands + 2 * kSums * kBand;               // p.buffers, of kSums values each
    const float reference = referenceOf(f, t, kTile);
    const int x = t.x + lane, y = t.y + warp * kEach, end = min(t.z + DEPTH, f.max[2]);

    // A thread reads each kThreads-th voxel of a band, and the same in every slice. What
    // is outside the volume is read inside and stored as 0.
    unsigned offset[kLoads]; // in the slice
    unsigned inside = 0;     // a bit for each that is in the volume
    const unsigned perPitch = (1u << 22) / l.pitch + 1;
    auto locate = [&](int from) { // the band from that row on
        inside = 0;
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            const int n = i * kThreads + warp * kTile + lane, r = n * perPitch >> 22, c = n - r * l.pitch; // r = n / l.pitch
            const int vx = clamp(t.x - rx + c, 0, f.dims[0] - 1), vy = clamp(t.y - ry + from + r, 0, f.dims[1] - 1);
            offset[i] = unsigned(vy) * f.dims[0] + vx;
            const bool in = c < kTile + 2 * rx && from + r < kTile + 2 * ry && vx == t.x - rx + c && vy == t.y - ry + from + r;
            inside |= unsigned(in) << i;
        }
    };
    float value[kLoads];
    std::uint8_t held[kLoads]; // of the mask
    auto fetch = [&](std::size_t slice) {
        const float *in = f.in + slice;
        const std::uint8_t *mask = f.mask + slice;
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            value[i] = __ldg(in + offset[i]);
            if (MASKED) held[i] = __ldg(mask + offset[i]);
        }
    };
    auto store = [&](float *band) {
        band += warp * kTile + lane;
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            const bool used = (inside >> i & 1) && (!MASKED || held[i]);
            band[i * kThreads] = used ? value[i] - reference : 0;
            if (MASKED) band[kBand + i * kThreads] = used;
        }
    };

    const int first = max(t.z - rz, 0), last = min(end + rz, f.dims[2]) - 1; // slices
    const int perSlice = (l.rows + p.band - 1) / p.band, steps = (last - first + 1) * perSlice;
    const std::size_t plane = std::size_t(f.dims[1]) * f.dims[0];
    std::size_t slice = (first - f.first) * plane; // and the row of the band that is read next
    int row = 0;
    auto readNext = [&] {
        if (perSlice > 1) locate(row);
        fetch(slice);
        row += p.band;
        if (row >= l.rows) row = 0, slice += plane;
    };
    locate(0);
    readNext();
    store(bands);
    if (steps > 1) readNext();
    __syncthreads(); // the taps and the first band are there
    if (!MASKED && warp == 0 && lane < DEPTH) inverseZ[lane] = 1 / gz.inside(t.z + lane, f.dims[2]);

    float sums[kSums][DEPTH][kEach] = {};
    int z = first, from = 0; // the slice and the first row of the step's band
    for (int step = 0; step <= steps; ++step) {
        if (step + 1 < steps) store(bands + ((step + 1) & 1) * kSums * kBand);
        if (step + 2 < steps) readNext();
        if (from == 0 && z > first) { // the slice before is complete
            const float *complete = lines + (((z - 1) & (p.buffers - 1)) * kSums * l.rows + warp * kEach) * kTile + lane;
#pragma unroll
            for (int s = 0; s < kSums; ++s) {
                float sum[kEach];
                sumColumns(complete + s * l.rows * kTile, sum, gy, l);
                const float *weight = gz.at + z - 1 - t.z + rz;
#pragma unroll
                for (int d = 0; d < DEPTH; ++d) {
#pragma unroll
                    for (int i = 0; i < kEach; ++i) sums[s][d][i] += weight[-d] * sum[i];
                }
            }
            if (p.buffers == 1) __syncthreads(); // the only buffer of lines is free
        }
        if (step < steps) {
#pragma unroll
            for (int s = 0; s < kSums; ++s)
                sumRows(bands + ((step & 1) * kSums + s) * kBand, lines + (((z & (p.buffers - 1)) * kSums + s) * l.rows + from) * kTile,
                        min(p.band, l.rows - from), gx, l);
        }
        from += p.band;
        if (from >= l.rows) from = 0, ++z;
        __syncthreads();
    }

    float inverseXY[kEach];
    if (!MASKED) {
        const float alongX = gx.inside(x, f.dims[0]);
#pragma unroll
        for (int i = 0; i < kEach; ++i) inverseXY[i] = 1 / (alongX * gy.inside(y + i, f.dims[1]));
    }
    if (x >= f.max[0]) return;
    const int across = f.max[0] - f.min[0];
    const std::size_t size = std::size_t(across) * (f.max[1] - f.min[1]);
    float *to = f.result(x, y, t.z);
#pragma unroll
    for (int d = 0; d < DEPTH; ++d, to += size) {
        if (t.z + d >= end) break;
        const float inverse = MASKED ? 0 : inverseZ[d];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (y + i >= f.max[1]) continue;
            const float sum = sums[0][d][i];
            float result;
            if (!MASKED) result = reference + sum * (inverseXY[i] * inverse);
            else if (f.valid(x, y + i, t.z + d)) result = reference + sum / sums[kSums - 1][d][i];
            else result = __ldg(f.in + f.index(x, y + i, t.z + d));
            to[i * across] = result;
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
