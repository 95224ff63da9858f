#include "device/null/fault_injection.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "results/throttle_reasons.h"
#include "util/text.h"

static const struct {
    const char *word;
    size_t member; /* offset of a bool */
} words[] = {
    {"others", offsetof(struct sg_fault, others)},   {"mig", offsetof(struct sg_fault, mig)},
    {"mps", offsetof(struct sg_fault, mps)},         {"slow", offsetof(struct sg_fault, slow)},
    {"unknown", offsetof(struct sg_fault, unknown)}, {"tenant", offsetof(struct sg_fault, tenant)},
    {"lost", offsetof(struct sg_fault, lost)},
};

static bool apply_fault(const char *what, struct sg_fault *fault)
{
    uint64_t events = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i].word, what) == 0) {
            *(bool *)((char *)fault + words[i].member) = true;
            return true;
        }
    }
    if (!sg_throttle_reasons_parse(what, &events))
        return false;
    fault->events |= events;
    return true;
}

/* Returns true if "2", "2.0" or "*" matches the process and attempt. *valid: the text has one of
 * these forms. */
static bool is_meant(char *who, unsigned process, unsigned attempt, bool *valid)
{
    uint64_t wanted = process, wanted_attempt = attempt;
    char *dot = strchr(who, '.');
    if (dot)
        *dot = '\0';
    *valid = (strcmp(who, "*") == 0 || sg_parse_u64(who, &wanted)) &&
             (!dot || sg_parse_u64(dot + 1, &wanted_attempt));
    return *valid && wanted == process && wanted_attempt == attempt;
}

static enum sg_code take_part(char *part, const char *unit, unsigned process, unsigned attempt,
                              struct sg_fault *fault, struct sg_err *err)
{
    struct sg_fault elsewhere = {0};
    const struct sg_shown shown = sg_show(part, strlen(part));
    char *colon = strchr(part, ':'), *slash = strchr(part, '/');
    bool valid = colon != NULL;
    if (colon)
        *colon = '\0';
    if (slash)
        *slash = '\0';
    const bool is_here = !slash || strcmp(part, unit) == 0,
               meant =
                   colon && is_meant(slash ? slash + 1 : part, process, attempt, &valid) && is_here;
    if (!valid || !apply_fault(colon + 1, meant ? fault : &elsewhere))
        return sg_fail(err, SG_BAD_USAGE, SG_FAULT_VARIABLE,
                       "expected [GPU/]PROCESS[.ATTEMPT]:WHAT, found '%s'", shown.text);
    return SG_SUCCESS;
}

enum sg_code sg_fault_of(const char *script, const char *unit, unsigned process, unsigned attempt,
                         struct sg_fault *fault, struct sg_err *err)
{
    char *copy = sg_copy_string(script ? script : ""), *rest = copy;
    *fault = (struct sg_fault){0};
    for (char *part; err->code == SG_SUCCESS && (part = strtok_r(rest, " ", &rest));)
        take_part(part, unit, process, attempt, fault, err);
    free(copy);
    return err->code;
}
