// Rungs of the bilateral filter: the kernels that the papers compare, with the
// definition of ../bilateral.cu. The shape of a block is free.
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

template <class SOURCE>
__device__ inline void formula(const BilateralParams &p, SOURCE source)
{
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z + threadIdx.z;
    if (x >= f.max[0] || y >= f.max[1] || z >= f.max[2]) return;
    const float v = source.voxel(x, y, z);
    Sums s;
    for (int dz = -p.radius[2]; dz <= p.radius[2]; ++dz)
        for (int dy = -p.radius[1]; dy <= p.radius[1]; ++dy)
            for (int dx = -p.radius[0]; dx <= p.radius[0]; ++dx) {
                if (!f.valid(x + dx, y + dy, z + dz)) continue;
                float d = source.voxel(x + dx, y + dy, z + dz) - v;
                float g = exp2f(-(p.decay[0] * dx * dx + p.decay[1] * dy * dy + p.decay[2] * dz * dz));
                s.add(g * rangeWeight(p, d), d);
            }
    *f.result(x, y, z) = f.valid(x, y, z) ? v + s.num / s.den : v;
}

template <class SOURCE>
__device__ inline void tabulated(const TableParams &q, SOURCE source)
{
    const BilateralParams &p = q.p;
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z + threadIdx.z;
    if (x >= f.max[0] || y >= f.max[1] || z >= f.max[2]) return;
    const float v = source.voxel(x, y, z);
    const int w = 2 * p.radius[0] + 1;
    Sums s;
    for (int dy = -p.radius[1]; dy <= p.radius[1]; ++dy)
        for (int dx = -p.radius[0]; dx <= p.radius[0]; ++dx) {
            if (!f.valid(x + dx, y + dy, z)) continue;
            float d = source.voxel(x + dx, y + dy, z) - v;
            s.add(q.weights[(dy + p.radius[1]) * w + dx + p.radius[0]] * rangeWeight(p, d), d);
        }
    *f.result(x, y, z) = f.valid(x, y, z) ? v + s.num / s.den : v;
}

template <class SOURCE>
__device__ inline void prefetched(const TableParams &q, SOURCE source)
{
    extern __shared__ float tile[];
    const BilateralParams &p = q.p;
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int rx = p.radius[0], ry = p.radius[1], w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry;
    for (int j = threadIdx.y; j < h; j += blockDim.y)
        for (int i = threadIdx.x; i < w; i += blockDim.x)
            tile[j * w + i] = source.voxel(clamp(t.x + i - rx, 0, f.dims[0] - 1), clamp(t.y + j - ry, 0, f.dims[1] - 1), t.z);
    __syncthreads();
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    if (x >= f.max[0] || y >= f.max[1]) return;
    const float *here = tile + (threadIdx.y + ry) * w + threadIdx.x + rx;
    Sums s;
    for (int dy = -ry; dy <= ry; ++dy)
        for (int dx = -rx; dx <= rx; ++dx) {
            if (!f.valid(x + dx, y + dy, z)) continue;
            float d = here[dy * w + dx] - *here;
            s.add(q.weights[(dy + ry) * (2 * rx + 1) + dx + rx] * rangeWeight(p, d), d);
        }
    *f.result(x, y, z) = f.valid(x, y, z) ? *here + s.num / s.den : *here;
}

extern "C" {

__global__ void bilateral_formula(const __grid_constant__ BilateralParams p) { formula(p, Loads{p.field}); }

__global__ void bilateral_formula_texture(const __grid_constant__ TableParams q) { formula(q.p, Fetches{q.p.field, q.texture}); }

__global__ void bilateral_constant(const __grid_constant__ TableParams q) { tabulated(q, Loads{q.p.field}); }

__global__ void bilateral_constant_texture(const __grid_constant__ TableParams q) { tabulated(q, Fetches{q.p.field, q.texture}); }

__global__ void bilateral_shared(const __grid_constant__ TableParams q) { prefetched(q, Loads{q.p.field}); }

__global__ void bilateral_shared_texture(const __grid_constant__ TableParams q) { prefetched(q, Fetches{q.p.field, q.texture}); }

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
