// The open filters that peers-gpu.sh times beside Quell's. Each of the other files of this folder compiles one
// project's kernels from its own sources and starts them as the project does.
#pragma once

#include "../../../kernels/ladder/ladder.h" // CHECK

#include <cuda_runtime.h>

#include <functional>

// Start queues the kernels of one run on the legacy default stream.
using Start = std::function<void()>;

// graphOf returns a Start for everything that work queues on a stream, as one graph, so that the time of many
// small kernels is not that of starting them.
inline Start graphOf(const std::function<void(cudaStream_t)> &work)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    work(stream);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0));
    return [run] { CHECK(cudaGraphLaunch(run, nullptr)); };
}

template <class T>
T *allocate(std::size_t count)
{
    void *p;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemset(p, 0, count * sizeof(T)));
    return static_cast<T *>(p);
}

// All images and volumes are of width x height (x depth) float32 voxels on the device, x fastest.

// bilateralGpu is VapourSynth-BilateralGPU. Voxels outside the image count as copies of its edge.
Start bilateralGpu(const float *in, float *out, int width, int height, int radius, float sigmaSpace, float sigmaRange);

// nlmCuda is vs-nlm-cuda, with uniform patches. Voxels outside the image count as copies of its edge.
Start nlmCuda(const float *in, float *out, int width, int height, int patch, int search, float h);

// zipcu256 and zipcu1024 are nlm of vapoursynth-zipcu, whose sizes are constants of the compilation: 7^2 in 7^2 for
// images of 256^2, and 7^2 in 17^2 for 1024^2, in batches of 16 as it ships or of 48. h is 10. Differences of
// voxels outside the image count as zero.
Start zipcu256(const float *in, float *out, int batch);
Start zipcu1024(const float *in, float *out, int batch);

// upadhya is the program of Upadhya's paper, 3-D, with Gaussian patches of sigma 1.
Start upadhya(const float *in, float *out, int width, int height, int depth, int patch, int search, float h);
