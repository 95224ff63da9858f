"""What Apache Otava calls in a year of nights, night by night, as history_year scan prints it.

    history_otava.py WINDOW MAX_PVALUE MIN_MAGNITUDE [--levelled] < year.csv > alarms.csv

Each night the analysis that Otava's command does (otava.analysis.compute_change_points) gets all nights up to then. A change point
is an alarm on the first night that lists it; one within 2 nights of an alarm before is the same one. --levelled: the values less the
median of the older nights on the same GPU and driver, which Otava does not model.
"""
import csv
import math
import statistics
import sys

from otava.analysis import compute_change_points

FIRST_NIGHT = 20
SAME = 2


def levelled(nights):
    """ln ratios less the median of the older nights of their level, as far as there are any."""
    seen, out = {}, []
    for level, value in nights:
        older = seen.setdefault(level, [])
        out.append(value - (statistics.median(older) if older else value))
        older.append(value)
    return out


def alarms(values, window, max_pvalue, min_magnitude):
    """(found, place) of each change point, by the night that listed it first."""
    places, out = [], []
    for night in range(FIRST_NIGHT, len(values)):
        found, _ = compute_change_points(values[: night + 1], window_len=window, max_pvalue=max_pvalue, min_magnitude=min_magnitude)
        for point in found:
            if all(abs(point.index - place) > SAME for place in places):
                places.append(point.index)
                out.append((night, point.index))
    return out


def main():
    window, max_pvalue, min_magnitude = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    series = {}
    for row in csv.DictReader(sys.stdin):
        series.setdefault(row["series"], []).append((row["level"], float(row["value"])))
    print("series,what,found,place")
    for name, nights in series.items():
        values = levelled(nights) if "--levelled" in sys.argv else [value for _, value in nights]
        for found, place in alarms([math.exp(value) for value in values], window, max_pvalue, min_magnitude):
            print(f"{name},step,{found},{place}")


main()
