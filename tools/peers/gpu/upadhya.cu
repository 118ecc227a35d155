#include "NLM_Cuda/NLM_Cuda/gpu_device_code.cu" // of GPU-non-local-means

#include "peer.h"

#include <cmath>
#include <vector>

// Its volumes are y fastest and have a margin of the patch radius, which is mirrored here as Quell mirrors.
Start upadhya(const float *in, float *out, int width, int height, int depth, int patch, int search, float h)
{
    const int w = width + 2 * patch, rows = height + 2 * patch, slices = depth + 2 * patch, side = 2 * patch + 1;
    std::vector<float> volume(std::size_t(width) * height * depth), padded(std::size_t(w) * rows * slices), taps(side * side * side);
    CHECK(cudaMemcpy(volume.data(), in, volume.size() * sizeof(float), cudaMemcpyDeviceToHost));
    auto mirror = [](int i, int n) { return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i; };
    for (int z = 0; z < slices; ++z)
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < w; ++x)
                padded[(std::size_t(z) * rows + y) * w + x] =
                    volume[(std::size_t(mirror(z - patch, depth)) * height + mirror(y - patch, height)) * width + mirror(x - patch, width)];
    float total = 0;
    for (int i = 0; i < int(taps.size()); ++i) {
        const int x = i % side - patch, y = i / side % side - patch, z = i / side / side - patch;
        total += taps[i] = std::exp(-0.5f * (x * x + y * y + z * z));
    }
    for (float &t : taps) t /= total;
    float *const from = allocate<float>(padded.size()), *const weights = allocate<float>(taps.size());
    CHECK(cudaMemcpy(from, padded.data(), padded.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(weights, taps.data(), taps.size() * sizeof(float), cudaMemcpyHostToDevice));
    const dim3 block(8, 8, 4), grid((height + 7) / 8, (width + 7) / 8, (depth + 3) / 4);
    return [=] { parallelGaussianNLM<<<grid, block>>>(from, weights, out, patch, search, h, height, width, depth); };
}
