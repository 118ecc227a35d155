// What is around every voxel, excluded or not, for the choice of neighbours of nlm and
// bnlm: over the samples of a box, mirrored beyond the volume,
//
//   S1 = sum (v - zero), S2 = sum (v - zero)^2
//   preselect_mean       S1 / n
//   preselect_deviation  sqrt(max(0, n S2 - S1^2)) / n
//
// in float64, rows along x, then rows along y, then planes, without fused operations:
// the same bits as on the processor. Numbers below 2^-100 in size become 2^-100, so
// that 0 and 0 are alike.
#include "box.cuh"

// PreselectParams mirrors struct preselectParams of preselect.go.
struct PreselectParams {
    Box<const float> in;
    Box<float> out;
    int dims[3], radius[3];
    double zero;
};
static_assert(sizeof(PreselectParams) == 96);

constexpr double kTiny = 7.888609052210118e-31; // 2^-100
constexpr double kLargest = 3.4028234663852886e38;

__device__ inline int mirror(int i, int n)
{
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i < n ? i : 2 * n - 1 - i;
}

// Sums are S1 and S2 of a row, of a plane of rows, or of all.
struct Sums {
    double first = 0, second = 0;

    __device__ void add(double a, double b)
    {
        first = __dadd_rn(first, a);
        second = __dadd_rn(second, b);
    }
};

// compute calls write with the position in the output and the sums of this thread's
// voxel.
template <class Write>
__device__ inline void compute(const PreselectParams &p, Write write)
{
    const Box<float> &o = p.out;
    const unsigned w = o.max[0] - o.min[0], h = o.max[1] - o.min[1], d = o.max[2] - o.min[2];
    const std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, line = n / w;
    if (line >= std::size_t(h) * d) return;
    const int x = o.min[0] + int(n - line * w), y = o.min[1] + int(line % h), z = o.min[2] + int(line / h);
    Sums all;
    for (int dz = -p.radius[2]; dz <= p.radius[2]; ++dz) {
        Sums plane;
        for (int dy = -p.radius[1]; dy <= p.radius[1]; ++dy) {
            Sums row;
            for (int dx = -p.radius[0]; dx <= p.radius[0]; ++dx) {
                double v = __ldg(&p.in.at(mirror(x + dx, p.dims[0]), mirror(y + dy, p.dims[1]), mirror(z + dz, p.dims[2])));
                double u = __dsub_rn(v, p.zero);
                row.add(u, __dmul_rn(u, u));
            }
            plane.add(row.first, row.second);
        }
        all.add(plane.first, plane.second);
    }
    const double samples = double(2 * p.radius[0] + 1) * (2 * p.radius[1] + 1) * (2 * p.radius[2] + 1);
    o.at(x, y, z) = write(all, samples);
}

extern "C" {

__global__ void __launch_bounds__(256) preselect_mean(const __grid_constant__ PreselectParams p)
{
    compute(p, [](const Sums &s, double n) {
        float m = float(fmin(fmax(__ddiv_rn(s.first, n), -kLargest), kLargest));
        return fabsf(m) < float(kTiny) ? float(kTiny) : m;
    });
}

__global__ void __launch_bounds__(256) preselect_deviation(const __grid_constant__ PreselectParams p)
{
    compute(p, [](const Sums &s, double n) {
        double spread = __dsub_rn(__dmul_rn(n, s.second), __dmul_rn(s.first, s.first));
        return float(fmin(fmax(__ddiv_rn(__dsqrt_rn(fmax(spread, 0.0)), n), kTiny), kLargest));
    });
}

} // extern "C"
