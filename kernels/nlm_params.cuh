// The parameters of the nlm kernels.
#pragma once

#include "field.cuh"

// NlmParams mirrors struct nlmParams of nlm.go.
struct NlmParams {
    Field field;
    int search[3];
    int patch[3];
    float scale;   // factor of the values: distances are then in units of h^2 / log2(e)
    float inverse; // 1 / scale
    float cut;     // 2 sigma^2 in those units, of patches whose noise is not correlated
    float bias;    // 2 sigma^2 in the volume's units, which rician subtracts
    int lk;        // 0: Gaussian weights; 1..4: lk weights with that norm
    int rician;    // average squares
    int one;       // the centre has weight 1, not the largest weight
    float norm;    // product of the middle taps; contained in scale unless lk is set
    float ring[9]; // taps relative to the middle one, by distance
    int parts;     // warps that share their voxels and divide the offsets: 1 or all of a block
    float cuts[3][5][5]; // cut by the distances of an offset along z, y and x; cut beyond
    int sharedFrom; // 3-D, 3^3 patches: the slice from which on all warps of a block share their voxels
    int columns;    // of out, along x of the volume: those of the region, or more where other launches fill the rest
    float steps[4]; // Gaussian 5^3 patches: factors of the sum along x, see rowSumsInSteps
    float stepScale; // the root of what these are relative to

    // result returns the address of voxel (x, y, z) of the region in out.
    __device__ float *result(int x, int y, int z) const
    {
        const Field &f = field;
        x -= f.min[0];
        y -= f.min[1];
        const int rows = f.swapped ? f.max[0] - f.min[0] : f.max[1] - f.min[1];
        return f.out + (std::size_t(z - f.min[2]) * rows + (f.swapped ? x : y)) * columns + (f.swapped ? y : x);
    }
};
static_assert(sizeof(NlmParams) == 496);

// cutAt returns what is subtracted from the distance of two patches that lie
// (x, y, z) apart: 2 sigma^2, or less where their noise is correlated.
__device__ inline float cutAt(const NlmParams &p, int x, int y, int z)
{
    x = abs(x), y = abs(y), z = abs(z);
    return x < 5 && y < 5 && z < 3 ? p.cuts[z][y][x] : p.cut;
}
