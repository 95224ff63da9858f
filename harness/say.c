#include "err.h"
