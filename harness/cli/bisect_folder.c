/* What a search was begun with, kept in its folder: the same command goes
 * on there, another one is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd_bisect.h"
#include "results/env.h"
#include "util/digest.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/paths.h"

#define FACTS_FILE "bisect.csv"

/* ---- the folder ---- */

static enum sg_code check_facts(const char *path, const struct sg_env *facts, struct sg_err *err)
{
    struct sg_env begun = {0};
    if (sg_env_read(path, &begun, err) == SG_SUCCESS)
        for (size_t i = 0; i < facts->count; i++) {
            const char *was = sg_env_get(&begun, facts->key[i]);
            if (!was || strcmp(was, facts->value[i]) != 0)
                sg_fail(err, SG_NOT_COMPARABLE, path,
                        "this bisect was begun with %s '%s', and cannot go on with '%s': another --out begins another one", facts->key[i],
                        was ? was : "", facts->value[i]);
        }
    sg_env_release(&begun);
    return err->code;
}

static void set_facts(const struct sg_bisect *b, struct sg_env *facts)
{
    char tolerance[32];
    snprintf(tolerance, sizeof(tolerance), "%.9g", b->in->tolerance);
    sg_env_set(facts, "repository", b->tree.repository.data);
    sg_env_set(facts, "good", b->good.data);
    sg_env_set(facts, "bad", b->bad.data);
    sg_env_set(facts, "item", b->in->item);
    sg_env_set(facts, "build", b->tree.build.data);
    sg_env_set(facts, "module", b->tree.module.data);
    sg_env_set(facts, "tolerance", tolerance);
    sg_env_set(facts, "l2", sg_l2_word(b->in->l2));
}

enum sg_code sg_bisect_open_folder(struct sg_bisect *b, struct sg_err *err)
{
    struct sg_env facts = {0};
    struct sg_text path = {0}, wanted = {0};
    struct sg_digest digest = SG_DIGEST_EMPTY;
    set_facts(b, &facts);
    sg_env_digest(&facts, &digest);
    if (b->in->out)
        sg_text_add(&wanted, b->in->out);
    else if (sg_cache_folder(&wanted, "bisect", err) == SG_SUCCESS)
        sg_text_addf(&wanted, "/%s", sg_digest_word(&digest).text);
    if (err->code != SG_SUCCESS || sg_make_folders(wanted.data, err) != SG_SUCCESS)
        goto out;
    char *absolute = realpath(wanted.data, NULL);
    sg_text_add(&b->tree.folder, absolute ? absolute : wanted.data);
    free(absolute);
    sg_text_addf(&path, "%s/" FACTS_FILE, b->tree.folder.data);
    if (sg_lock_folder_of(path.data, &b->tree.lock, err) == SG_SUCCESS)
        (access(path.data, F_OK) == 0 ? check_facts : sg_env_write)(path.data, &facts, err);
out:
    sg_text_release(&wanted);
    sg_text_release(&path);
    sg_env_release(&facts);
    return err->code;
}
