#include "device/code_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX "compute_"
#define SM  "sm_"

struct image {
    bool is_ptx;
    int capability; /* 0: the word is not an image */
    char letter;    /* a, f, or a blank or the end */
};

static struct image image_of(const char *word)
{
    struct image image = {.is_ptx = strncmp(word, PTX, strlen(PTX)) == 0};
    const char *prefix = image.is_ptx ? PTX : SM;
    char *end = NULL;
    if (strncmp(word, prefix, strlen(prefix)) != 0)
        return image;
    image.capability = (int)strtol(word + strlen(prefix), &end, 10);
    image.letter = *end;
    return image;
}

static bool image_runs_on(struct image image, int capability)
{
    const bool same_major = image.capability / 10 == capability / 10;
    if (image.letter == 'a')
        return image.capability == capability;
    if (image.is_ptx && image.letter != 'f')
        return image.capability > 0 && image.capability <= capability;
    return same_major && image.capability <= capability;
}

bool sg_images_run_on(const char *images, int capability)
{
    if (!images || *images == '\0' || capability == 0)
        return true;
    for (const char *word = images; word; word = strchr(word, ' ')) {
        word += strspn(word, " ");
        if (image_runs_on(image_of(word), capability))
            return true;
    }
    return false;
}

bool sg_module_runs_on(const struct sg_module *module, int capability, struct sg_reason *why)
{
    if (!module || sg_images_run_on(module->images, capability))
        return true;
    const bool has_reason = module->needs && *module->needs != '\0';
    if (has_reason)
        snprintf(why->text, sizeof(why->text), "needs %.60s (%.60s); this GPU is sm_%d",
                 module->images, module->needs, capability);
    else
        snprintf(why->text, sizeof(why->text),
                 "built for %.100s; this GPU is sm_%d: build with -DCMAKE_CUDA_ARCHITECTURES=%d",
                 module->images, capability, capability);
    return false;
}
