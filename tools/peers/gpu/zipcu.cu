// Compiled with -DSIDE=, -DSEARCH=, and -DPEER=, the name of the function that it defines. Its kernels, the order of the
// offsets and the batches are those of src/nlmeans.zig.
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
#define nlmWeight NAME(PEER, Weight)
#define nlmAccumulation NAME(PEER, Accumulation)
#define nlmFinish NAME(PEER, Finish)
#define VI_DIM_X SIDE
#define VI_DIM_Y SIDE
#define STRIDE SIDE
#define PAD SEARCH
#define PSTRIDE ((SIDE + 2 * PAD + 7) & ~7)
#define PH (SIDE + 2 * PAD)
#define NLM_S 3
#define NLM_D 0
#define NLM_REF 0
#define NLM_CHANNELS 1
#define WMODE 0
#define BLK_X 16
#define BLK_Y 8
#define VRT_RESULT 6
#define NLM_H (255 * 10.f) // it expects values of 0 to 1
#define NLM_WREF 1.f
#include "src/nlmeans.cu" // of vapoursynth-zipcu

#include "peer.h"

#include <algorithm>
#include <vector>

Start PEER(const float *in, float *out, int batch)
{
    std::vector<int> weights, sums; // eight numbers for each offset, as its kernels read them
    int offsets = 0;
    for (int j = -SEARCH; j <= 0; ++j)
        for (int i = -SEARCH; i <= SEARCH && (j < 0 || i < 0); ++i, ++offsets) {
            const int slot = offsets % batch;
            weights.insert(weights.end(), {0, i, j, 0, slot, 0, 0, 0});
            sums.insert(sums.end(), {i, j, 0, slot, slot, 0, 0, 0});
        }
    int *const weightTable = allocate<int>(weights.size()), *const sumTable = allocate<int>(sums.size());
    CHECK(cudaMemcpy(weightTable, weights.data(), weights.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(sumTable, sums.data(), sums.size() * sizeof(int), cudaMemcpyHostToDevice));

    constexpr std::size_t size = std::size_t(SIDE) * SIDE;
    float *const padded = allocate<float>(std::size_t(PSTRIDE) * PH), *const sum = allocate<float>(2 * size),
                *const most = allocate<float>(size), *const slots = allocate<float>(size * batch);
    CHECK(cudaMemcpy2D(padded + PAD * PSTRIDE + PAD, PSTRIDE * 4, in, SIDE * 4, SIDE * 4, SIDE, cudaMemcpyDeviceToDevice));
    const dim3 block(BLK_X, BLK_Y), grid((SIDE + BLK_X - 1) / BLK_X, (SIDE + BLK_Y - 1) / BLK_Y);
    return graphOf([=](cudaStream_t stream) {
        for (int from = 0; from < offsets; from += batch) {
            const int count = std::min(batch, offsets - from);
            nlmWeight<<<dim3(grid.x, (SIDE + VRT_RESULT * BLK_Y - 1) / (VRT_RESULT * BLK_Y), count), block, 0, stream>>>(padded, slots, weightTable, from);
            nlmAccumulation<<<grid, block, 0, stream>>>(padded, sum, slots, most, sumTable, from, count, from == 0);
        }
        nlmFinish<<<grid, block, 0, stream>>>(padded, out, sum, most);
    });
}
