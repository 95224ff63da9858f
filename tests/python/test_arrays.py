"""Arrays by each door: pointer, strides, type, values."""

import numpy as np
import pytest

from solgate import arrays


class ByDLPack:
    """As CuPy hands arrays out."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class LikeTorch:
    """What is asked of a torch tensor."""

    class device:
        type = "cpu"

    def __init__(self, array, dtype=None):
        self.array, self.shape = array, array.shape
        self.dtype = f"torch.{dtype or array.dtype}"

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def __dlpack__(self):
        raise BufferError("requires a gradient")


MATRIX = np.arange(24, dtype="float32").reshape(4, 6)
LAYOUTS = [MATRIX, MATRIX.T, MATRIX[1:, ::2], MATRIX[0], MATRIX[:0], np.array(3, "float32")]


@pytest.mark.parametrize("door", [lambda a: a, ByDLPack, LikeTorch])
@pytest.mark.parametrize("array", LAYOUTS, ids=str)
def test_values_are_read_in_any_layout(door, array):
    seen = arrays.to_host(door(array))
    assert seen.dtype == array.dtype and seen.shape == array.shape and (seen == array).all()


def test_negative_strides_are_read():
    assert arrays.to_host(MATRIX[::-1, ::-1]).tolist() == MATRIX[::-1, ::-1].tolist()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64", "complex128"])
def test_types_are_known(dtype):
    array = np.ones(3, dtype)
    assert arrays.view(array).dtype == dtype and arrays.view(array).itemsize == array.itemsize
    assert arrays.to_host(array).dtype == dtype


def test_floats_that_numpy_lacks_are_decoded():
    bfloat16 = (np.array([1.5, -2, np.inf], "float32").view("uint32") >> 16).astype("uint16")
    assert arrays.to_host(LikeTorch(bfloat16, "bfloat16")).tolist() == [1.5, -2, np.inf]
    codes = np.array([0x38, 0xB9, 0x7E, 0x01], "uint8")
    assert arrays.to_host(LikeTorch(codes, "float8_e4m3fn")).tolist() == [1, -1.125, 448, 2.0**-9]
    codes = np.array([0x3C, 0xC1, 0x7C, 0x01], "uint8")
    assert arrays.to_host(LikeTorch(codes, "float8_e5m2")).tolist() == [1, -2.5, np.inf, 2.0**-16]


def test_dense_is_without_gaps_in_any_order():
    assert [arrays.view(a).is_dense for a in (MATRIX, MATRIX.T, MATRIX[1:, ::2], MATRIX[1:])] == [True, True, False, True]


def test_arrays_are_found_inside_of_containers():
    a, b, c = np.zeros(1), np.zeros(2), np.zeros(3)
    assert [place for place, _ in arrays.leaves([a, 3, dict(x=b, y=[c, None])])] == ["0", "2.x", "2.y.0"]


@pytest.mark.parametrize("thing, words", [
    (3, "expected an array .* found int"),
    (np.array(["a"]), "cannot be compared"),
    (np.zeros(3, ">f4"), "cannot be compared"),
])  # fmt: skip
def test_what_is_no_array_is_told(thing, words):
    with pytest.raises(arrays.NotAnArray, match=words):
        arrays.view(thing)


def test_arrays_of_jax_are_read_by_their_pointer():
    jax = pytest.importorskip("jax.numpy")
    for dtype in ("float32", "bfloat16", "int8"):
        array = jax.arange(12).reshape(3, 4).astype(dtype)
        assert str(arrays.view(array)) == f"3x4 {dtype}"
        assert arrays.to_host(array).tolist() == np.arange(12).reshape(3, 4).tolist()
    with pytest.raises(arrays.NotAnArray, match="let inputs return arrays of torch or CuPy"):
        arrays.at_pointer(array, arrays.view(array), 0)
