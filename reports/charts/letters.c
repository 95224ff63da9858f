/*
 * Checks that gnuplot draws text. Without an installed font gnuplot draws charts without text and
 * exits with 0.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/charts/gnuplot.h"
#include "util/file.h"

static enum sg_code draw(const char *script, const char *folder, const char *word,
                         struct sg_text *drawing, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    const struct sg_gnuplot run = {
        .script = script, .folder = folder, .argument = {"png", word, word}, .count = 3};
    sg_text_addf(&path, "%s/%s", folder, word);
    if (sg_gnuplot_run(&run, err) == SG_SUCCESS)
        sg_read_file(path.data, drawing, err);
    unlink(path.data);
    return err->code;
}

/* `folder` must exist. */
static enum sg_code compare_words(const char *script, const char *folder, struct sg_err *err)
{
    SG_SCOPED(sg_text) narrow = {0}, wide = {0};
    if (draw(script, folder, "iii", &narrow, err) == SG_SUCCESS &&
        draw(script, folder, "WWW", &wide, err) == SG_SUCCESS && narrow.length == wide.length &&
        memcmp(sg_text_string(&narrow), sg_text_string(&wide), wide.length) == 0)
        sg_fail(err, SG_SYSTEM, "gnuplot",
                "finds no font, so charts would have no letters: install fonts-dejavu-core, or ask "
                "for --tables-only");
    return err->code;
}

enum sg_code sg_gnuplot_check_letters(struct sg_err *err)
{
    const char *folder = getenv("TMPDIR");
    SG_SCOPED(sg_text) script = {0}, private = {0};
    sg_text_addf(&private, "%s/solgate.XXXXXX", folder && *folder ? folder : "/tmp");
    if (sg_plot_script("letters.gp", &script, err) == SG_SUCCESS && !mkdtemp(private.data)) {
        sg_fail(err, SG_SYSTEM, private.data, "cannot make a folder to draw in: %s",
                strerror(errno));
    } else if (err->code == SG_SUCCESS) {
        compare_words(script.data, private.data, err);
        rmdir(private.data);
    }
    return err->code;
}
