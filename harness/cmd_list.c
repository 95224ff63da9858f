#include "cli.h"

int sg_cmd_list(int argc, char **argv, struct sg_err *err)
{
    (void)argc;
    sg_fail(err, SG_BAD_USAGE, argv[0], "is not built in");
    return 0;
}
