#include "device/cuda/loaded_code.h"

static void on_module(void *context, const void *cubin, size_t bytes)
{
    struct sg_loaded_code *loaded = context;
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, cubin, cubin ? bytes : 0);
    pthread_mutex_lock(&loaded->lock);
    sg_names_add(&loaded->digests, sg_digest_word(&digest).text);
    pthread_mutex_unlock(&loaded->lock);
}

void sg_loaded_code_open(struct sg_loaded_code *loaded, struct sg_cupti *cupti)
{
    *loaded = (struct sg_loaded_code){.calls = {.cupti = cupti, .on_module = on_module, .context = loaded}};
    pthread_mutex_init(&loaded->lock, NULL);
    if (sg_cupti_open(cupti, &loaded->fault) == SG_SUCCESS && sg_calls_open(&loaded->calls, &loaded->fault) == SG_SUCCESS)
        sg_calls_show_modules(&loaded->calls, &loaded->fault);
}

void sg_loaded_code_close(struct sg_loaded_code *loaded)
{
    sg_calls_close(&loaded->calls);
    sg_names_release(&loaded->digests);
}

enum sg_code sg_loaded_code_add(struct sg_loaded_code *loaded, struct sg_digest *digest, struct sg_err *err)
{
    if (loaded->fault.code != SG_SUCCESS)
        return sg_fail(err, SG_INVALID, NULL, "which code was loaded: %.300s", loaded->fault.message);
    pthread_mutex_lock(&loaded->lock);
    sg_names_sort(&loaded->digests);
    for (size_t i = 0; i < loaded->digests.count; i++)
        sg_digest_add_string(digest, loaded->digests.items[i]);
    pthread_mutex_unlock(&loaded->lock);
    return SG_SUCCESS;
}
