#include "device/gate_host.h"

struct sg_gate_host *sg_gate_host;
