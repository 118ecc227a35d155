// Rungs of the bilateral filter: the kernels that the papers compare, with the
// definition of ../bilateral.cu. The shape of a block is free; there is no mask, and loops are
// cut to the volume, so that no neighbour is tested.
//
// bilateral_formula   a thread a voxel, two exponentials a pair, from global memory
//                     (Zheng 2011, section III.A)
// bilateral_constant  the spatial weights from a table in constant memory (section III.B)
// bilateral_shared    and the voxels from a tile in shared memory, prefetched (section
//                     III.C)
// bilateral_formula_texture, bilateral_constant_texture, bilateral_shared_texture
//                     read the voxels as a texture (section III.A)
//
// bilateral_AXIS_MEMORY_TEST  a thread a row of voxels along AXIS (Bethel 2012, section
//                     2.3): depth is z, with the threads of a block along x; width is x,
//                     with threads along y; height is y, with threads along z. The table
//                     of the spatial weights lies in constant or in global memory, and
//                     each neighbour is tested for being in the volume (tests) or the
//                     loops are cut to it (cut).
#include "../bilateral_params.cuh"
#include "texture.cuh"

constexpr int kTableRadius = 11;
constexpr int kTableEdge = 2 * kTableRadius + 1;
constexpr int kSquare = 17; // largest window of the table in the parameters

// TableParams mirrors struct bilateralTableParams of rung_bilateral.go.
struct TableParams {
    BilateralParams p;
    float weights[kSquare * kSquare + 1]; // of a slice, row by row; parameters lie in constant memory
    TextureHandle texture;                // of the rungs that read one
};
static_assert(sizeof(TableParams) == 1272);

// The weights of 23^3 neighbours, written before each launch: 2^-(sum_a decay_a d_a^2).
__constant__ float constantWeights[kTableEdge * kTableEdge * kTableEdge];
__device__ float globalWeights[kTableEdge * kTableEdge * kTableEdge];

// Sums are those of one voxel.
struct Sums {
    float num = 0, den = 0;

    __device__ void add(float w, float difference)
    {
        num += w * difference;
        den += w;
    }
};

__device__ inline Tile blockAt(const Field &f) { return tileOf(f, blockDim.x, blockDim.y, blockDim.z); }

// rangeWeight returns the weight of a difference of values.
__device__ inline float rangeWeight(const BilateralParams &p, float d)
{
    d *= p.scale;
    return exp2f(-d * d);
}

// Cut is the window of a voxel, cut to the volume, so that no neighbour needs a test.
struct Cut {
    int from[3], to[3];

    __device__ Cut(const BilateralParams &p, int x, int y, int z)
    {
        const int at[3] = {x, y, z};
        for (int c = 0; c < 3; ++c) {
            from[c] = max(-p.radius[c], -at[c]);
            to[c] = min(p.radius[c], p.field.dims[c] - 1 - at[c]);
        }
    }
};

// InMemory walks along rows of floats that lie one after another; slice and row are
// distances in memory.
struct InMemory {
    const float *voxel;
    std::size_t slice;
    int row;
    bool global; // the read-only cache

    __device__ InMemory from(int dx, int dy, int dz) const { return {voxel + dz * slice + dy * row + dx, slice, row, global}; }
    __device__ float read() const { return global ? __ldg(voxel) : *voxel; }
    __device__ void next() { ++voxel; }
};

// InTexture walks along rows of a texture of slices, one below the other.
struct InTexture {
    TextureHandle texture;
    float u, v; // coordinates in texels
    int height; // of a slice

    __device__ InTexture from(int dx, int dy, int dz) const { return {texture, u + float(dx), v + float(dz * height + dy), height}; }
    __device__ float read() const { return tex2D<float>(texture, u, v); }
    __device__ void next() { u += 1; }
};

// mine returns the voxel of this thread, and whether it is in the region.
__device__ inline bool mine(const Field &f, int &x, int &y, int &z)
{
    const Tile t = blockAt(f);
    x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z + threadIdx.z;
    return x < f.max[0] && y < f.max[1] && z < f.max[2];
}

