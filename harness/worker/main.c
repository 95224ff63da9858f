#include "worker/worker_main.h"

int main(int argc, char **argv)
{
    return sg_worker_main(argc, argv);
}
