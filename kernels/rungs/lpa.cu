// Rungs of LPA-ICI: the kernels that Klepaczko 2013 compares, with the definition of
// ../lpa.cu. A thread decides the scales of one pixel, or of two; what float32 cannot
// decide is decided in float64, as in the kernel that ships.
//
// lpa_basic    from global memory (section 3.2)
// lpa_shared   from a tile in shared memory with an apron of 8 pixels (section 3.3)
// lpa_shared2  and two pixels a thread (section 3.4)
// lpa_rN       lpa_shared2 with at most N registers a thread (table 2): as many blocks of
//              256 threads as share the 65536 registers of a multiprocessor. Registers are
//              given out in eights, and 32 leave room for the 2048 threads that sm_80 and
//              sm_90 take, so that fewer gain nothing. Devices that take fewer threads ignore
//              a bound that they cannot meet.
#define LPA_WITHOUT_KERNELS
#include "../lpa.cu"

constexpr int kBlock = 16, kApron = 8;

// ladderPixel computes a pixel; read(px, py) returns a pixel of the image near it.
template <class Read>
__device__ inline void ladderPixel(const LpaParams &p, int x, int y, int z, Read read)
{
    const Field &f = p.field;
    const float v0 = read(x, y), width = float(p.width);
    if (!f.valid(x, y, z)) {
        finish<false>(p, x, y, z, v0, Pixel());
        return;
    }
    Pixel pixel;
    for (int d = 0; d < kDirections; ++d) {
        Intervals intervals;
        Line line = {0, 1, 0};
        float reach = width;
        for (int s = 0; s < p.count && intervals.open; ++s) {
            const int h = p.scales[s];
            float g = 0, g2 = 0, sum = 0;
            for (int j = 0; j < h; ++j) {
                int px = x + j * kStepX[d], py = y + j * kStepY[d];
                if (!f.valid(px, py, z)) continue;
                float t = float(j) / float(h), w = 1 - t * t, u = read(px, py) - v0;
                g += w;
                g2 += w * w;
                sum += w * u;
                reach = fmaxf(reach, fabsf(u));
            }
            float q = g2 / (g * g), mu = sum / g;
            if (intervals.narrow(mu, width * sqrtf(q))) line = {mu, 1 / q, s};
        }
        if (intervals.closest <= slackFor(kMaxScales) * reach) pixel.doubtful |= 1u << d;
        else pixel.add(d, line);
    }
    finish<false>(p, x, y, z, v0, pixel);
}

// fromTile computes ROWS blocks of pixels from shared memory.
template <int ROWS>
__device__ inline void fromTile(const LpaParams &p)
{
    constexpr int kWidth = kBlock + 2 * kApron, kHeight = ROWS * kBlock + 2 * kApron;
    __shared__ float tile[kHeight][kWidth];
    const Field &f = p.field;
    const Tile t = tileOf(f, kBlock, ROWS * kBlock, 1);
    const int x0 = t.x - kApron, y0 = t.y - kApron;
    for (int j = threadIdx.y; j < kHeight; j += kBlock)
        for (int i = threadIdx.x; i < kWidth; i += kBlock)
            tile[j][i] = __ldg(f.in + f.index(clamp(x0 + i, 0, f.dims[0] - 1), clamp(y0 + j, 0, f.dims[1] - 1), t.z));
    __syncthreads();
    auto read = [&](int px, int py) { return tile[py - y0][px - x0]; };
    const int x = t.x + threadIdx.x;
    if (x >= f.max[0]) return;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = t.y + r * kBlock + threadIdx.y;
        if (y < f.max[1]) ladderPixel(p, x, y, t.z, read);
    }
}

extern "C" {

__global__ void __launch_bounds__(kBlock * kBlock) lpa_basic(const __grid_constant__ LpaParams p)
{
    const Field &f = p.field;
    const Tile t = tileOf(f, kBlock, kBlock, 1);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    if (x >= f.max[0] || y >= f.max[1]) return;
    ladderPixel(p, x, y, z, [&](int px, int py) { return __ldg(f.in + f.index(px, py, z)); });
}

__global__ void __launch_bounds__(kBlock * kBlock) lpa_shared(const __grid_constant__ LpaParams p) { fromTile<1>(p); }

__global__ void __launch_bounds__(kBlock * kBlock) lpa_shared2(const __grid_constant__ LpaParams p) { fromTile<2>(p); }

__global__ void __launch_bounds__(kBlock * kBlock, 8) lpa_r32(const __grid_constant__ LpaParams p) { fromTile<2>(p); }

__global__ void __launch_bounds__(kBlock * kBlock, 6) lpa_r40(const __grid_constant__ LpaParams p) { fromTile<2>(p); }

__global__ void __launch_bounds__(kBlock * kBlock, 5) lpa_r48(const __grid_constant__ LpaParams p) { fromTile<2>(p); }

__global__ void __launch_bounds__(kBlock * kBlock, 4) lpa_r64(const __grid_constant__ LpaParams p) { fromTile<2>(p); }

} // extern "C"
