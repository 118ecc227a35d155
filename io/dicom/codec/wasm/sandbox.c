/*
 * The functions that the sandbox exports: they decode one JPEG 2000 codestream to one
 * component of 32-bit samples. build.sh links them with OpenJPEG. The module has no
 * imports, so that it can access only its own memory.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "openjpeg.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* The codestream and the read position. */
typedef struct {
    const OPJ_BYTE *bytes;
    OPJ_SIZE_T size, at;
} source;

static OPJ_SIZE_T source_read(void *to, OPJ_SIZE_T n, void *user)
{
    source *s = user;
    if (s->at >= s->size) {
        return (OPJ_SIZE_T) -1;
    }
    if (n > s->size - s->at) {
        n = s->size - s->at;
    }
    memcpy(to, s->bytes + s->at, n);
    s->at += n;
    return n;
}

static OPJ_OFF_T source_skip(OPJ_OFF_T n, void *user)
{
    source *s = user;
    if (n < 0 || (OPJ_UINT64) n > s->size - s->at) {
        return -1;
    }
    s->at += (OPJ_SIZE_T) n;
    return n;
}

static OPJ_BOOL source_seek(OPJ_OFF_T at, void *user)
{
    source *s = user;
    if (at < 0 || (OPJ_UINT64) at > s->size) {
        return OPJ_FALSE;
    }
    s->at = (OPJ_SIZE_T) at;
    return OPJ_TRUE;
}

/* The first error that the library reported, as text. */
static char message[256];

static void keep_message(const char *text, void *user)
{
    (void) user;
    if (message[0] == 0) {
        strncpy(message, text, sizeof message - 1);
    }
}

EXPORT("last_error") const char *last_error(void) { return message; }

/* The number of steps left. The compiler inserts a call to the function below at every
 * branch of the files that read the stream, and at every function of the files that
 * compute, whose loops are bounded by the image. An endless loop is stopped after the
 * same number of steps on every machine. */
static uint64_t steps;

EXPORT("set_steps") void set_steps(uint64_t n) { steps = n; }

__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc(void)
{
    if (steps-- == 0) {
        __builtin_trap();
    }
}

EXPORT("allocate") void *allocate(OPJ_SIZE_T n) { return malloc(n); }

static opj_image_t *image;

/* The samples and their number; valid after decode has returned 0. */
EXPORT("samples") const OPJ_INT32 *samples(void) { return image->comps[0].data; }
EXPORT("count") OPJ_UINT32 count(void) { return image->comps[0].w * image->comps[0].h; }

/* decode decodes the codestream at bytes. It returns 0, or 1 after an error. Memory is
 * not freed: an instance decodes once. */
EXPORT("decode") int decode(const OPJ_BYTE *bytes, OPJ_SIZE_T size)
{
    source src = {bytes, size, 0};
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_TRUE);
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_J2K);
    opj_dparameters_t parameters;

    if (!stream || !codec) {
        keep_message("out of memory", NULL);
        return 1;
    }
    opj_stream_set_read_function(stream, source_read);
    opj_stream_set_skip_function(stream, source_skip);
    opj_stream_set_seek_function(stream, source_seek);
    opj_stream_set_user_data(stream, &src, NULL);
    opj_stream_set_user_data_length(stream, size);
    opj_set_error_handler(codec, keep_message, NULL);
    opj_set_default_decoder_parameters(&parameters);
    if (!opj_setup_decoder(codec, &parameters)
            || !opj_decoder_set_strict_mode(codec, OPJ_TRUE)
            || !opj_read_header(stream, codec, &image)
            || !opj_decode(codec, stream, image)
            || image->numcomps != 1 || !image->comps[0].data) {
        keep_message("no image", NULL);
        return 1;
    }
    return 0;
}

/* OpenJPEG reads the number of threads from the environment and can print. The module
 * has neither environment nor files: these functions replace the system calls of the C
 * library, so that they need not be imported. */
char *getenv(const char *name)
{
    (void) name;
    return NULL;
}

#define SYSTEM_CALL(name) __imported_wasi_snapshot_preview1_##name
enum { no_such_function = 52 };

int32_t SYSTEM_CALL(fd_write)(int32_t fd, int32_t from, int32_t n, int32_t written)
{
    (void) fd, (void) from, (void) n, (void) written;
    return no_such_function;
}

int32_t SYSTEM_CALL(fd_seek)(int32_t fd, int64_t to, int32_t whence, int32_t at)
{
    (void) fd, (void) to, (void) whence, (void) at;
    return no_such_function;
}

int32_t SYSTEM_CALL(fd_close)(int32_t fd)
{
    (void) fd;
    return no_such_function;
}

int32_t SYSTEM_CALL(fd_fdstat_get)(int32_t fd, int32_t status)
{
    (void) fd, (void) status;
    return no_such_function;
}
