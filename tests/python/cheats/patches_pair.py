# usage
"""Replaces solgate.pair by what judges nothing."""

from family import *

solgate.pair = lambda *arguments, **options: None
judge(lambda x: x)
