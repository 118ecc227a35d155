// The median: the middle value of those voxels of the neighbourhood that are in the
// volume and not masked, or the mean of the two middle values if their number is
// even. A thread filters one voxel.
//
// The usual neighbourhoods have a network of minima and maxima in registers
// (median_network.cuh); their blocks have 32 columns and up to 8 rows. A voxel that is
// not used counts as -inf or, every second one, as +inf: that leaves the middle value of
// an odd number where it is, and the lower of two in its place.
//
// The kernel median takes any radius and stores no values. Floats are mapped to integer
// keys of the same order, and the bits of the median's key are found one by one from
// the highest. The m-th smallest key is the largest k with at most m keys below it.
// The leading bits shared by all keys follow from the smallest and the largest.
#include "median_network.cuh"
#include "median_params.cuh"

// meanOf is the mean of two values, rounded once.
__device__ inline float meanOf(float lower, float upper) { return float((double(lower) + upper) / 2); }

// medianOf filters with neighbourhoods of the half widths RX, RY and RZ.
template <int RX, int RY, int RZ>
__device__ inline void medianOf(const MedianParams &p)
{
    constexpr int kWidth = 2 * RX + 1, kHeight = 2 * RY + 1, kDepth = 2 * RZ + 1;
    const Field &f = p.field;
    const Tile t = tileOf(f, 32, blockDim.y, 1);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    if (x >= f.max[0] || y >= f.max[1]) return;
    const float *at = f.in + f.index(x, y, z);
    if (!f.valid(x, y, z)) {
        *f.result(x, y, z) = __ldg(at);
        return;
    }

    Columns<kWidth, kHeight * kDepth> values;
    const bool whole = f.mask == nullptr && f.inside(x - RX, y - RY, z - RZ) && f.inside(x + RX, y + RY, z + RZ);
    const std::ptrdiff_t row = f.dims[0], slice = row * f.dims[1];
    int unused = 0;
#pragma unroll
    for (int dz = -RZ; dz <= RZ; ++dz) {
#pragma unroll
        for (int dy = -RY; dy <= RY; ++dy) {
#pragma unroll
            for (int dx = -RX; dx <= RX; ++dx) {
                float value;
                if (whole || f.valid(x + dx, y + dy, z + dz)) value = __ldg(at + dz * slice + dy * row + dx);
                else value = __int_as_float(unused++ % 2 == 0 ? 0xff800000 : 0x7f800000);
                values.column[dx + RX].v[(dz + RZ) * kHeight + dy + RY] = value;
            }
        }
    }
    constexpr int kRank = (kWidth * kHeight * kDepth + 1) / 2;
    const Middle<kWidth, kHeight * kDepth> lists(values);
    float value = lists.template rank<kRank>();
    if (unused % 2 != 0) value = meanOf(value, lists.template rank<kRank + 1>());
    *f.result(x, y, z) = value;
}

extern "C" __global__ void __launch_bounds__(256) median_3x3(const __grid_constant__ MedianParams p) { medianOf<1, 1, 0>(p); }
extern "C" __global__ void __launch_bounds__(256) median_5x5(const __grid_constant__ MedianParams p) { medianOf<2, 2, 0>(p); }
extern "C" __global__ void __launch_bounds__(256, 3) median_3x3x3(const __grid_constant__ MedianParams p) { medianOf<1, 1, 1>(p); }

// keyOf and valueOf map floats to integers of the same order and back.
__device__ inline unsigned keyOf(float v)
{
    unsigned bits = __float_as_uint(v);
    return bits ^ (bits >> 31 ? ~0u : 1u << 31);
}

__device__ inline float valueOf(unsigned key)
{
    return __uint_as_float(key ^ (key >> 31 ? 1u << 31 : ~0u));
}

// forNeighbours calls use(key) for every voxel of the neighbourhood of (x, y, z).
template <class Use>
__device__ inline void forNeighbours(const MedianParams &p, int x, int y, int z, Use use)
{
    const Field &f = p.field;
    int left = max(x - p.radius[0], 0), right = min(x + p.radius[0], f.dims[0] - 1);
    for (int jz = max(z - p.radius[2], 0); jz <= min(z + p.radius[2], f.dims[2] - 1); ++jz) {
        for (int jy = max(y - p.radius[1], 0); jy <= min(y + p.radius[1], f.dims[1] - 1); ++jy) {
            std::size_t row = f.index(0, jy, jz);
            for (int jx = left; jx <= right; ++jx)
                if (f.mask == nullptr || __ldg(f.mask + row + jx)) use(keyOf(__ldg(f.in + row + jx)));
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) median(const __grid_constant__ MedianParams p)
{
    const Field &f = p.field;
    Tile t = tileOf(f, 32, 8, 1);
    int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    if (x >= f.max[0] || y >= f.max[1]) return;
    if (!f.valid(x, y, z)) {
        *f.result(x, y, z) = __ldg(f.in + f.index(x, y, z));
        return;
    }

    unsigned least = ~0u, most = 0, count = 0;
    forNeighbours(p, x, y, z, [&](unsigned key) {
        least = min(least, key);
        most = max(most, key);
        ++count;
    });
    const unsigned middle = (count - 1) / 2;
    int bits = 32 - __clz(least ^ most); // bits that are not shared by all keys
    unsigned key = bits == 32 ? 0 : least >> bits << bits;
    for (int b = bits - 1; b >= 0; --b) {
        unsigned limit = key | 1u << b, below = 0;
        forNeighbours(p, x, y, z, [&](unsigned k) { below += k < limit; });
        if (below <= middle) key = limit;
    }

    float value = valueOf(key);
    if (count % 2 == 0) {
        unsigned upTo = 0, next = ~0u;
        forNeighbours(p, x, y, z, [&](unsigned k) {
            upTo += k <= key;
            if (k > key) next = min(next, k);
        });
        if (upTo <= middle + 1) value = meanOf(value, valueOf(next));
    }
    *f.result(x, y, z) = value;
}
