"""The four ways a request can fail. Each is also the built-in exception it is a kind of."""


class HeadwaterError(Exception):
    """Whatever Headwater raises."""


class InputError(HeadwaterError, ValueError):
    """The caller can mend it: a text, an option, a target."""


class FormatError(HeadwaterError, OSError):
    """A file is broken; the message names file, key and offset."""


class Unsupported(HeadwaterError, NotImplementedError):
    """Well-formed, but not implemented; the message says exactly what."""


class InternalError(HeadwaterError, RuntimeError):
    """A fault of Headwater's own."""
