// Conversion of 16-bit voxels to float32 on the device, which halves the bytes on
// the bus: value = stored + bias.
#include <cstdint>

// WidenParams mirrors struct widenParams of convert.go.
struct WidenParams {
    const std::int16_t *from;
    float *to;
    long long count;
    float bias;
    int pad;
};
static_assert(sizeof(WidenParams) == 32);

constexpr int kEach = 8; // voxels of a thread

extern "C" __global__ void __launch_bounds__(256) widen(const __grid_constant__ WidenParams p)
{
    long long first = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        long long n = first + i * blockDim.x;
        if (n < p.count) p.to[n] = float(p.from[n]) + p.bias;
    }
}
