/* Does gnuplot draw letters? Where no font is installed it draws
 * charts without any, and ends with 0. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/charts/gnuplot.h"
#include "util/file.h"

#define DRAWING_MAX 65536 /* bytes of so small a drawing */

struct drawing {
    char bytes[DRAWING_MAX];
    size_t length;
};

static enum sg_code draw(const char *script, const char *folder, const char *word, struct drawing *drawing, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    const struct sg_gnuplot run = {.script = script, .folder = folder, .argument = {"png", word, word}, .count = 3};
    int descriptor = -1;
    sg_text_addf(&path, "%s/%s", folder, word);
    if (sg_gnuplot_run(&run, err) == SG_SUCCESS && sg_open_to_read(path.data, &descriptor, err) == SG_SUCCESS) {
        sg_read_bytes(path.data, descriptor, drawing->bytes, sizeof(drawing->bytes), &drawing->length, err);
        close(descriptor);
    }
    unlink(path.data);
    return err->code;
}

/* In a folder that is there. */
static enum sg_code compare_words(const char *script, const char *folder, struct sg_err *err)
{
    SG_FREED struct drawing *drawings = sg_alloc(2, sizeof(*drawings));
    if (draw(script, folder, "iii", &drawings[0], err) == SG_SUCCESS && draw(script, folder, "WWW", &drawings[1], err) == SG_SUCCESS &&
        drawings[0].length == drawings[1].length && memcmp(drawings[0].bytes, drawings[1].bytes, drawings[0].length) == 0)
        sg_fail(err, SG_SYSTEM, "gnuplot",
                "finds no font, so charts would have no letters: install fonts-dejavu-core, or ask for --tables-only");
    return err->code;
}

enum sg_code sg_gnuplot_check_letters(struct sg_err *err)
{
    const char *folder = getenv("TMPDIR");
    SG_SCOPED(sg_text) script = {0}, private = {0};
    sg_text_addf(&private, "%s/solgate.XXXXXX", folder && *folder ? folder : "/tmp");
    if (sg_plot_script("letters.gp", &script, err) == SG_SUCCESS && !mkdtemp(private.data)) {
        sg_fail(err, SG_SYSTEM, private.data, "cannot make a folder to draw in: %s", strerror(errno));
    } else if (err->code == SG_SUCCESS) {
        compare_words(script.data, private.data, err);
        rmdir(private.data);
    }
    return err->code;
}
