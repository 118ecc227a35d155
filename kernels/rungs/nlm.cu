// Rungs of non-local means: the kernels that the papers compare, with the definition
// of ../nlm_any.cuh, Gaussian weights w = 2^-D, squares not averaged. The shape of a
// block is free. A voxel whose weights underflow in float32 is marked for
// nlm_underflow, which runs after every rung as it does after nlm_any.
//
// nlm_formula  a thread a voxel, a whole patch a pair, from global memory (Zheng 2011,
//              the straightforward kernel; Upadhya 2018; Horacek 2011, brute force)
// nlm_shared   the same from a tile in shared memory: the voxels of the block with an
//              apron of search and patch radius, prefetched (Zheng 2011, section III.C)
// nlm_column   a thread a column along z; the planes that a voxel reaches lie in a ring
//              in shared memory, and one is read for each step (Horacek 2011, section
//              4.2)
//
// nlm_formula_texture, nlm_shared_texture
//              read the voxels as a texture (Zheng 2011, section III.A)
// nlm_select_formula, nlm_select_column
//              compare the patches of preselected neighbours only (Horacek 2011,
//              sections 4.1 and 4.3); means and deviations lie in global memory
#include "../nlm_any.cuh"
#include "../nlm_select_params.cuh"
#include "texture.cuh"

// TextureParams mirrors struct nlmTextureParams of rung_nlm.go.
struct TextureParams {
    NlmParams nlm;
    TextureHandle texture;
};
static_assert(sizeof(TextureParams) == 504);

// Sums are those of one voxel.
struct Sums {
    float num = 0, den = 0;
    float log = kUnused; // largest logarithm of w

    // add adds the neighbour at an offset.
    __device__ void add(const NlmParams &p, float distance, int ox, int oy, int oz, float difference)
    {
        if (p.cut > 0) distance -= cutAt(p, ox, oy, oz);
        const float exponent = fminf(-distance, 0), w = exp2f(exponent);
        num += w * difference;
        den += w;
        log = fmaxf(log, exponent);
    }

    // result returns the filtered voxel; v is its original value.
    __device__ float result(const NlmParams &p, float v) const
    {
        if (p.one) return v + num / (den + 1);
        if (log < kUnderflow) return log < kUnderflow64 ? v : __uint_as_float(kUnderflowMark);
        return v + num / (den + exp2f(log));
    }
};

__device__ inline float tap(const NlmParams &p, int kx, int ky, int kz)
{
    return p.ring[abs(kx)] * p.ring[abs(ky)] * (p.patch[2] ? p.ring[abs(kz)] : 1.f);
}

// blockAt returns the first voxel of this block.
__device__ inline Tile blockAt(const Field &f) { return tileOf(f, blockDim.x, blockDim.y, blockDim.z); }

template <class SOURCE, class USED>
__device__ inline void formula(const NlmParams &p, SOURCE source, USED used)
{
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z + threadIdx.z;
    if (x >= f.max[0] || y >= f.max[1] || z >= f.max[2]) return;
    const float v = source.voxel(x, y, z);
    Sums s;
    for (int oz = -p.search[2]; oz <= p.search[2]; ++oz)
        for (int oy = -p.search[1]; oy <= p.search[1]; ++oy)
            for (int ox = -p.search[0]; ox <= p.search[0]; ++ox) {
                if ((ox == 0 && oy == 0 && oz == 0) || !f.valid(x + ox, y + oy, z + oz) || !used(x, y, z, x + ox, y + oy, z + oz)) continue;
                float d = 0;
                for (int kz = -p.patch[2]; kz <= p.patch[2]; ++kz)
                    for (int ky = -p.patch[1]; ky <= p.patch[1]; ++ky)
                        for (int kx = -p.patch[0]; kx <= p.patch[0]; ++kx) {
                            float e = (source.sample(x + kx, y + ky, z + kz) - source.sample(x + ox + kx, y + oy + ky, z + oz + kz)) * p.scale;
                            d += tap(p, kx, ky, kz) * e * e;
                        }
                s.add(p, d, ox, oy, oz, source.voxel(x + ox, y + oy, z + oz) - v);
            }
    *f.result(x, y, z) = f.valid(x, y, z) ? s.result(p, v) : v;
}

