// Rungs of non-local means: the kernels that the papers compare, with the definition
// of ../nlm_any.cuh, Gaussian weights w = 2^-D, squares not averaged, no mask. The shape
// of a block is free. A voxel whose weights underflow in float32 is marked for
// nlm_underflow, which runs after every rung as it does after nlm_any. The name of a
// kernel ends with its dimensionality and the radius of its patch.
//
// nlm_pad      copies a region with an apron of search and patch radius, mirrored at the
//              edges of the volume, for the kernels that read such a copy
// nlm_formula  a thread a voxel, a whole patch a pair, from the padded copy in global memory
//              (Zheng 2011, the straightforward kernel; Upadhya 2018; Horacek 2011,
//              brute force)
// nlm_indexed  the same from the volume itself: each voxel of each patch is tested for
//              lying beyond an edge and its address is computed, the other reading of
//              papers that do not say how their kernels treat the edges
// nlm_shared   the same from a tile in shared memory: the voxels of the block with an
//              apron of search and patch radius, prefetched (Zheng 2011, section III.C)
// nlm_column   a thread a column along z; the planes that a voxel reaches lie in a ring
//              in shared memory, and one is read for each step. It slides as the kernel
//              of Horacek 2011 does, which is in nlm_group.cu, but a thread has a voxel
//              of its own
//
// nlm_formula_texture, nlm_shared_texture
//              read the pixels of a slice as a texture, which the hardware mirrors at the
//              edges (Zheng 2011, section III.A)
// nlm_select_formula, nlm_select_indexed, nlm_select_column
//              compare the patches of preselected neighbours only (Horacek 2011,
//              sections 4.1 and 4.3); means and deviations lie in global memory
#include "nlm_rung.cuh"

// blockAt returns the first voxel of this block.
__device__ inline Tile blockAt(const Field &f) { return tileOf(f, blockDim.x, blockDim.y, blockDim.z); }

// mine returns the voxel of this thread, and whether it is in the region.
__device__ inline bool mine(const Field &f, int &x, int &y, int &z)
{
    const Tile t = blockAt(f);
    x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z + threadIdx.z;
    return x < f.max[0] && y < f.max[1] && z < f.max[2];
}

template <int DIMS, int P, class USED>
__device__ inline void formula(const RungParams &r, USED used)
{
    const NlmParams &p = r.q.nlm;
    const Field &f = p.field;
    int x, y, z;
    if (!mine(f, x, y, z)) return;
    const int row = f.max[0] - f.min[0] + 2 * apron(p, 0), slice = row * (f.max[1] - f.min[1] + 2 * apron(p, 1));
    const std::size_t first = std::size_t(z - f.min[2] + apron(p, 2)) * slice + (y - f.min[1] + apron(p, 1)) * row + x - f.min[0] + apron(p, 0);
    *f.result(x, y, z) = voxelOf<DIMS, P>(p, x, y, z, ReadOnly{r.padded + first, row, slice}, used);
}

template <int DIMS, int P, class USED>
__device__ inline void indexed(const RungParams &r, USED used)
{
    const Field &f = r.q.nlm.field;
    int x, y, z;
    if (mine(f, x, y, z)) *f.result(x, y, z) = voxelOf<DIMS, P>(r.q.nlm, x, y, z, Indexed{f, x, y, z}, used);
}

template <int P>
__device__ inline void fetched(const RungParams &r)
{
    const Field &f = r.q.nlm.field;
    int x, y, z;
    if (mine(f, x, y, z)) *f.result(x, y, z) = voxelOf<2, P>(r.q.nlm, x, y, z, placeInTexture(f, r.texture, x, y), AllNeighbours{});
}

// prefetched calls sample(x, y, z) for every voxel of the tile.
template <int DIMS, int P, class SAMPLE>
__device__ inline void prefetched(const RungParams &r, SAMPLE sample)
{
    extern __shared__ float tile[];
    const NlmParams &p = r.q.nlm;
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int rx = apron(p, 0), ry = apron(p, 1), rz = apron(p, 2);
    const int w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry, d = blockDim.z + 2 * rz;
    for (int k = threadIdx.z; k < d; k += blockDim.z)
        for (int j = threadIdx.y; j < h; j += blockDim.y)
            for (int i = threadIdx.x; i < w; i += blockDim.x) tile[(k * h + j) * w + i] = sample(t.x + i - rx, t.y + j - ry, t.z + k - rz);
    __syncthreads();
    int x, y, z;
    if (!mine(f, x, y, z)) return;
    const InMemory here = {tile + ((threadIdx.z + rz) * h + threadIdx.y + ry) * w + threadIdx.x + rx, w, w * h};
    *f.result(x, y, z) = voxelOf<DIMS, P>(p, x, y, z, here, AllNeighbours{});
}

// InRing is a place in the planes of column: plane(z) begins at places[z mod d].
template <int P>
struct InRing {
    const float *planes[2 * P + 1];
    int row;

    __device__ float at(int kx, int ky, int kz) const { return planes[kz + P][ky * row + kx]; }
};

