// A CUDA driver without a GPU, for tests: device memory is the heap, work on a
// stream is done when it is queued, kernels are host functions (kernels.c). It has
// one context and supports one thread, as the worker has.
//
// The comma-separated list QUELL_FAKE_CUDA configures it: no-device, init=CODE
// (cuInit fails), driver=VERSION, compute=MAJORMINOR, memory=BYTES, taken=BYTES (by
// another program, once the worker has started), devices=N, slow=MS (added to
// every kernel), no-kernels (modules do not load), unpinned (host memory cannot be
// registered), model=N (part of the devices' names), fast=ROWS (by the events a kernel
// takes 1 ms where its blocks have as many rows of threads, and 2 ms otherwise),
// ms=MS (by the events every kernel takes as long), wrong=ROWS (such a kernel computes its
// first voxel wrongly), refuse=ROWS (it does not start), silent (devices do not say their
// names).
//
// NAME@K=VALUE is for device K alone, the others keep NAME=VALUE. CUDA_VISIBLE_DEVICES
// names one device, by its number or its UUID.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// named returns the value of the setting of that very name.
static long long named(const char *name, long long otherwise)
{
    const char *s = getenv("QUELL_FAKE_CUDA");
    size_t n = strlen(name);
    for (; s && *s; s = strchr(s, ','), s += s != NULL) {
        if (strncmp(s, name, n) == 0) {
            if (s[n] == '=') return atoll(s + n + 1);
            if (s[n] == ',' || s[n] == 0) return 1;
        }
    }
    return otherwise;
}

// The first byte of the UUID of device 0; that of device K is larger by K.
enum { UUID = 0x10 };

// first returns the number of the first device that this process sees.
static int first(void)
{
    const char *s = getenv("CUDA_VISIBLE_DEVICES");
    if (!s) return 0;
    if (strncmp(s, "GPU-", 4) != 0) return atoi(s);
    char byte[3] = {s[4], s[4] ? s[5] : 0};
    return (int)strtol(byte, NULL, 16) - UUID;
}

static long long settingOf(int device, const char *name, long long otherwise)
{
    char own[64];
    snprintf(own, sizeof own, "%s@%d", name, device);
    return named(own, named(name, otherwise));
}

long long setting(const char *name, long long otherwise) { return settingOf(first(), name, otherwise); }

// The sticky error: once a kernel has crashed every call fails with it.
static CUresult sticky = CUDA_SUCCESS;

CUresult cuInit(unsigned flags)
{
    if (setting("no-device", 0)) return CUDA_ERROR_NO_DEVICE;
    return setting("init", CUDA_SUCCESS);
}

CUresult cuDriverGetVersion(int *version)
{
    *version = setting("driver", 12020);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    *count = setting("devices", 1);
    // Like the real driver, show only the devices in CUDA_VISIBLE_DEVICES.
    if (getenv("CUDA_VISIBLE_DEVICES")) *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice device)
{
    if (settingOf(first() + device, "silent", 0)) return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, len, "Fake GPU %d", (int)settingOf(first() + device, "model", 0));
    return CUDA_SUCCESS;
}

// started is set when the worker has asked for the free memory.
static int started;

static long long memory(void) { return setting("memory", 2LL << 30) - (started ? setting("taken", 0) : 0); }

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    *bytes = memory();
    return CUDA_SUCCESS;
}

CUresult(cuDeviceGetUuid)(CUuuid *uuid, CUdevice device)
{
    memset(uuid->bytes, UUID + first() + device, sizeof uuid->bytes);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    int compute = settingOf(first() + device, "compute", 90);
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = compute / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = compute % 10; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *value = 1000; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 << 10; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    *context = (CUcontext)1;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) { return CUDA_SUCCESS; }

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    *stream = malloc(1);
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) { return sticky; }

// An event holds the time at which it was recorded.
CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    *event = malloc(sizeof(struct timespec));
    return sticky;
}

// virtualTime is the time in ns by the settings fast and ms.
static long virtualTime;

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    clock_gettime(CLOCK_MONOTONIC, (struct timespec *)event);
    if (setting("fast", 0) || setting("ms", 0)) *(struct timespec *)event = (struct timespec){0, virtualTime};
    // A crash is reported by the first call that waits for the kernel.
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) { return sticky; }

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    const struct timespec *a = (void *)start, *b = (void *)end;
    *ms = (b->tv_sec - a->tv_sec) * 1e3 + (b->tv_nsec - a->tv_nsec) / 1e6;
    return sticky;
}

// The size of a device allocation is stored FRONT bytes before its address.
enum { FRONT = 256 };
static long long used;

CUresult cuMemGetInfo(size_t *unused, size_t *total)
{
    *unused = memory() - used;
    *total = memory();
    started = 1;
    return sticky;
}

CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes)
{
    if (sticky) return sticky;
    if (used + (long long)bytes > memory()) return CUDA_ERROR_OUT_OF_MEMORY;
    char *p = aligned_alloc(FRONT, FRONT + (bytes + FRONT - 1) / FRONT * FRONT);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    *(size_t *)p = bytes;
    // All ones is a NaN, so that a voxel that no kernel wrote is noticed.
    memset(p + FRONT, 0xff, bytes);
    used += bytes;
    *at = (CUdeviceptr)(p + FRONT);
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr at)
{
    if (sticky) return sticky;
    char *p = (char *)at - FRONT;
    used -= *(size_t *)p;
    free(p);
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *p, size_t bytes, unsigned flags)
{
    return setting("unpinned", 0) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    if (!sticky) memcpy((void *)to, from, bytes);
    return sticky;
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    if (!sticky) memcpy(to, (const void *)from, bytes);
    return sticky;
}

CUresult cuStreamSynchronize(CUstream stream) { return sticky; }

// An array is its size and its texels; a texture is the address of its array.
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape)
{
    if (shape->Width == 0 || shape->Height == 0 || shape->Format != CU_AD_FORMAT_FLOAT || shape->NumChannels != 1) return CUDA_ERROR_INVALID_VALUE;
    FakeArray *a = malloc(sizeof *a + 4 * shape->Width * shape->Height);
    *a = (FakeArray){shape->Width, shape->Height};
    *array = (CUarray)a;
    return sticky;
}

CUresult cuArrayDestroy(CUarray array)
{
    free(array);
    return sticky;
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *memory, const CUDA_TEXTURE_DESC *access, const CUDA_RESOURCE_VIEW_DESC *view)
{
    if (memory->resType != CU_RESOURCE_TYPE_ARRAY || (access->flags & ~CU_TRSF_NORMALIZED_COORDINATES) != 0 || access->filterMode != CU_TR_FILTER_MODE_POINT) return CUDA_ERROR_INVALID_VALUE;
    *texture = (CUtexObject)memory->res.array.hArray;
    return sticky;
}

CUresult cuTexObjectDestroy(CUtexObject texture) { return sticky; }

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    FakeArray *to = (FakeArray *)copy->dstArray;
    if (copy->srcMemoryType != CU_MEMORYTYPE_DEVICE || copy->dstMemoryType != CU_MEMORYTYPE_ARRAY || copy->srcPitch != copy->WidthInBytes ||
        copy->WidthInBytes != 4 * to->width || copy->Height != to->height)
        return CUDA_ERROR_INVALID_VALUE;
    if (!sticky) memcpy(to->texels, (const void *)copy->srcDevice, copy->WidthInBytes * copy->Height);
    return sticky;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    if (setting("no-kernels", 0)) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    *module = malloc(1);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    *function = (CUfunction)findKernel(name);
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// The tables of weights of the rungs, which the host functions do not read.
CUresult cuModuleGetGlobal(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name)
{
    static float weights[23 * 23 * 23];
    if (strcmp(name, "constantWeights") != 0 && strcmp(name, "globalWeights") != 0) return CUDA_ERROR_NOT_FOUND;
    *at = (CUdeviceptr)weights;
    *bytes = sizeof weights;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    // The most shared memory of an H200 block.
    return value <= 227 << 10 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                        unsigned bx, unsigned by, unsigned bz, unsigned shared,
                        CUstream stream, void **params, void **extra)
{
    if (sticky) return sticky;
    if (gx == 0 || gy == 0 || gz == 0 || gy > 65535 || gz > 65535 || bx * by * bz > 1024) return CUDA_ERROR_INVALID_VALUE;
    if (by == setting("refuse", 0)) return CUDA_ERROR_INVALID_VALUE;
    if (!extra || extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER) return CUDA_ERROR_INVALID_VALUE;
    if (function != (CUfunction)findKernel("widen")) {
        sticky = trap();
        // The launch itself succeeds; the crash is reported later.
        if (sticky) return CUDA_SUCCESS;
    }
    ((HostKernel)function)(extra[1]);
    virtualTime += setting("ms", by == setting("fast", 0) ? 1 : 2) * 1000000;
    // The address of the result is the third of a field.
    if (by == setting("wrong", 0)) ((float **)extra[1])[2][0] += 1000;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult code, const char **text)
{
    switch (code) {
    case CUDA_SUCCESS: *text = "no error"; break;
    case CUDA_ERROR_OUT_OF_MEMORY: *text = "out of memory"; break;
    case CUDA_ERROR_ILLEGAL_ADDRESS: *text = "an illegal memory access was encountered"; break;
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: *text = "the provided PTX was compiled with an unsupported toolchain."; break;
    default: *text = NULL; return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
