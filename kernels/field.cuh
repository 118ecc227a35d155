// Where the voxels are, and the two rules that hold for every filter
// (docs/FILTERS.md): a neighbour outside the volume or masked is not used; a
// patch sample outside is mirrored with the edge voxel repeated.
//
// A kernel sees a slab: the slices [first, first + slices) of a volume of dims
// voxels. All indices are the whole volume's, so that a slab's end is never taken
// for the volume's. Voxels lie x fastest, then y, then z; in a turned field y
// comes first: x and y have changed places, so that a region thin along x is one
// thin along y to a kernel whose lanes lie along x.
#pragma once

#include <cstddef>
#include <cstdint>

// Field mirrors struct field of field.go.
struct Field {
    const float *in;          // dims[0] x dims[1] x slices
    const std::uint8_t *mask; // the same, 1 where a voxel holds data; null: everywhere
    float *out;               // the region, dense
    int dims[3];
    int first, slices;
    int min[3], max[3]; // the region: min inside, max not
    int turned;         // x and y have changed places in dims, min and max

    __device__ bool inside(int x, int y, int z) const
    {
        return unsigned(x) < unsigned(dims[0]) && unsigned(y) < unsigned(dims[1]) && unsigned(z) < unsigned(dims[2]);
    }

    // index of a voxel that the slab holds. TURNS, here and below, says whether
    // the kernel takes turned fields; the others need not pay for them.
    template <bool TURNS = false>
    __device__ std::size_t index(int x, int y, int z) const
    {
        if constexpr (!TURNS) return (std::size_t(z - first) * dims[1] + y) * dims[0] + x;
        return (std::size_t(z - first) * (turned ? dims[0] : dims[1]) + (turned ? x : y)) * (turned ? dims[1] : dims[0]) + (turned ? y : x);
    }

    // valid says whether voxel (x, y, z) is in the volume and holds data.
    template <bool TURNS = false>
    __device__ bool valid(int x, int y, int z) const
    {
        return inside(x, y, z) && (mask == nullptr || __ldg(mask + index<TURNS>(x, y, z)));
    }

    // result is where the region's voxel (x, y, z) goes.
    template <bool TURNS = false>
    __device__ float *result(int x, int y, int z) const
    {
        if constexpr (!TURNS)
            return out + (std::size_t(z - min[2]) * (max[1] - min[1]) + (y - min[1])) * (max[0] - min[0]) + (x - min[0]);
        const int w = max[0] - min[0], h = max[1] - min[1];
        x -= min[0];
        y -= min[1];
        return out + (std::size_t(z - min[2]) * (turned ? w : h) + (turned ? x : y)) * (turned ? h : w) + (turned ? y : x);
    }

    // columnStep and rowStep are from a voxel to the next along x and along y.
    __device__ int columnStep() const { return turned ? dims[1] : 1; }
    __device__ int rowStep() const { return turned ? 1 : dims[0]; }

    // slice and row return the voxels of the slice at z and of the row at y and
    // z, mirrored. Samples that no result depends on may be mirrored out of the
    // slab; they are clamped to it.
    __device__ const float *slice(int z) const;
    __device__ const float *row(int y, int z) const { return slice(z) + rowOffset(y); }
    __device__ int rowOffset(int y) const;
};
static_assert(sizeof(Field) == 72);

// mirror brings an index into [0, n): ... 1 0 | 0 1 ... n-1 | n-1 n-2 ...
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

// tileOf counts the region's tiles of w x h x d voxels along x, then y, then z.
__device__ inline Tile tileOf(const Field &f, int w, int h, int d)
{
    unsigned across = (f.max[0] - f.min[0] + w - 1) / w;
    unsigned down = (f.max[1] - f.min[1] + h - 1) / h;
    unsigned i = blockIdx.x, line = i / across, layer = line / down;
    return {f.min[0] + int(i - line * across) * w, f.min[1] + int(line - layer * down) * h, f.min[2] + int(layer) * d};
}

// powerOfTwo is 2^x in one instruction, within 2 ulp; 0 below 2^-126.
__device__ inline float powerOfTwo(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// referenceOf is a voxel near the tile's that holds data: what its values are
// taken relative to, so that a large common offset costs no digits. Padding must
// not decide over the digits of its neighbours. Every warp finds it on its own.
template <bool TURNS = false>
__device__ inline float referenceOf(const Field &f, const Tile &t, int rows)
{
    const float first = __ldg(f.in + f.index<TURNS>(t.x, t.y, t.z));
    if (f.mask == nullptr) return first;
    for (int r = 0; r < rows; ++r) {
        int lane = threadIdx.x % 32;
        bool data = f.valid<TURNS>(t.x + lane, t.y + r, t.z);
        unsigned those = __ballot_sync(~0u, data);
        if (those != 0) return __ldg(f.in + f.index<TURNS>(t.x + __ffs(those) - 1, t.y + r, t.z));
    }
    return 0;
}
