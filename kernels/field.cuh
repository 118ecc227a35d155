// Access to the voxels, and the two rules of every filter (docs/FILTERS.md): a
// neighbour outside the volume or masked is not used; a patch sample outside is
// mirrored with the edge voxel repeated.
//
// A kernel gets a slab: the slices [first, first + slices) of a volume of dims
// voxels. All indices are those of the whole volume, so that the end of a slab is
// never mistaken for the end of the volume. Voxels are stored x fastest, then y,
// then z. In a swapped field x and y have changed places and y is fastest: a region
// that is thin along x becomes thin along y, for kernels whose lanes lie along x.
#pragma once

#include <cstddef>
#include <cstdint>

// Field mirrors struct field of field.go.
struct Field {
    const float *in;          // dims[0] x dims[1] x slices
    const std::uint8_t *mask; // of the same dims, 1 for a voxel that holds data; null: all do
    float *out;               // the region without gaps
    int dims[3];
    int first, slices;
    int min[3], max[3]; // the region: min <= index < max
    int swapped;        // x and y have changed places in dims, min and max

    __device__ bool inside(int x, int y, int z) const
    {
        return unsigned(x) < unsigned(dims[0]) && unsigned(y) < unsigned(dims[1]) && unsigned(z) < unsigned(dims[2]);
    }

    // index returns the position in in and mask of a voxel in the slab. SWAPS, here
    // and below, is true for kernels that support swapped fields; for the others
    // the code without the support is faster.
    template <bool SWAPS = false>
    __device__ std::size_t index(int x, int y, int z) const
    {
        if constexpr (!SWAPS) return (std::size_t(z - first) * dims[1] + y) * dims[0] + x;
        return (std::size_t(z - first) * (swapped ? dims[0] : dims[1]) + (swapped ? x : y)) * (swapped ? dims[1] : dims[0]) + (swapped ? y : x);
    }

    // valid returns whether voxel (x, y, z) is in the volume and holds data.
    template <bool SWAPS = false>
    __device__ bool valid(int x, int y, int z) const
    {
        return inside(x, y, z) && (mask == nullptr || __ldg(mask + index<SWAPS>(x, y, z)));
    }

    // result returns the address of voxel (x, y, z) of the region in out.
    template <bool SWAPS = false>
    __device__ float *result(int x, int y, int z) const
    {
        if constexpr (!SWAPS)
            return out + (std::size_t(z - min[2]) * (max[1] - min[1]) + (y - min[1])) * (max[0] - min[0]) + (x - min[0]);
        const int w = max[0] - min[0], h = max[1] - min[1];
        x -= min[0];
        y -= min[1];
        return out + (std::size_t(z - min[2]) * (swapped ? w : h) + (swapped ? x : y)) * (swapped ? h : w) + (swapped ? y : x);
    }

    // columnStep and rowStep return the distance in memory between neighbours along x
    // and along y.
    __device__ int columnStep() const { return swapped ? dims[1] : 1; }
    __device__ int rowStep() const { return swapped ? 1 : dims[0]; }

    // slice and row return the voxels of the slice at z and of the row at y and z,
    // mirrored. Samples that do not influence a result may be mirrored out of the
    // slab; they are clamped to it.
    __device__ const float *slice(int z) const;
    __device__ const float *row(int y, int z) const { return slice(z) + rowOffset(y); }
    __device__ int rowOffset(int y) const;
};
static_assert(sizeof(Field) == 72);

// mirror maps an index to [0, n): ... 1 0 | 0 1 ... n-1 | n-1 n-2 ...
__device__ inline int mirror(int i, int n)
{
    if (i < 0) i = -1 - i;
    if (i >= n) i = 2 * n - 1 - i;
    if (i < 0) { // more than a volume's width outside
        i = (-1 - i) % (2 * n);
        if (i >= n) i = 2 * n - 1 - i;
    }
    return i;
}

__device__ inline int clamp(int i, int lo, int hi) { return i < lo ? lo : i > hi ? hi : i; }

__device__ inline const float *Field::slice(int z) const
{
    int s = clamp(mirror(z, dims[2]) - first, 0, slices - 1);
    return in + std::size_t(s) * dims[0] * dims[1];
}

__device__ inline int Field::rowOffset(int y) const { return mirror(y, dims[1]) * rowStep(); }

// Tile is the first voxel of the part of the region that a block filters.
struct Tile {
    int x, y, z;
};

// tileOf returns the tile of this block: the tiles of w x h x d voxels are numbered
// along x, then y, then z.
__device__ inline Tile tileOf(const Field &f, int w, int h, int d)
{
    unsigned across = (f.max[0] - f.min[0] + w - 1) / w;
    unsigned down = (f.max[1] - f.min[1] + h - 1) / h;
    unsigned i = blockIdx.x, line = i / across, layer = line / down;
    return {f.min[0] + int(i - line * across) * w, f.min[1] + int(line - layer * down) * h, f.min[2] + int(layer) * d};
}

// powerOfTwo returns 2^x within 2 ulp, in one instruction; 0 below 2^-126.
__device__ inline float powerOfTwo(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// referenceOf returns the value of a voxel in or near the tile that holds data. The
// kernels compute with differences from it, so that a large common offset costs no
// precision. The value of padding would, for the voxels beside it. Every warp finds
// the value on its own.
template <bool SWAPS = false>
__device__ inline float referenceOf(const Field &f, const Tile &t, int rows)
{
    const float first = __ldg(f.in + f.index<SWAPS>(t.x, t.y, t.z));
    if (f.mask == nullptr) return first;
    for (int r = 0; r < rows; ++r) {
        int lane = threadIdx.x % 32;
        bool data = f.valid<SWAPS>(t.x + lane, t.y + r, t.z);
        unsigned lanes = __ballot_sync(~0u, data);
        if (lanes != 0) return __ldg(f.in + f.index<SWAPS>(t.x + __ffs(lanes) - 1, t.y + r, t.z));
    }
    return 0;
}
