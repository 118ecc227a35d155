// The passes around those of a filter that bring the noise to sigma 1.
//
// By a noise map (package denoise, noisemap.go):
//
//   divide_by_sigma    out = v / sigma, for every voxel
//   multiply_by_sigma  out = v sigma; an excluded voxel keeps that of the volume
//
// A sigma that does not count, see sigmaAt, is replaced by the usual one.
//
// In magnitude images (stabilise.go), with f and its unbiased inverse of package rice:
//
//   stabilise_noise  out = f(v / sigma), for every voxel
//   restore_signal   out = sigma nu with E[f | nu] = v; an excluded voxel keeps that of the volume
//
// They compute in float64, as the CPU engine does: passes that compare what they read with a
// threshold decide alike only if both engines give them the same float32 values.
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

// StabiliseParams mirrors struct stabiliseParams of stabilise.go.
struct StabiliseParams {
    Box<const float> in, voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    int pad;
    double sigma;
    double shift, floor;           // of package rice, as are the tables
    double slopes[25], values[25]; // f' and f at z = 0, 0.25, ...
    double squares[19], rises[19]; // nu^2 and its derivative at E[f] = floor, floor + 0.5, ...
};
static_assert(sizeof(StabiliseParams) == 872);

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

// stabilise rounds each operation, as package rice does: the compiler contracts none of them.
__device__ inline double stabilise(const StabiliseParams &p, double z)
{
    if (z >= 6) return __dadd_rn(__dadd_rn(z, -__ddiv_rn(1, 4 * z)), p.shift);
    if (!(z > 0)) return 0;
    const int k = int(z * 4);
    const double t = z - 0.25 * k, curve = (p.slopes[k + 1] - p.slopes[k]) * 2;
    return __dadd_rn(p.values[k], __dmul_rn(t, __dadd_rn(p.slopes[k], __dmul_rn(curve, t))));
}

__device__ inline double signalOf(const StabiliseParams &p, double d)
{
    const double at = (d - p.floor) * 2;
    if (!(at > 0)) return 0;
    if (at >= 18) {
        d -= p.shift;
        return d * (0.5 + 0.5 * sqrt(1 - 1 / (d * d)));
    }
    const int k = int(at);
    const double t = at - k, from = p.squares[k], rise = p.squares[k + 1] - from;
    const double a = 0.5 * p.rises[k] - rise, b = rise - 0.5 * p.rises[k + 1];
    return sqrt(from + t * (rise + (1 - t) * (a + t * (b - a))));
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

__global__ void __launch_bounds__(256) stabilise_noise(const __grid_constant__ StabiliseParams p)
{
    const Voxel at(p.out);
    if (at.inside) p.out.at(at.x, at.y, at.z) = float(stabilise(p, __ddiv_rn(p.in.at(at.x, at.y, at.z), p.sigma)));
}

__global__ void __launch_bounds__(256) restore_signal(const __grid_constant__ StabiliseParams p)
{
    const Voxel at(p.out);
    if (!at.inside) return;
    p.out.at(at.x, at.y, at.z) = valid(p.dims, p.mask, at.x, at.y, at.z) ?
        float(signalOf(p, p.in.at(at.x, at.y, at.z)) * p.sigma) : p.voxels.at(at.x, at.y, at.z);
}

} // extern "C"