template <int P, class USED>
__device__ inline void column(const RungParams &r, USED used)
{
    extern __shared__ float ring[]; // planes of w x h; plane z of the volume lies at (z - min + rz) % d
    const NlmParams &p = r.q.nlm;
    const Field &f = p.field;
    const Loads source{f};
    const Tile t = tileOf(f, blockDim.x, blockDim.y, f.max[2] - f.min[2]);
    const int rx = apron(p, 0), ry = apron(p, 1), rz = apron(p, 2);
    const int w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry, d = 2 * rz + 1;
    auto plane = [&](int z) { return ring + (z - f.min[2] + rz) % d * w * h; };
    auto load = [&](int z) {
        for (int j = threadIdx.y; j < h; j += blockDim.y)
            for (int i = threadIdx.x; i < w; i += blockDim.x) plane(z)[j * w + i] = source.sample(t.x + i - rx, t.y + j - ry, z);
    };
    for (int z = f.min[2] - rz; z < f.min[2] + rz; ++z) load(z);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y;
    const int at = (threadIdx.y + ry) * w + threadIdx.x + rx;
    auto placeAt = [&](int z, int offset) {
        InRing<P> place;
#pragma unroll
        for (int k = -P; k <= P; ++k) place.planes[k + P] = plane(z + k) + offset;
        place.row = w;
        return place;
    };
    for (int z = f.min[2]; z < f.max[2]; ++z) {
        load(z + rz);
        __syncthreads();
        if (x < f.max[0] && y < f.max[1]) {
            const InRing<P> here = placeAt(z, at);
            const float v = here.at(0, 0, 0);
            const Window window(p, x, y, z);
            Sums s;
            for (int oz = window.from[2]; oz <= window.to[2]; ++oz) {
                const InRing<P> level = placeAt(z + oz, at);
                for (int oy = window.from[1]; oy <= window.to[1]; ++oy)
                    for (int ox = window.from[0]; ox <= window.to[0]; ++ox) {
                        if ((ox == 0 && oy == 0 && oz == 0) || !used(x, y, z, x + ox, y + oy, z + oz)) continue;
                        InRing<P> there = level;
#pragma unroll
                        for (int k = 0; k < 2 * P + 1; ++k) there.planes[k] += oy * w + ox;
                        s.add(exponentOf(p, patchSum<3, P>(p, here, there), ox, oy, oz), there.at(0, 0, 0) - v);
                    }
            }
            *f.result(x, y, z) = s.result(p, v);
        }
        __syncthreads(); // all have read the plane that the next one replaces
    }
}

// pad copies a voxel of the region with its apron.
__device__ inline void pad(const RungParams &r)
{
    const NlmParams &p = r.q.nlm;
    const Field &f = p.field;
    const unsigned w = f.max[0] - f.min[0] + 2 * apron(p, 0), h = f.max[1] - f.min[1] + 2 * apron(p, 1);
    const std::size_t voxels = std::size_t(w) * h * (f.max[2] - f.min[2] + 2 * apron(p, 2)), n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (n >= voxels) return;
    const std::size_t line = n / w;
    const_cast<float *>(r.padded)[n] = Loads{f}.sample(f.min[0] + int(n % w) - apron(p, 0), f.min[1] + int(line % h) - apron(p, 1), f.min[2] + int(line / h) - apron(p, 2));
}

// KERNEL defines a kernel for blocks of up to THREADS threads.
#define KERNEL(THREADS, NAME, BODY)                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const __grid_constant__ RungParams r) { BODY; }

// BOTH defines a kernel for all neighbours and one for selected neighbours.
#define BOTH(THREADS, NAME, FUNCTION)                                   \
    KERNEL(THREADS, nlm_##NAME, FUNCTION(r, AllNeighbours{}))           \
    KERNEL(THREADS, nlm_select_##NAME, FUNCTION(r, Chosen{r.q.select}))

KERNEL(1024, nlm_pad, pad(r))

KERNEL(1024, nlm_formula_2d_p3, (formula<2, 3>(r, AllNeighbours{})))
BOTH(1024, formula_3d_p1, (formula<3, 1>))
BOTH(512, formula_3d_p2, (formula<3, 2>)) // the addresses of 50 rows need registers

KERNEL(1024, nlm_indexed_2d_p3, (indexed<2, 3>(r, AllNeighbours{})))
BOTH(1024, indexed_3d_p1, (indexed<3, 1>))
BOTH(1024, indexed_3d_p2, (indexed<3, 2>))

KERNEL(1024, nlm_shared_2d_p3, (prefetched<2, 3>(r, [&](int x, int y, int z) { return Loads{r.q.nlm.field}.sample(x, y, z); })))
KERNEL(1024, nlm_shared_3d_p1, (prefetched<3, 1>(r, [&](int x, int y, int z) { return Loads{r.q.nlm.field}.sample(x, y, z); })))

KERNEL(1024, nlm_formula_texture_2d_p3, fetched<3>(r))
KERNEL(1024, nlm_shared_texture_2d_p3,
       (prefetched<2, 3>(r, [&](int x, int y, int) { return placeInTexture(r.q.nlm.field, r.texture, x, y).at(0, 0, 0); })))

BOTH(512, column_3d_p1, column<1>)
BOTH(512, column_3d_p2, column<2>)