__device__ inline InMemory loadsAt(const Field &f, int x, int y, int z)
{
    return {f.in + f.index(x, y, z), std::size_t(f.dims[0]) * f.dims[1], f.dims[0], true};
}

__device__ inline InTexture textureAt(const Field &f, TextureHandle texture, int x, int y, int z)
{
    return {texture, float(x) + 0.5f, float((z - f.first) * f.dims[1] + y) + 0.5f, f.dims[1]};
}

// formulaVoxel filters a voxel with two exponentials a pair.
template <class PLACE>
__device__ inline float formulaVoxel(const BilateralParams &p, int x, int y, int z, PLACE place)
{
    const float v = place.read();
    const Cut cut(p, x, y, z);
    Sums s;
    for (int dz = cut.from[2]; dz <= cut.to[2]; ++dz)
        for (int dy = cut.from[1]; dy <= cut.to[1]; ++dy) {
            PLACE there = place.from(cut.from[0], dy, dz);
            const float away = p.decay[1] * dy * dy + p.decay[2] * dz * dz;
            float dx = float(cut.from[0]);
            for (int n = cut.to[0] - cut.from[0]; n >= 0; --n, dx += 1, there.next()) {
                const float d = there.read() - v;
                s.add(exp2f(-(p.decay[0] * dx * dx + away)) * rangeWeight(p, d), d);
            }
        }
    return v + s.num / s.den;
}

// tabulatedVoxel filters a pixel with the weights of the table.
template <class PLACE>
__device__ inline float tabulatedVoxel(const TableParams &q, int x, int y, int z, PLACE place)
{
    const BilateralParams &p = q.p;
    const float v = place.read();
    const Cut cut(p, x, y, z);
    Sums s;
    for (int dy = cut.from[1]; dy <= cut.to[1]; ++dy) {
        PLACE there = place.from(cut.from[0], dy, 0);
        const float *weight = q.weights + (dy + p.radius[1]) * (2 * p.radius[0] + 1) + p.radius[0] + cut.from[0];
        for (int n = cut.to[0] - cut.from[0]; n >= 0; --n, ++weight, there.next()) {
            const float d = there.read() - v;
            s.add(*weight * rangeWeight(p, d), d);
        }
    }
    return v + s.num / s.den;
}

// prefetched filters the pixels of a block; sample(x, y, z) returns a pixel of the slice.
template <class SAMPLE>
__device__ inline void prefetched(const TableParams &q, SAMPLE sample)
{
    extern __shared__ float tile[];
    const BilateralParams &p = q.p;
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int rx = p.radius[0], ry = p.radius[1], w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry;
    for (int j = threadIdx.y; j < h; j += blockDim.y)
        for (int i = threadIdx.x; i < w; i += blockDim.x)
            tile[j * w + i] = sample(clamp(t.x + i - rx, 0, f.dims[0] - 1), clamp(t.y + j - ry, 0, f.dims[1] - 1), t.z);
    __syncthreads();
    int x, y, z;
    if (mine(f, x, y, z)) *f.result(x, y, z) = tabulatedVoxel(q, x, y, z, InMemory{tile + (threadIdx.y + ry) * w + threadIdx.x + rx, 0, w, false});
}

extern "C" {

__global__ void __launch_bounds__(1024) bilateral_formula(const __grid_constant__ BilateralParams p)
{
    int x, y, z;
    if (mine(p.field, x, y, z)) *p.field.result(x, y, z) = formulaVoxel(p, x, y, z, loadsAt(p.field, x, y, z));
}

__global__ void __launch_bounds__(1024) bilateral_formula_texture(const __grid_constant__ TableParams q)
{
    int x, y, z;
    if (mine(q.p.field, x, y, z)) *q.p.field.result(x, y, z) = formulaVoxel(q.p, x, y, z, textureAt(q.p.field, q.texture, x, y, z));
}

__global__ void __launch_bounds__(1024) bilateral_constant(const __grid_constant__ TableParams q)
{
    int x, y, z;
    if (mine(q.p.field, x, y, z)) *q.p.field.result(x, y, z) = tabulatedVoxel(q, x, y, z, loadsAt(q.p.field, x, y, z));
}

__global__ void __launch_bounds__(1024) bilateral_constant_texture(const __grid_constant__ TableParams q)
{
    int x, y, z;
    if (mine(q.p.field, x, y, z)) *q.p.field.result(x, y, z) = tabulatedVoxel(q, x, y, z, textureAt(q.p.field, q.texture, x, y, z));
}

__global__ void __launch_bounds__(1024) bilateral_shared(const __grid_constant__ TableParams q)
{
    prefetched(q, [&](int x, int y, int z) { return loadsAt(q.p.field, x, y, z).read(); });
}

__global__ void __launch_bounds__(1024) bilateral_shared_texture(const __grid_constant__ TableParams q)
{
    prefetched(q, [&](int x, int y, int z) { return textureAt(q.p.field, q.texture, x, y, z).read(); });
}

} // extern "C"

