#include "device/guest.h"

struct sg_guest *sg_guest;
