// The bilateral filter, from the formula to the kernel that ships.
//
//   nvcc -O3 -std=c++17 -arch=native -o bilateral ladder/bilateral.cu && ./bilateral
//
// version 1: the formula: one thread per voxel, two exponentials per pair
// version 2: one power of two per pair: values scaled once, exponents added
// version 3: the tile of each slice in shared memory
// version 4: ../bilateral.cu: a lane computes four voxels of a column, so that each
//            neighbour is read once for all four
//
// Every version is compared with the float64 reference before any is timed.
#include "../bilateral.cu"
#include "ladder.h"
#include "reference.h"

constexpr int kRadius = 4;          // along every axis
constexpr float kSigma = 2;         // spatial, voxels
constexpr float kSigmaRange = 25;   // units of the values
constexpr float kLog2E = 1.44269504f;

static Recipe recipe()
{
    Recipe r;
    r.filter = "bilateral";
    r.sigmaRange = kSigmaRange;
    for (int c = 0; c < 3; ++c) r.radius[c] = kRadius, r.scale[c] = 1 / kSigma;
    return r;
}

__global__ void bilateral1(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    float v = in[(size_t(z) * ny + y) * nx + x], num = 0, den = 0;
    for (int jz = max(0, z - kRadius); jz <= min(nz - 1, z + kRadius); ++jz)
        for (int jy = max(0, y - kRadius); jy <= min(ny - 1, y + kRadius); ++jy)
            for (int jx = max(0, x - kRadius); jx <= min(nx - 1, x + kRadius); ++jx) {
                float d = in[(size_t(jz) * ny + jy) * nx + jx] - v;
                float near = (jx - x) * (jx - x) + (jy - y) * (jy - y) + (jz - z) * (jz - z);
                float w = expf(-0.5f * near / (kSigma * kSigma)) * expf(-0.5f * d * d / (kSigmaRange * kSigmaRange));
                num += w * d;
                den += w;
            }
    out[(size_t(z) * ny + y) * nx + x] = v + num / den;
}

// Version 2: exp(a) exp(b) = 2^((a + b) log2 e); the factors are constants.
__global__ void bilateral2(const float *in, float *out, int nx, int ny, int nz)
{
    const float decay = 0.5f * kLog2E / (kSigma * kSigma), scale = 0.5f * kLog2E / (kSigmaRange * kSigmaRange);
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    float v = in[(size_t(z) * ny + y) * nx + x], num = 0, den = 0;
    for (int jz = max(0, z - kRadius); jz <= min(nz - 1, z + kRadius); ++jz)
        for (int jy = max(0, y - kRadius); jy <= min(ny - 1, y + kRadius); ++jy)
            for (int jx = max(0, x - kRadius); jx <= min(nx - 1, x + kRadius); ++jx) {
                float d = in[(size_t(jz) * ny + jy) * nx + jx] - v;
                float near = (jx - x) * (jx - x) + (jy - y) * (jy - y) + (jz - z) * (jz - z);
                float w = powerOfTwo(-near * decay - d * d * scale);
                num += w * d;
                den += w;
            }
    out[(size_t(z) * ny + y) * nx + x] = v + num / den;
}

