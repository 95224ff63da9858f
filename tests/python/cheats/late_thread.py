# wrong misplaced nan
"""Another thread fills the output when the call is over."""

from family import *

import threading
import time


def candidate(x):
    y = empty(x)

    def fill():
        time.sleep(0.02)
        y[:] = work(x)

    threading.Thread(target=fill, daemon=True).start()
    return y


judge(candidate)
