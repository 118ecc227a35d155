// The kernel of Horacek 2011, section 4.2, as its text and figures give it: the threads of
// a block compute one voxel together. With the paper's radii, patch P = 2 and search S = 4,
// a block has 13^2 threads, one for each column of the 13^3 voxels that a voxel reaches.
//
//   1. each thread reads the first 13 voxels of its column into shared memory
//   2. the 729 weights of the voxel are computed and stored in shared memory
//   3. they are summed: 81 columns, then 9 rows of these, then all (90 numbers)
//   4. so are the values with these weights
//   5., 6. one thread divides and stores the result
//   7. each thread moves its column by one voxel and reads a new one
//   8. the next voxel along z follows
//
// Which threads compute the weights of step 2 has two readings. nlm_group: the 81 threads
// over the search region (figure 2, left), a column of nine weights each. nlm_group_all:
// all 169 threads, which divide the 729 weights. nlm_select_group and nlm_select_group_all
// compute the weights of preselected neighbours alone (section 4.3); means and deviations
// lie in global memory, as shared memory is full.
//
// The name of a kernel ends with the radii of patch and search region.
#include "nlm_rung.cuh"

// Reduction adds one number of each column of the search region, in the order of the
// paper, or takes the largest. All threads call it.
template <int WINDOW, bool LARGEST>
__device__ inline float reduced(float *columns, float *rows, float mine, bool counts, int column)
{
    auto join = [](float a, float b) { return LARGEST ? fmaxf(a, b) : a + b; };
    __syncthreads(); // all have read the sums before
    if (counts) columns[column] = mine;
    __syncthreads();
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread < WINDOW) {
        float x = columns[thread * WINDOW];
        for (int i = 1; i < WINDOW; ++i) x = join(x, columns[thread * WINDOW + i]);
        rows[thread] = x;
    }
    __syncthreads();
    float x = rows[0];
    for (int i = 1; i < WINDOW; ++i) x = join(x, rows[i]);
    return x;
}

template <int P, int S, bool ALL, class USED>
__device__ inline void group(const RungParams &r, USED used)
{
    constexpr int kEdge = 2 * (S + P) + 1, kWindow = 2 * S + 1;
    __shared__ float voxels[kEdge][kEdge][kEdge]; // along z, y, x
    __shared__ float exponents[kWindow][kWindow][kWindow];
    __shared__ float columns[kWindow * kWindow], rows[kWindow];
    const NlmParams &p = r.q.nlm;
    const Field &f = p.field;
    const Loads source{f};
    const Tile t = tileOf(f, 1, 1, f.max[2] - f.min[2]);
    const int i = threadIdx.x, j = threadIdx.y, thread = j * kEdge + i;
    auto sample = [&](int z) { return source.sample(t.x + i - (S + P), t.y + j - (S + P), z); };
    auto place = [&](int ox, int oy, int oz) { return InMemory{&voxels[S + P + oz][S + P + oy][S + P + ox], kEdge, kEdge * kEdge}; };
    // weigh stores the logarithm of a weight.
    auto weigh = [&](int ox, int oy, int oz, int z) {
        const int x = t.x + ox, y = t.y + oy;
        float exponent = kUnused;
        if ((ox != 0 || oy != 0 || oz != 0) && f.inside(x, y, z + oz) && used(t.x, t.y, z, x, y, z + oz))
            exponent = exponentOf(p, patchSum<3, P>(p, place(0, 0, 0), place(ox, oy, oz)), ox, oy, oz);
        exponents[oz + S][oy + S][ox + S] = exponent;
    };
    const bool over = i >= P && i < P + kWindow && j >= P && j < P + kWindow; // the search region
    const int ox = i - P - S, oy = j - P - S, column = (j - P) * kWindow + i - P;

    for (int k = 0; k < kEdge; ++k) voxels[k][j][i] = sample(f.min[2] - (S + P) + k);
    for (int z = f.min[2]; z < f.max[2]; ++z) {
        __syncthreads();
        if constexpr (ALL) {
#pragma unroll 1
            for (int n = thread; n < kWindow * kWindow * kWindow; n += kEdge * kEdge)
                weigh(n % kWindow - S, n / kWindow % kWindow - S, n / (kWindow * kWindow) - S, z);
            __syncthreads();
        } else if (over) {
#pragma unroll 1
            for (int oz = -S; oz <= S; ++oz) weigh(ox, oy, oz, z);
        }
        const float v = voxels[S + P][S + P][S + P];
        Sums s;
        if (over)
            for (int oz = -S; oz <= S; ++oz) s.add(exponents[oz + S][oy + S][ox + S], voxels[S + P + oz][S + P + oy][S + P + ox] - v);
        s.den = reduced<kWindow, false>(columns, rows, s.den, over, column);
        s.num = reduced<kWindow, false>(columns, rows, s.num, over, column);
        if (!p.one) s.log = reduced<kWindow, true>(columns, rows, s.log, over, column);
        if (thread == 0) *f.result(t.x, t.y, z) = s.result(p, v);
        __syncthreads();
        for (int k = 0; k + 1 < kEdge; ++k) voxels[k][j][i] = voxels[k + 1][j][i];
        if (z + 1 < f.max[2]) voxels[kEdge - 1][j][i] = sample(z + 1 + S + P);
    }
}

#define GROUP(NAME, P, S, ALL)                                                                                                                   \
    extern "C" __global__ void __launch_bounds__((2 * (S + P) + 1) * (2 * (S + P) + 1)) nlm_##NAME##_p##P##_s##S(const __grid_constant__ RungParams r) \
    {                                                                                                                                            \
        group<P, S, ALL>(r, AllNeighbours{});                                                                                                    \
    }                                                                                                                                            \
    extern "C" __global__ void __launch_bounds__((2 * (S + P) + 1) * (2 * (S + P) + 1)) nlm_select_##NAME##_p##P##_s##S(const __grid_constant__ RungParams r) \
    {                                                                                                                                            \
        group<P, S, ALL>(r, Chosen{r.q.select});                                                                                                 \
    }

GROUP(group, 2, 4, false)
GROUP(group_all, 2, 4, true)
GROUP(group, 1, 2, false)
GROUP(group_all, 1, 2, true)
