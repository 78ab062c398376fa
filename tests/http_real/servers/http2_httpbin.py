"""httpbin for hypercorn, which sends a head only with the first piece of a body: one without pieces gets an empty one."""

from httpbin import app as httpbin


def app(environ, start_response):
    pieces = httpbin(environ, start_response)
    try:
        yield b""
        yield from pieces
    finally:
        if hasattr(pieces, "close"):
            pieces.close()
