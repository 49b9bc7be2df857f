"""Whole files made wrong: by their structure, so that most of them get past the first check, or byte by byte."""

import copy
import json
import struct

WRONG = [None, True, False, 0, -1, 1, 2, 7, 0.5, -0.0, 1e308, 1e-320, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 2 ** 63, -2 ** 63, "", "x", "\0", "\ud83d\ude42",
         "a" * 5000, "(a+)+b", "../../etc/passwd", "NaN", [], {}, [[]], [None], [0] * 300, {"": 0}, {"x": {"y": []}}]
NAMES = ["", "x", "type", "id", "vocab", "model", "schema"]
PIECES = [b"\0", b"\xff", b"{", b"}", b"[", b"]", b'"', b",", b":", b"e999", b"\\u0000", b"\\ud800", b"-", b"9" * 40, b"[" * 200, b"NaN", b"\xef\xbb\xbf"]


def places(value, here=()):
    """The path of every part; of what is long, as a vocabulary, a few parts."""
    found = []
    if isinstance(value, dict):
        step = 1 if len(value) <= 40 else len(value) // 12
        for key in list(value)[::step]:
            found.append(here + (key,))
            found += places(value[key], here + (key,))
    elif isinstance(value, list):
        step = max(1, len(value) // 12)
        for at in range(0, len(value), step):
            found.append(here + (at,))
            found += places(value[at], here + (at,))
    return found


def parent_of(value, place):
    for key in place[:-1]:
        value = value[key]
    return value


def part(value, chance):
    """One part of a JSON value changed in place."""
    found = places(value)
    if not found:
        return
    place = chance.choice(found)
    parent, key = parent_of(value, place), place[-1]
    way = chance.randrange(8)
    if way == 0:
        del parent[key]
    elif way == 1 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif way == 1:
        parent[chance.choice(NAMES)] = copy.deepcopy(parent[key])
    elif way == 2:  # another part of the same file
        parent[key] = copy.deepcopy(parent_of(value, other := chance.choice(found))[other[-1]])
    elif way == 3 and isinstance(parent[key], (int, float)) and not isinstance(parent[key], bool):
        parent[key] = chance.choice([-parent[key], parent[key] + 1, parent[key] - 1, parent[key] * 2, parent[key] * 1000, parent[key] / 3])
    elif way == 4 and isinstance(parent[key], list):
        parent[key] = parent[key] * chance.choice([2, 10])
    else:
        parent[key] = copy.deepcopy(chance.choice(WRONG))


def bytes_of(data, chance):
    """Some bytes changed, cut out, put in or doubled."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        way = chance.randrange(5)
        if way == 0 and at < len(data):
            data[at] = chance.randrange(256)
        elif way == 1:
            del data[at:at + chance.choice([1, 10, 1000])]
        elif way == 2:
            data[at:at] = chance.choice(PIECES)
        elif way == 3:
            data[at:at] = data[at:at + chance.choice([1, 50, 500])]
        else:
            del data[at:]
    return bytes(data)


def text(data, chance):
    """JSON, four times of five still JSON."""
    if chance.random() < 0.2:
        return bytes_of(data, chance)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return bytes_of(data, chance)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        try:
            part(value, chance)
        except (TypeError, OverflowError, KeyError, IndexError):  # an earlier one took it away
            pass
    return json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def safetensors(data, chance):
    """A file of tensors: its header, its numbers or its bytes."""
    length = struct.unpack("<Q", data[:8])[0]
    header, numbers = json.loads(data[8:8 + length]), bytearray(data[8 + length:])
    way = chance.randrange(6)
    if way == 0:
        return bytes_of(data, chance)
    if way == 1:
        return struct.pack("<Q", chance.choice([0, 1, length - 1, length + 1, len(data), 2 ** 32, 2 ** 63, 2 ** 64 - 1])) + data[8:]
    names = [name for name in header if name != "__metadata__"]
    if way == 2:  # a tensor left out, its bytes too
        gone = header.pop(chance.choice(names))["data_offsets"]
        del numbers[gone[0]:gone[1]]
        for name in header:
            if name != "__metadata__" and header[name]["data_offsets"][0] >= gone[1]:
                header[name]["data_offsets"] = [end - gone[1] + gone[0] for end in header[name]["data_offsets"]]
    elif way == 3:  # numbers that are none, or too large
        begin, end = header[chance.choice(names)]["data_offsets"]
        wrong = struct.pack("<f", chance.choice([float("nan"), float("inf"), 3e38, -3e38]))
        for at in range(begin, end, 4 if chance.random() < 0.5 else max(4, (end - begin) // 4 * 4)):
            numbers[at:at + 4] = wrong
    elif way == 4:  # of another shape, the same size
        tensor = header[chance.choice(names)]
        tensor["shape"] = chance.choice([tensor["shape"][::-1], [*tensor["shape"], 1], [1, *tensor["shape"]],
                                         [-1, -1], [2 ** 32, 2 ** 32], [0]])
    else:
        try:
            part(header, chance)
        except (TypeError, OverflowError):
            pass
    made = json.dumps(header).encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(made)) + made + bytes(numbers)
