// The separable sums of the patch distances of non-local means: along an axis whose
// voxels are in a thread's registers, and along the axis across a warp's lanes.
//
// ring holds the patch weights relative to the middle one, by distance. With uniform
// weights there is no multiplication.
#pragma once

#include "nlm_any.cuh"

__device__ inline float above(float v, int k) { return __shfl_down_sync(kAll, v, k); } // v of lane + k
__device__ inline float below(float v, int k) { return __shfl_up_sync(kAll, v, k); }   // v of lane - k

// tapSum returns sum_k ring[|k|] a[i + F + k] over |k| <= F. Uniform sums are written so
// that four neighbouring results share their middle terms, which the compiler computes
// once.
template <int F, bool GAUSSIAN, int N>
__device__ inline float tapSum(const float (&a)[N], int i, const float *ring)
{
    if constexpr (GAUSSIAN) {
        float s = a[i + F];
#pragma unroll
        for (int k = 1; k <= F; ++k) s += ring[k] * (a[i + F - k] + a[i + F + k]);
        return s;
    } else {
        int b = i / 4 * 4;
        float middle = a[b + 3];
#pragma unroll
        for (int k = 4; k <= 2 * F; ++k) middle += a[b + k];
        float left = a[b + 1] + a[b + 2] + middle;
        if (i == b) return a[b] + left;
        if (i == b + 1) return left + a[b + 2 * F + 1];
        float right = a[b + 2 * F + 1] + a[b + 2 * F + 2] + middle;
        return i == b + 2 ? a[b + 2] + right : right + a[b + 2 * F + 3];
    }
}

// squareSums computes the same sum of the squares of v, for Y results side by side. A
// square that is used once is part of a fused multiply-add.
template <int F, bool GAUSSIAN, int N, int Y>
__device__ inline void squareSums(const float (&v)[N], float (&s)[Y], const float *ring)
{
    static_assert(N == Y + 2 * F);
    if constexpr (GAUSSIAN) {
        float square[N];
#pragma unroll
        for (int r = 1; r < N - 1; ++r) square[r] = __fmul_rn(v[r], v[r]);
#pragma unroll
        for (int i = 0; i < Y; ++i) {
            s[i] = square[i + F];
#pragma unroll
            for (int k = 1; k < F; ++k) s[i] = fmaf(ring[k], square[i + F - k] + square[i + F + k], s[i]);
            float ends = i == 0 ? fmaf(v[0], v[0], square[2 * F]) :
                i == Y - 1 ? fmaf(v[N - 1], v[N - 1], square[i]) : square[i] + square[i + 2 * F];
            s[i] = fmaf(ring[F], ends, s[i]);
        }
    } else {
        static_assert(Y % 4 == 0);
#pragma unroll
        for (int b = 0; b < Y; b += 4) {
            float middle = v[b + 3] * v[b + 3];
#pragma unroll
            for (int k = 4; k <= 2 * F; ++k) middle = fmaf(v[b + k], v[b + k], middle);
            const int last = b + 2 * F + 3;
            float left = fmaf(v[b + 1], v[b + 1], fmaf(v[b + 2], v[b + 2], middle));
            float right = fmaf(v[last - 1], v[last - 1], fmaf(v[last - 2], v[last - 2], middle));
            s[b] = fmaf(v[b], v[b], left);
            s[b + 1] = fmaf(v[last - 2], v[last - 2], left);
            s[b + 2] = fmaf(v[b + 2], v[b + 2], right);
            s[b + 3] = fmaf(v[last], v[last], right);
        }
    }
}

// squareSumOfThree returns the sum of result i of Z side by side: the same sum of the squares
// of v(i), v(i + 1) and v(i + 2). A square that is used once is part of a fused multiply-add.
template <int Z, class Value>
__device__ inline float squareSumOfThree(int i, float ring, Value v)
{
    auto square = [&](int k) { return __fmul_rn(v(k), v(k)); };
    const float ends = i == 0 ? fmaf(v(0), v(0), square(2)) : i == Z - 1 ? fmaf(v(i + 2), v(i + 2), square(i)) : square(i) + square(i + 2);
    return fmaf(ring, ends, square(i + 1));
}

