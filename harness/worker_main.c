#include "err.h"

int main(void)
{
    return sg_exit_code(SG_BAD_USAGE);
}