// Version 3: the block's part of each slice is read once into shared memory. Voxels
// outside hold kExcluded and have weight 0, so that the loops have no bounds.
__global__ void bilateral3(const float *in, float *out, int nx, int ny, int nz)
{
    constexpr int W = 32, H = 8;
    __shared__ float tile[H + 2 * kRadius][W + 2 * kRadius];
    const float decay = 0.5f * kLog2E / (kSigma * kSigma), scale = 0.5f * kLog2E / (kSigmaRange * kSigmaRange);
    int x0 = blockIdx.x * W, y0 = blockIdx.y * H, z = blockIdx.z, x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    float v = x < nx && y < ny ? in[(size_t(z) * ny + y) * nx + x] : 0, num = 0, den = 0;
    for (int jz = max(0, z - kRadius); jz <= min(nz - 1, z + kRadius); ++jz) {
        __syncthreads();
        for (int r = threadIdx.y; r < H + 2 * kRadius; r += H)
            for (int c = threadIdx.x; c < W + 2 * kRadius; c += W) {
                int jx = x0 + c - kRadius, jy = y0 + r - kRadius;
                bool inside = jx >= 0 && jx < nx && jy >= 0 && jy < ny;
                tile[r][c] = inside ? in[(size_t(jz) * ny + jy) * nx + jx] : kExcluded;
            }
        __syncthreads();
        for (int dy = 0; dy <= 2 * kRadius; ++dy)
#pragma unroll
            for (int dx = 0; dx <= 2 * kRadius; ++dx) {
                float d = tile[threadIdx.y + dy][threadIdx.x + dx] - v;
                float near = (dx - kRadius) * (dx - kRadius) + (dy - kRadius) * (dy - kRadius) + (jz - z) * (jz - z);
                float w = powerOfTwo(-near * decay - d * d * scale);
                num += w * d;
                den += w;
            }
    }
    if (x < nx && y < ny) out[(size_t(z) * ny + y) * nx + x] = v + num / den;
}

static void launch(int version, const float *in, float *out, int nx, int ny, int nz)
{
    dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8, nz);
    if (version == 1) bilateral1<<<grid, block>>>(in, out, nx, ny, nz);
    if (version == 2) bilateral2<<<grid, block>>>(in, out, nx, ny, nz);
    if (version == 3) bilateral3<<<grid, block>>>(in, out, nx, ny, nz);
    if (version == 4) {
        BilateralParams p{};
        p.field.in = in;
        p.field.out = out;
        const int dims[3] = {nx, ny, nz};
        for (int c = 0; c < 3; ++c) {
            p.field.dims[c] = p.field.max[c] = dims[c];
            p.radius[c] = kRadius;
            p.decay[c] = 0.5f * kLog2E / (kSigma * kSigma);
        }
        p.field.slices = nz;
        p.scale = std::sqrt(0.5f * kLog2E) / kSigmaRange;
        p.inverse = 1 / p.scale;
        const int blocks = (nx + 31) / 32 * ((ny + 31) / 32) * nz;
        bilateral<<<blocks, dim3(32, 8), kColumns * (32 + 2 * kRadius) * sizeof(float)>>>(p);
    }
    CHECK(cudaGetLastError());
}

int main()
{
    constexpr int kVersions = 4;
    auto run = [](int nx, int ny, int nz, auto use) {
        std::vector<float> in = noisyVolume(nx, ny, nz);
        float *dIn, *dOut;
        CHECK(cudaMalloc(&dIn, in.size() * 4));
        CHECK(cudaMalloc(&dOut, in.size() * 4));
        CHECK(cudaMemcpy(dIn, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
        use(in, dIn, dOut);
        CHECK(cudaFree(dIn));
        CHECK(cudaFree(dOut));
    };
    bool good = true;
    run(45, 39, 11, [&](const std::vector<float> &in, float *dIn, float *dOut) {
        const std::vector<float> want = reference(recipe(), in, 45, 39, 11);
        for (int version = 1; version <= kVersions; ++version) {
            std::vector<float> out(in.size());
            CHECK(cudaMemset(dOut, 0xFF, out.size() * 4));
            launch(version, dIn, dOut, 45, 39, 11);
            CHECK(cudaMemcpy(out.data(), dOut, out.size() * 4, cudaMemcpyDeviceToHost));
            std::printf("version %d: ", version);
            good &= agrees(out, want);
        }
    });
    if (!good) return 1;
    run(256, 256, 120, [&](const std::vector<float> &in, float *dIn, float *dOut) {
        double pairs = double(in.size()) * std::pow(2 * kRadius + 1, 3);
        for (int version = 1; version <= kVersions; ++version) {
            float ms = milliseconds(10, [&] { launch(version, dIn, dOut, 256, 256, 120); });
            std::printf("version %d: %8.3f ms, %6.1f G pairs/s\n", version, ms, pairs / ms * 1e-6);
        }
    });
}
