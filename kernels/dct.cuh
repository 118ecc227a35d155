// The DCT of blocks, for the filters that shrink its coefficients (package dct).
//
// m[k][i] = 1 for k = 0 and sqrt(2) cos(pi (2i+1) k / 2n) otherwise: the DCT-II of n
// samples times sqrt(n). Even rows are symmetric and odd ones antisymmetric, so that
// half of a row and sums and differences of mirrored samples suffice. Whether a
// coefficient is above a threshold must not depend on the engine: forward transforms do
// what package dct does, in the same order and without fused multiply-adds, so that both
// have the same bits.
#pragma once

#include "box.cuh"

// DctParams mirrors struct dctParams of dct.go.
struct DctParams {
    Box<const float> in, pilot, voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    int size[3];           // of a block
    float rows[4][8][4];   // half of the rows of m along each axis; last those of the pilot along z
    float unit;            // factor of the samples
    float back;            // factor of what is removed: 1 / (unit n), n the number of coefficients
    float limits[64];      // of coefficients that are removed, in this unit, x fastest; Wiener: factors
                           // of the pilot's coefficients (kx, ky), at 8 ky + kx, which with the rows of
                           // the pilot make 1 / sigma of each; 0 for sigma 0
};
static_assert(sizeof(DctParams) == 960);

// combine returns m[0] v[0] + m[1] v[1] + ..., summed from the left.
template <int N>
__device__ inline float combine(const float *m, const float *v)
{
    float sum = __fmul_rn(m[0], v[0]);
#pragma unroll
    for (int i = 1; i < N; ++i) sum = __fadd_rn(sum, __fmul_rn(m[i], v[i]));
    return sum;
}

// The rows for 4 and 8 samples.
__device__ constexpr float kRows4[4][2] = {
    {1, 1}, {1.3065629648763766f, 0.5411961001461970f}, {1, -1}, {0.5411961001461970f, -1.3065629648763766f}};
__device__ constexpr float kRows8[8][4] = {
    {1, 1, 1, 1},
    {1.3870398453221475f, 1.1758756024193588f, 0.7856949583871022f, 0.2758993792829431f},
    {1.3065629648763766f, 0.5411961001461970f, -0.5411961001461970f, -1.3065629648763766f},
    {1.1758756024193588f, -0.2758993792829431f, -1.3870398453221475f, -0.7856949583871022f},
    {1, -1, -1, 1},
    {0.7856949583871022f, -1.3870398453221475f, 0.2758993792829431f, 1.1758756024193588f},
    {0.5411961001461970f, -1.3065629648763766f, 1.3065629648763766f, -0.5411961001461970f},
    {0.2758993792829431f, -0.7856949583871022f, 1.1758756024193588f, -1.3870398453221475f}};

template <int N>
__device__ inline float rowOf(int k, int i)
{
    if constexpr (N == 4) return kRows4[k][i];
    else return kRows8[k][i];
}

// forward transforms the N samples v in place, N being 4 or 8.
template <int N>
__device__ inline void forward(float (&v)[N])
{
    float s[N / 2], d[N / 2], m[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
        s[i] = __fadd_rn(v[i], v[N - 1 - i]);
        d[i] = __fsub_rn(v[i], v[N - 1 - i]);
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
#pragma unroll
        for (int i = 0; i < N / 2; ++i) m[i] = rowOf<N>(k, i);
        v[k] = combine<N / 2>(m, k % 2 ? d : s);
    }
}

// inverse is N times the inverse of forward.
template <int N>
__device__ inline void inverse(float (&v)[N])
{
    float out[N];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
        float even = 0, odd = 0;
#pragma unroll
        for (int k = 0; k < N; k += 2) {
            even = fmaf(rowOf<N>(k, i), v[k], even);
            odd = fmaf(rowOf<N>(k + 1, i), v[k + 1], odd);
        }
        out[i] = even + odd;
        out[N - 1 - i] = even - odd;
    }
#pragma unroll
    for (int i = 0; i < N; ++i) v[i] = out[i];
}
