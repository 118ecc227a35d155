// The passes around those of a filter that runs on volumes divided by a noise map
// (package denoise, noisemap.go):
//
//   divide_by_sigma    out = v / sigma, for every voxel
//   multiply_by_sigma  out = v sigma; an excluded voxel keeps that of the volume
//
// A sigma that does not count, see usable, is replaced by the usual one.
#include "box.cuh"

// NoiseMapParams mirrors struct noiseMapParams of noisemap.go.
struct NoiseMapParams {
    Box<const float> in, noise, voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    float usual; // sigma of voxels without a figure
    float least; // smallest sigma that counts
    int pad;
};
static_assert(sizeof(NoiseMapParams) == 184);

constexpr float kLargest = 3.402823466e38f; // of the finite numbers

// Voxel is the one that this thread computes.
struct Voxel {
    int x, y, z;
    bool inside; // there is one

    __device__ explicit Voxel(const Box<float> &out)
    {
        const unsigned w = out.max[0] - out.min[0], h = out.max[1] - out.min[1], d = out.max[2] - out.min[2];
        const std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, line = n / w;
        inside = line < std::size_t(h) * d;
        x = out.min[0] + int(n - line * w);
        y = out.min[1] + int(line % h);
        z = out.min[2] + int(line / h);
    }
};

__device__ inline float sigmaAt(const NoiseMapParams &p, const Voxel &at)
{
    const float s = p.noise.at(at.x, at.y, at.z);
    return s > 0 && s >= p.least && s <= kLargest ? s : p.usual;
}

extern "C" {

__global__ void __launch_bounds__(256) divide_by_sigma(const __grid_constant__ NoiseMapParams p)
{
    const Voxel at(p.out);
    if (at.inside) p.out.at(at.x, at.y, at.z) = __fdiv_rn(p.in.at(at.x, at.y, at.z), sigmaAt(p, at));
}

__global__ void __launch_bounds__(256) multiply_by_sigma(const __grid_constant__ NoiseMapParams p)
{
    const Voxel at(p.out);
    if (!at.inside) return;
    p.out.at(at.x, at.y, at.z) = valid(p.dims, p.mask, at.x, at.y, at.z) ?
        __fmul_rn(p.in.at(at.x, at.y, at.z), sigmaAt(p, at)) : p.voxels.at(at.x, at.y, at.z);
}

} // extern "C"
