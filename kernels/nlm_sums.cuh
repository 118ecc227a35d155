// The separable sums of non-local means' patch distances: along an axis that lies
// in a thread's registers, and along the one that lies across a warp's lanes.
//
// ring holds the patch weights relative to the middle one, by distance. Uniform
// weights are not multiplied at all.
#pragma once

#include "nlm_any.cuh"

__device__ inline float above(float v, int k) { return __shfl_down_sync(kAll, v, k); } // of lane + k
__device__ inline float below(float v, int k) { return __shfl_up_sync(kAll, v, k); }   // of lane - k

// windowSum is sum_k ring[|k|] a[i + F + k] over |k| <= F. Uniform windows are
// summed so that four neighbours share their middle: the compiler keeps what
// they have in common.
template <int F, bool GAUSSIAN, int N>
__device__ inline float windowSum(const float (&a)[N], int i, const float *ring)
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

// rowSums: the same sum along x, across the lanes of a warp with X voxels each,
// for Y rows at once, so that a shuffle need not wait for the one before.
template <int F, int X, int Y, bool GAUSSIAN>
__device__ inline void rowSums(float (&v)[X][Y], const float *ring)
{
    if constexpr (X == 1 && GAUSSIAN) {
        float s[Y];
#pragma unroll
        for (int r = 0; r < Y; ++r) s[r] = v[0][r];
#pragma unroll
        for (int k = 1; k <= F; ++k) {
            float last[Y], next[Y];
#pragma unroll
            for (int r = 0; r < Y; ++r) last[r] = below(v[0][r], k);
#pragma unroll
            for (int r = 0; r < Y; ++r) next[r] = above(v[0][r], k);
#pragma unroll
            for (int r = 0; r < Y; ++r) s[r] += ring[k] * (last[r] + next[r]);
        }
#pragma unroll
        for (int r = 0; r < Y; ++r) v[0][r] = s[r];
    } else if constexpr (X == 1) {
        float two[Y], next[Y], last[Y]; // two: x, x+1
#pragma unroll
        for (int r = 0; r < Y; ++r) two[r] = above(v[0][r], 1);
#pragma unroll
        for (int r = 0; r < Y; ++r) two[r] += v[0][r];
#pragma unroll
        for (int r = 0; r < Y; ++r) next[r] = F == 2 ? above(v[0][r], 2) : above(two[r], 2);
#pragma unroll
        for (int r = 0; r < Y; ++r) {
            two[r] = F == 2 ? two[r] : two[r] + next[r]; // or x .. x+3
            last[r] = below(two[r], F);
        }
#pragma unroll
        for (int r = 0; r < Y; ++r) v[0][r] = F == 2 ? two[r] + last[r] + next[r] : two[r] + last[r] - v[0][r];
    } else { // two voxels a lane: 2 lane and 2 lane + 1
        float lastA[Y], lastB[Y], nextA[Y], nextB[Y];
        if constexpr (GAUSSIAN) {
#pragma unroll
            for (int r = 0; r < Y; ++r) {
                lastB[r] = below(v[1][r], 1);
                nextA[r] = above(v[0][r], 1);
            }
            float a[Y], b[Y];
#pragma unroll
            for (int r = 0; r < Y; ++r) {
                a[r] = v[0][r] + ring[1] * (lastB[r] + v[1][r]);
                b[r] = v[1][r] + ring[1] * (v[0][r] + nextA[r]);
            }
            if (F >= 2) {
#pragma unroll
                for (int r = 0; r < Y; ++r) {
                    lastA[r] = below(v[0][r], 1);
                    nextB[r] = above(v[1][r], 1);
                }
#pragma unroll
                for (int r = 0; r < Y; ++r) {
                    a[r] += ring[2] * (lastA[r] + nextA[r]);
                    b[r] += ring[2] * (lastB[r] + nextB[r]);
                }
            }
            if (F >= 3) {
#pragma unroll
                for (int r = 0; r < Y; ++r) {
                    lastB[r] = below(v[1][r], 2);
                    nextA[r] = above(v[0][r], 2);
                }
#pragma unroll
                for (int r = 0; r < Y; ++r) {
                    a[r] += ring[3] * (lastB[r] + nextB[r]);
                    b[r] += ring[3] * (lastA[r] + nextA[r]);
                }
            }
#pragma unroll
            for (int r = 0; r < Y; ++r) {
                v[0][r] = a[r];
                v[1][r] = b[r];
            }
        } else {
            float both[Y];
#pragma unroll
            for (int r = 0; r < Y; ++r) both[r] = v[0][r] + v[1][r];
#pragma unroll
            for (int r = 0; r < Y; ++r) {
                lastA[r] = below(both[r], 1);
                nextB[r] = above(both[r], 1);
            }
#pragma unroll
            for (int r = 0; r < Y; ++r) {
                lastB[r] = below(v[1][r], F - 1);
                nextA[r] = above(v[0][r], F - 1);
            }
#pragma unroll
            for (int r = 0; r < Y; ++r) {
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
