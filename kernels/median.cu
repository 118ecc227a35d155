// The median: the middle value of the window's voxels that are in the volume
// and not masked, the mean of the two in the middle where their number is even.
//
// Any radius, no storage: a float's bits, turned so that they order as the
// values do, are found one by one from the top. The m-th smallest key is the
// largest k with at most m keys below it; the leading bits that all keys share
// are known from the smallest and the largest.
#include "params.cuh"

// orderedKey and itsValue map floats to integers of the same order and back.
__device__ inline unsigned orderedKey(float v)
{
    unsigned bits = __float_as_uint(v);
    return bits ^ (bits >> 31 ? ~0u : 1u << 31);
}

__device__ inline float itsValue(unsigned key)
{
    return __uint_as_float(key ^ (key >> 31 ? 1u << 31 : ~0u));
}

// forWindow calls use(key) for every voxel of the window at (x, y, z).
template <class Use>
__device__ inline void forWindow(const MedianParams &p, int x, int y, int z, Use use)
{
    const Field &f = p.field;
    int left = max(x - p.radius[0], 0), right = min(x + p.radius[0], f.dims[0] - 1);
    for (int jz = max(z - p.radius[2], 0); jz <= min(z + p.radius[2], f.dims[2] - 1); ++jz) {
        for (int jy = max(y - p.radius[1], 0); jy <= min(y + p.radius[1], f.dims[1] - 1); ++jy) {
            std::size_t row = f.index(0, jy, jz);
            for (int jx = left; jx <= right; ++jx)
                if (f.mask == nullptr || __ldg(f.mask + row + jx)) use(orderedKey(__ldg(f.in + row + jx)));
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
    forWindow(p, x, y, z, [&](unsigned key) {
        least = min(least, key);
        most = max(most, key);
        ++count;
    });
    const unsigned middle = (count - 1) / 2;
    int bits = 32 - __clz(least ^ most); // the ones that are not shared
    unsigned key = bits == 32 ? 0 : least >> bits << bits;
    for (int b = bits - 1; b >= 0; --b) {
        unsigned limit = key | 1u << b, below = 0;
        forWindow(p, x, y, z, [&](unsigned k) { below += k < limit; });
        if (below <= middle) key = limit;
    }

    float value = itsValue(key);
    if (count % 2 == 0) {
        unsigned upTo = 0, next = ~0u;
        forWindow(p, x, y, z, [&](unsigned k) {
            upTo += k <= key;
            if (k > key) next = min(next, k);
        });
        if (upTo <= middle + 1) value = float((double(value) + itsValue(next)) / 2);
    }
    *f.result(x, y, z) = value;
}
