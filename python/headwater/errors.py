"""The four ways a request can fail. Each is also the built-in exception it is a kind of."""


class HeadwaterError(Exception):
    """The base class of all errors of Headwater."""


class InputError(HeadwaterError, ValueError):
    """The caller can correct it: a text, an option, a target."""


class FormatError(HeadwaterError, OSError):
    """A file is broken; the message names file, key and offset."""


class Unsupported(HeadwaterError, NotImplementedError):
    """Well-formed, but not implemented; the message says what exactly."""


class InternalError(HeadwaterError, RuntimeError):
    """A bug in Headwater."""