// rowVoxel filters one voxel of a row.
template <bool CONSTANT, bool TESTS>
__device__ inline void rowVoxel(const BilateralParams &p, int x, int y, int z)
{
    const Field &f = p.field;
    const float v = __ldg(f.in + f.index(x, y, z));
    const int ex = 2 * p.radius[0] + 1, ey = 2 * p.radius[1] + 1;
    auto from = [&](int c, int at) { return TESTS ? -p.radius[c] : max(-p.radius[c], -at); };
    auto to = [&](int c, int at) { return TESTS ? p.radius[c] : min(p.radius[c], f.dims[c] - 1 - at); };
    Sums s;
    for (int dz = from(2, z); dz <= to(2, z); ++dz)
        for (int dy = from(1, y); dy <= to(1, y); ++dy)
            for (int dx = from(0, x); dx <= to(0, x); ++dx) {
                if (TESTS && !f.inside(x + dx, y + dy, z + dz)) continue;
                int k = ((dz + p.radius[2]) * ey + dy + p.radius[1]) * ex + dx + p.radius[0];
                float d = __ldg(f.in + f.index(x + dx, y + dy, z + dz)) - v;
                s.add((CONSTANT ? constantWeights[k] : globalWeights[k]) * rangeWeight(p, d), d);
            }
    *f.result(x, y, z) = v + s.num / s.den;
}

// row filters a row along AXIS; the threads of a block lie along the axes NEXT and LAST
// of the plane across it.
template <int AXIS, int NEXT, int LAST, bool CONSTANT, bool TESTS>
__device__ inline void row(const BilateralParams &p)
{
    const Field &f = p.field;
    int at[3];
    const int across = (f.max[NEXT] - f.min[NEXT] + blockDim.x - 1) / blockDim.x;
    at[NEXT] = f.min[NEXT] + blockIdx.x % across * blockDim.x + threadIdx.x;
    at[LAST] = f.min[LAST] + blockIdx.x / across * blockDim.y + threadIdx.y;
    if (at[NEXT] >= f.max[NEXT] || at[LAST] >= f.max[LAST]) return;
    for (at[AXIS] = f.min[AXIS]; at[AXIS] < f.max[AXIS]; ++at[AXIS]) rowVoxel<CONSTANT, TESTS>(p, at[0], at[1], at[2]);
}

#define ROW(NAME, AXIS, NEXT, LAST)                                                                                                                  \
    extern "C" __global__ void bilateral_##NAME##_constant_tests(const __grid_constant__ BilateralParams p) { row<AXIS, NEXT, LAST, true, true>(p); }  \
    extern "C" __global__ void bilateral_##NAME##_constant_cut(const __grid_constant__ BilateralParams p) { row<AXIS, NEXT, LAST, true, false>(p); }   \
    extern "C" __global__ void bilateral_##NAME##_global_tests(const __grid_constant__ BilateralParams p) { row<AXIS, NEXT, LAST, false, true>(p); }   \
    extern "C" __global__ void bilateral_##NAME##_global_cut(const __grid_constant__ BilateralParams p) { row<AXIS, NEXT, LAST, false, false>(p); }

ROW(depth, 2, 0, 1)
ROW(width, 0, 1, 2)
ROW(height, 1, 2, 0)