template <class SOURCE>
__device__ inline void prefetched(const NlmParams &p, SOURCE source)
{
    extern __shared__ float tile[];
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int rx = p.search[0] + p.patch[0], ry = p.search[1] + p.patch[1], rz = p.search[2] + p.patch[2];
    const int w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry, d = blockDim.z + 2 * rz;
    for (int k = threadIdx.z; k < d; k += blockDim.z)
        for (int j = threadIdx.y; j < h; j += blockDim.y)
            for (int i = threadIdx.x; i < w; i += blockDim.x)
                tile[(k * h + j) * w + i] = source.sample(t.x + i - rx, t.y + j - ry, t.z + k - rz);
    __syncthreads();
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z + threadIdx.z;
    if (x >= f.max[0] || y >= f.max[1] || z >= f.max[2]) return;
    const float *here = tile + ((threadIdx.z + rz) * h + threadIdx.y + ry) * w + threadIdx.x + rx;
    Sums s;
    for (int oz = -p.search[2]; oz <= p.search[2]; ++oz)
        for (int oy = -p.search[1]; oy <= p.search[1]; ++oy)
            for (int ox = -p.search[0]; ox <= p.search[0]; ++ox) {
                if ((ox == 0 && oy == 0 && oz == 0) || !f.valid(x + ox, y + oy, z + oz)) continue;
                const float *there = here + (oz * h + oy) * w + ox;
                float sum = 0;
                for (int kz = -p.patch[2]; kz <= p.patch[2]; ++kz)
                    for (int ky = -p.patch[1]; ky <= p.patch[1]; ++ky)
                        for (int kx = -p.patch[0]; kx <= p.patch[0]; ++kx) {
                            int k = (kz * h + ky) * w + kx;
                            float e = (here[k] - there[k]) * p.scale;
                            sum += tap(p, kx, ky, kz) * e * e;
                        }
                s.add(p, sum, ox, oy, oz, *there - *here);
            }
    *f.result(x, y, z) = f.valid(x, y, z) ? s.result(p, *here) : *here;
}

template <class USED>
__device__ inline void column(const NlmParams &p, USED used)
{
    extern __shared__ float ring[]; // planes of w x h; plane z + rz of the volume lies at (z + rz) % d
    const Field &f = p.field;
    const Loads source{f};
    const Tile t = tileOf(f, blockDim.x, blockDim.y, f.max[2] - f.min[2]);
    const int rx = p.search[0] + p.patch[0], ry = p.search[1] + p.patch[1], rz = p.search[2] + p.patch[2];
    const int w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry, d = 2 * rz + 1;
    auto place = [&](int z) { return ((z - f.min[2] + rz) % d) * w * h; };
    auto load = [&](int z) {
        for (int j = threadIdx.y; j < h; j += blockDim.y)
            for (int i = threadIdx.x; i < w; i += blockDim.x)
                ring[place(z) + j * w + i] = source.sample(t.x + i - rx, t.y + j - ry, z);
    };
    for (int z = f.min[2] - rz; z < f.min[2] + rz; ++z) load(z);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y;
    const int at = (threadIdx.y + ry) * w + threadIdx.x + rx;
    for (int z = f.min[2]; z < f.max[2]; ++z) {
        load(z + rz);
        __syncthreads();
        if (x < f.max[0] && y < f.max[1]) {
            const float v = ring[place(z) + at];
            Sums s;
            for (int oz = -p.search[2]; oz <= p.search[2]; ++oz)
                for (int oy = -p.search[1]; oy <= p.search[1]; ++oy)
                    for (int ox = -p.search[0]; ox <= p.search[0]; ++ox) {
                        if ((ox == 0 && oy == 0 && oz == 0) || !f.valid(x + ox, y + oy, z + oz) || !used(x, y, z, x + ox, y + oy, z + oz)) continue;
                        float sum = 0;
                        for (int kz = -p.patch[2]; kz <= p.patch[2]; ++kz) {
                            const float *here = ring + place(z + kz) + at, *there = ring + place(z + oz + kz) + at + oy * w + ox;
                            for (int ky = -p.patch[1]; ky <= p.patch[1]; ++ky)
                                for (int kx = -p.patch[0]; kx <= p.patch[0]; ++kx) {
                                    float e = (here[ky * w + kx] - there[ky * w + kx]) * p.scale;
                                    sum += tap(p, kx, ky, kz) * e * e;
                                }
                        }
                        s.add(p, sum, ox, oy, oz, ring[place(z + oz) + at + oy * w + ox] - v);
                    }
            *f.result(x, y, z) = f.valid(x, y, z) ? s.result(p, v) : v;
        }
        __syncthreads(); // all have read the plane that the next one replaces
    }
}

extern "C" {

__global__ void nlm_formula(const __grid_constant__ NlmParams p) { formula(p, Loads{p.field}, AllNeighbours{}); }

__global__ void nlm_formula_texture(const __grid_constant__ TextureParams p)
{
    formula(p.nlm, Fetches{p.nlm.field, p.texture}, AllNeighbours{});
}

__global__ void nlm_select_formula(const __grid_constant__ NlmSelectParams p) { formula(p.nlm, Loads{p.nlm.field}, Chosen{p.select}); }

__global__ void nlm_shared(const __grid_constant__ NlmParams p) { prefetched(p, Loads{p.field}); }

__global__ void nlm_shared_texture(const __grid_constant__ TextureParams p) { prefetched(p.nlm, Fetches{p.nlm.field, p.texture}); }

__global__ void nlm_column(const __grid_constant__ NlmParams p) { column(p, AllNeighbours{}); }

__global__ void __launch_bounds__(1024) nlm_select_column(const __grid_constant__ NlmSelectParams p) { column(p.nlm, Chosen{p.select}); }

} // extern "C"
