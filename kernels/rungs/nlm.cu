// Rungs of non-local means: the kernels that the papers compare, with the definition
// of ../nlm.cuh, Gaussian weights w = 2^-D, squares not averaged. The shape of a block
// is free.
//
// nlm_formula  a thread a voxel, a whole patch a pair, from global memory (Zheng 2011,
//              the straightforward kernel; Upadhya 2018; Horacek 2011, brute force)
// nlm_shared   the same from a tile in shared memory: the voxels of the block with an
//              apron of search and patch radius, prefetched (Zheng 2011, section III.C)
// nlm_column   a thread a column along z; the planes that a voxel reaches lie in a ring
//              in shared memory, and one is read for each step (Horacek 2011, section
//              4.2)
#include "../nlm_params.cuh"

// Sums are those of one voxel.
struct Sums {
    float num = 0, den = 0, most = 0;
    bool any = false;

    __device__ void add(float w, float difference)
    {
        num += w * difference;
        den += w;
        most = fmaxf(most, w);
        any = true;
    }

    __device__ float mean(const NlmParams &p) const
    {
        const float centre = p.one || !any ? 1 : most, all = den + centre;
        return all > 0 ? num / all : 0;
    }
};

__device__ inline float tap(const NlmParams &p, int kx, int ky, int kz)
{
    return p.ring[abs(kx)] * p.ring[abs(ky)] * (p.patch[2] ? p.ring[abs(kz)] : 1.f);
}

// sampleAt returns a voxel, mirrored at the edges of the volume.
__device__ inline float sampleAt(const Field &f, int x, int y, int z)
{
    return __ldg(f.row(y, z) + mirror(x, f.dims[0]));
}

// blockAt returns the first voxel of this block.
__device__ inline Tile blockAt(const Field &f) { return tileOf(f, blockDim.x, blockDim.y, blockDim.z); }

extern "C" {

__global__ void nlm_formula(const __grid_constant__ NlmParams p)
{
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z + threadIdx.z;
    if (x >= f.max[0] || y >= f.max[1] || z >= f.max[2]) return;
    const float v = __ldg(f.in + f.index(x, y, z));
    Sums s;
    for (int oz = -p.search[2]; oz <= p.search[2]; ++oz)
        for (int oy = -p.search[1]; oy <= p.search[1]; ++oy)
            for (int ox = -p.search[0]; ox <= p.search[0]; ++ox) {
                if ((ox == 0 && oy == 0 && oz == 0) || !f.valid(x + ox, y + oy, z + oz)) continue;
                float d = 0;
                for (int kz = -p.patch[2]; kz <= p.patch[2]; ++kz)
                    for (int ky = -p.patch[1]; ky <= p.patch[1]; ++ky)
                        for (int kx = -p.patch[0]; kx <= p.patch[0]; ++kx) {
                            float e = (sampleAt(f, x + kx, y + ky, z + kz) - sampleAt(f, x + ox + kx, y + oy + ky, z + oz + kz)) * p.scale;
                            d += tap(p, kx, ky, kz) * e * e;
                        }
                s.add(exp2f(-fmaxf(0, d - p.cut)), __ldg(f.in + f.index(x + ox, y + oy, z + oz)) - v);
            }
    *f.result(x, y, z) = f.valid(x, y, z) ? v + s.mean(p) : v;
}

__global__ void nlm_shared(const __grid_constant__ NlmParams p)
{
    extern __shared__ float tile[];
    const Field &f = p.field;
    const Tile t = blockAt(f);
    const int rx = p.search[0] + p.patch[0], ry = p.search[1] + p.patch[1], rz = p.search[2] + p.patch[2];
    const int w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry, d = blockDim.z + 2 * rz;
    for (int k = threadIdx.z; k < d; k += blockDim.z)
        for (int j = threadIdx.y; j < h; j += blockDim.y)
            for (int i = threadIdx.x; i < w; i += blockDim.x)
                tile[(k * h + j) * w + i] = sampleAt(f, t.x + i - rx, t.y + j - ry, t.z + k - rz);
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
                s.add(exp2f(-fmaxf(0, sum - p.cut)), *there - *here);
            }
    *f.result(x, y, z) = f.valid(x, y, z) ? *here + s.mean(p) : *here;
}

__global__ void nlm_column(const __grid_constant__ NlmParams p)
{
    extern __shared__ float ring[]; // planes of w x h; plane z + rz of the volume lies at (z + rz) % d
    const Field &f = p.field;
    const Tile t = tileOf(f, blockDim.x, blockDim.y, f.max[2] - f.min[2]);
    const int rx = p.search[0] + p.patch[0], ry = p.search[1] + p.patch[1], rz = p.search[2] + p.patch[2];
    const int w = blockDim.x + 2 * rx, h = blockDim.y + 2 * ry, d = 2 * rz + 1;
    auto place = [&](int z) { return ((z - f.min[2] + rz) % d) * w * h; };
    auto load = [&](int z) {
        for (int j = threadIdx.y; j < h; j += blockDim.y)
            for (int i = threadIdx.x; i < w; i += blockDim.x)
                ring[place(z) + j * w + i] = sampleAt(f, t.x + i - rx, t.y + j - ry, z);
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
                        if ((ox == 0 && oy == 0 && oz == 0) || !f.valid(x + ox, y + oy, z + oz)) continue;
                        float sum = 0;
                        for (int kz = -p.patch[2]; kz <= p.patch[2]; ++kz) {
                            const float *here = ring + place(z + kz) + at, *there = ring + place(z + oz + kz) + at + oy * w + ox;
                            for (int ky = -p.patch[1]; ky <= p.patch[1]; ++ky)
                                for (int kx = -p.patch[0]; kx <= p.patch[0]; ++kx) {
                                    float e = (here[ky * w + kx] - there[ky * w + kx]) * p.scale;
                                    sum += tap(p, kx, ky, kz) * e * e;
                                }
                        }
                        s.add(exp2f(-fmaxf(0, sum - p.cut)), ring[place(z + oz) + at + oy * w + ox] - v);
                    }
            *f.result(x, y, z) = f.valid(x, y, z) ? v + s.mean(p) : v;
        }
        __syncthreads(); // all have read the plane that the next one replaces
    }
}

} // extern "C"
