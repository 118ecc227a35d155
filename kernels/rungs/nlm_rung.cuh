// What the rungs of non-local means share: the sums of a voxel, and the distance of two
// patches whose voxels a place reads. The radius P of the patch is known when the kernel
// is compiled, as in the papers' programs: the loop over the patch is unrolled, its
// weights are constants of the parameters, and a place adds the offset of a voxel to an
// address or a coordinate that it computed once. kernels/instructions_test.go counts what
// is left.
#pragma once

#include "../nlm_any.cuh"
#include "../nlm_select_params.cuh"
#include "texture.cuh"

// RungParams mirrors struct nlmRungParams of rung_nlm.go.
struct RungParams {
    NlmSelectParams q;
    const float *padded;   // the region with an apron of search and patch radius, of nlm_pad
    TextureHandle texture; // of the rungs that read one
};
static_assert(sizeof(RungParams) == 584);

// Sums are those of one voxel.
struct Sums {
    float num = 0, den = 0;
    float log = kUnused; // largest logarithm of w

    // add adds a neighbour with the logarithm of its weight, which it returns.
    __device__ float add(float exponent, float difference)
    {
        const float w = exp2f(exponent);
        num += w * difference;
        den += w;
        log = fmaxf(log, exponent);
        return w;
    }

    // result returns the filtered voxel; v is its original value.
    __device__ float result(const NlmParams &p, float v) const
    {
        if (p.one) return v + num / (den + 1);
        if (log < kUnderflow) return log < kUnderflow64 ? v : __uint_as_float(kUnderflowMark);
        return v + num / (den + exp2f(log));
    }
};

// exponentOf returns the logarithm of the weight of the neighbour at an offset; sum is
// that of the weighted squares of two patches.
__device__ inline float exponentOf(const NlmParams &p, float sum, int ox, int oy, int oz)
{
    float distance = sum * (p.scale * p.scale);
    if (p.cut > 0) distance -= cutAt(p, ox, oy, oz);
    return fminf(-distance, 0);
}

// patchSum returns the sum of the weighted squares of the patches around two places.
template <int DIMS, int P, class PLACE>
__device__ inline float patchSum(const NlmParams &p, PLACE here, PLACE there)
{
    constexpr int kDeep = DIMS == 3 ? P : 0;
    float sum = 0;
#pragma unroll
    for (int kz = -kDeep; kz <= kDeep; ++kz)
#pragma unroll
        for (int ky = -P; ky <= P; ++ky) {
            float line = 0;
#pragma unroll
            for (int kx = -P; kx <= P; ++kx) {
                const float d = here.at(kx, ky, kz) - there.at(kx, ky, kz);
                line += p.ring[kx < 0 ? -kx : kx] * (d * d);
            }
            sum += p.ring[ky < 0 ? -ky : ky] * (DIMS == 3 ? p.ring[kz < 0 ? -kz : kz] : 1.f) * line;
        }
    return sum;
}

// patchSum of patches whose voxels are addressed one by one. The loops are not unrolled:
// each voxel would repeat the code of its addresses.
struct Indexed;
template <int DIMS, int P>
__device__ inline float patchSum(const NlmParams &p, Indexed here, Indexed there);

// Window is the search region of a voxel, cut to the volume, so that no neighbour needs a
// test.
struct Window {
    int from[3], to[3];

    __device__ Window(const NlmParams &p, int x, int y, int z)
    {
        const int at[3] = {x, y, z};
        for (int c = 0; c < 3; ++c) {
            from[c] = max(-p.search[c], -at[c]);
            to[c] = min(p.search[c], p.field.dims[c] - 1 - at[c]);
        }
    }
};

// voxelOf filters a voxel: here is the place of its patch, and there.shifted(ox, oy, oz)
// the place of the patch of a neighbour.
template <int DIMS, int P, class PLACE, class USED>
__device__ inline float voxelOf(const NlmParams &p, int x, int y, int z, PLACE here, USED used)
{
    const float v = here.at(0, 0, 0);
    const Window window(p, x, y, z);
    Sums s;
    for (int oz = window.from[2]; oz <= window.to[2]; ++oz)
        for (int oy = window.from[1]; oy <= window.to[1]; ++oy)
            for (int ox = window.from[0]; ox <= window.to[0]; ++ox) {
                if ((ox == 0 && oy == 0 && oz == 0) || !used(x, y, z, x + ox, y + oy, z + oz)) continue;
                const PLACE there = here.shifted(ox, oy, oz);
                s.add(exponentOf(p, patchSum<DIMS, P>(p, here, there), ox, oy, oz), there.at(0, 0, 0) - v);
            }
    return s.result(p, v);
}

// InMemory is a place in a box of floats in global or shared memory.
struct InMemory {
    const float *voxel;
    int row, slice; // distances in memory between neighbours along y and z

    __device__ float at(int kx, int ky, int kz) const { return voxel[kz * slice + ky * row + kx]; }
    __device__ InMemory shifted(int ox, int oy, int oz) const { return {voxel + oz * slice + oy * row + ox, row, slice}; }
};

// ReadOnly is InMemory through the read-only cache.
struct ReadOnly {
    const float *voxel;
    int row, slice;

    __device__ float at(int kx, int ky, int kz) const { return __ldg(voxel + kz * slice + ky * row + kx); }
    __device__ ReadOnly shifted(int ox, int oy, int oz) const { return {voxel + oz * slice + oy * row + ox, row, slice}; }
};

// Indexed is a place of the field: the address of each voxel of a patch is computed, mirrored
// at the edges of the volume.
struct Indexed {
    const Field &f;
    int x, y, z;

    __device__ float at(int kx, int ky, int kz) const { return __ldg(f.row(y + ky, z + kz) + mirror(x + kx, f.dims[0])); }
    __device__ Indexed shifted(int ox, int oy, int oz) const { return {f, x + ox, y + oy, z + oz}; }
};

template <int DIMS, int P>
__device__ inline float patchSum(const NlmParams &p, Indexed here, Indexed there)
{
    constexpr int kDeep = DIMS == 3 ? P : 0;
    float sum = 0;
#pragma unroll 1
    for (int kz = -kDeep; kz <= kDeep; ++kz)
#pragma unroll 1
        for (int ky = -P; ky <= P; ++ky)
#pragma unroll 1
            for (int kx = -P; kx <= P; ++kx) {
                const float d = here.at(kx, ky, kz) - there.at(kx, ky, kz);
                sum += p.ring[abs(kx)] * p.ring[abs(ky)] * (DIMS == 3 ? p.ring[abs(kz)] : 1.f) * (d * d);
            }
    return sum;
}

// InTexture is a place of a texture of one slice, in parts of its width and height. The
// hardware mirrors what lies beyond its edges.
struct InTexture {
    TextureHandle texture;
    float u, v, du, dv; // the coordinates, and those of a texel

    __device__ float at(int kx, int ky, int) const { return tex2D<float>(texture, u + float(kx) * du, v + float(ky) * dv); }
    __device__ InTexture shifted(int ox, int oy, int) const { return {texture, u + float(ox) * du, v + float(oy) * dv, du, dv}; }
};

// placeInTexture returns the place of a pixel.
__device__ inline InTexture placeInTexture(const Field &f, TextureHandle texture, int x, int y)
{
    const float du = 1 / float(f.dims[0]), dv = 1 / float(f.dims[1]);
    return {texture, (float(x) + 0.5f) * du, (float(y) + 0.5f) * dv, du, dv};
}

// apron returns search and patch radius together.
__device__ inline int apron(const NlmParams &p, int axis) { return p.search[axis] + p.patch[axis]; }
