#include "source/kernel.cu" // of vs-nlm-cuda

#include "peer.h"

Start nlmCuda(const float *in, float *out, int width, int height, int patch, int search, float h)
{
    const std::size_t size = std::size_t(width) * height;
    float *const distance = allocate<float>(size), *const weights = allocate<float>(size), *const sum = allocate<float>(size),
                *const weight = allocate<float>(size), *const most = allocate<float>(size);
    const int side = 2 * patch + 1;
    const float unit = 1 / (3.f * side * side * h * h); // its distances are three times the sum of squares
    return graphOf([=](cudaStream_t stream) {
        CHECK(nlmeans(out, const_cast<float *>(in), distance, weights, nullptr, sum, weight, most, true, 32, width, height, width, width, 0,
                      search, patch, unit, ChannelMode::Y, 0, 1, false, stream));
    });
}