// rowSums computes the same sum along x, across the lanes of a warp with X voxels each,
// for the rows from <= r < to together, so that a shuffle does not wait for the one
// before.
template <int F, int X, int ROWS, bool GAUSSIAN>
__device__ inline void rowSums(float (&v)[X][ROWS], int from, int to, const float *ring)
{
    if constexpr (X == 1 && GAUSSIAN) {
        float s[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) s[r] = v[0][r];
#pragma unroll
        for (int k = 1; k <= F; ++k) {
            float last[ROWS], next[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) last[r] = below(v[0][r], k);
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) next[r] = above(v[0][r], k);
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) s[r] += ring[k] * (last[r] + next[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) v[0][r] = s[r];
    } else if constexpr (X == 1) {
        float two[ROWS], next[ROWS], last[ROWS]; // two: x, x+1
#pragma unroll
        for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) two[r] = above(v[0][r], 1);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) two[r] += v[0][r];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) next[r] = F == 2 ? above(v[0][r], 2) : above(two[r], 2);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
            two[r] = F == 2 ? two[r] : two[r] + next[r]; // or x .. x+3
            last[r] = below(two[r], F);
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) v[0][r] = F == 2 ? two[r] + last[r] + next[r] : two[r] + last[r] - v[0][r];
    } else { // two voxels per lane: 2 lane and 2 lane + 1
        float lastA[ROWS], lastB[ROWS], nextA[ROWS], nextB[ROWS];
        if constexpr (GAUSSIAN) {
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                lastB[r] = below(v[1][r], 1);
                nextA[r] = above(v[0][r], 1);
            }
            float a[ROWS], b[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                a[r] = v[0][r] + ring[1] * (lastB[r] + v[1][r]);
                b[r] = v[1][r] + ring[1] * (v[0][r] + nextA[r]);
            }
            if (F >= 2) {
#pragma unroll
                for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                    lastA[r] = below(v[0][r], 1);
                    nextB[r] = above(v[1][r], 1);
                }
#pragma unroll
                for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                    a[r] += ring[2] * (lastA[r] + nextA[r]);
                    b[r] += ring[2] * (lastB[r] + nextB[r]);
                }
            }
            if (F >= 3) {
#pragma unroll
                for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                    lastB[r] = below(v[1][r], 2);
                    nextA[r] = above(v[0][r], 2);
                }
#pragma unroll
                for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                    a[r] += ring[3] * (lastB[r] + nextB[r]);
                    b[r] += ring[3] * (lastA[r] + nextA[r]);
                }
            }
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                v[0][r] = a[r];
                v[1][r] = b[r];
            }
        } else {
            float both[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) both[r] = v[0][r] + v[1][r];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                lastA[r] = below(both[r], 1);
                nextB[r] = above(both[r], 1);
            }
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                lastB[r] = below(v[1][r], F - 1);
                nextA[r] = above(v[0][r], F - 1);
            }
#pragma unroll
            for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) {
                if (F == 2) {
                    v[0][r] = lastA[r] + both[r] + nextA[r];
                    v[1][r] = lastB[r] + both[r] + nextB[r];
                } else {
                    float six = lastA[r] + both[r] + nextB[r];
                    v[0][r] = six + lastB[r];
                    v[1][r] = six + nextA[r];
                }
            }
        }
    }
}

// rowSumsInSteps computes the same sum of five Gaussian taps h, g, 1, g, h for one voxel a lane,
// by three shuffles in place of four: with u(x) = h/g v(x) + v(x + 1) and m = g - h^2/g it is
//
//   (1 - m h/g) v(x) + m u(x) + h u(x + 1) + g u(x - 2)
//
// steps holds h/g and the last three factors relative to the first, to which the sums are
// relative too.
template <int ROWS>
__device__ inline void rowSumsInSteps(float (&v)[ROWS], int from, int to, const float *steps)
{
    float u[ROWS], last[ROWS], next[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) next[r] = above(v[r], 1);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) u[r] = fmaf(steps[0], v[r], next[r]);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) next[r] = above(u[r], 1);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) last[r] = below(u[r], 2);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) if (from <= r && r < to) v[r] = fmaf(steps[3], last[r], fmaf(steps[2], next[r], fmaf(steps[1], u[r], v[r])));
}
