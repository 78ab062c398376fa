"""Answers as Python's own http.server writes them, down to framings that only a hand at the socket makes."""

import gzip
import json
import queue
import socket
import struct
import sys
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXT = b"a page reads this, a page reads this, and a page reads this once more\n" * 200
#: One for each answer that may break off now.
GO: "queue.Queue[None]" = queue.Queue()
#: What happened to requests that never got an answer.
ENDED: "queue.Queue[str]" = queue.Queue()


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body=b"", status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers and "Transfer_Encoding" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunks(self, *chunks: bytes, extension=b"", trailers=b""):
        for chunk in chunks:
            self.wfile.write(b"%x%s\r\n%s\r\n" % (len(chunk), extension, chunk))
        self.wfile.write(b"0%s\r\n%s\r\n" % (extension, trailers))

    def do_GET(self):
        path = self.path.strip("/").partition("?")[0].replace("-", "_")
        getattr(self, f"get_{path}")()

    do_HEAD = do_GET

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        described = {
            "line": self.requestline,
            "headers": [[name, value] for name, value in self.headers.items()],
            "length": len(body),
        }
        self.answer(json.dumps(described).encode())

    def get_zlib(self):
        self.answer(zlib.compress(TEXT), Content_Encoding="deflate")

    def get_raw(self):
        self.answer(raw_deflate(TEXT), Content_Encoding="deflate")

    def get_levels(self):
        """Raw deflate with blocks that aren't compressed: its first byte is no sign of anything."""
        packer = zlib.compressobj(level=0, wbits=-15)
        self.answer(packer.compress(TEXT) + packer.flush(), Content_Encoding="deflate")

    def get_gzip(self):
        self.answer(gzip.compress(TEXT), Content_Encoding="gzip")

    def get_members(self):
        half = len(TEXT) // 2
        self.answer(gzip.compress(TEXT[:half]) + gzip.compress(TEXT[half:]), Content_Encoding="gzip")

    def get_stacked(self):
        self.answer(zlib.compress(gzip.compress(TEXT)), Content_Encoding="gzip, deflate")

    def get_unknown(self):
        self.answer(b"not really zstd", Content_Encoding="zstd")

    def get_empty(self):
        self.answer(b"", Content_Encoding="gzip")

    def get_go(self):
        """Lets the next answer break off."""
        GO.put(None)
        self.answer()

    def get_cut(self):
        """Promises a whole body, and closes after half of it."""
        body = gzip.compress(TEXT)
        self.answer(body[: len(body) // 2], Content_Encoding="gzip", Content_Length=str(len(body)))
        GO.get(timeout=20)
        self.close_connection = True

    def get_cut_plain(self):
        self.answer(TEXT[:1000], Content_Length=str(len(TEXT)))
        GO.get(timeout=20)
        self.close_connection = True

    def get_cut_coding(self):
        """A complete body of a coding that isn't complete."""
        body = gzip.compress(TEXT)
        self.answer(Transfer_Encoding="chunked", Content_Encoding="gzip")
        self.wfile.write(b"a\r\n%s\r\n" % body[:10])
        GO.get(timeout=20)
        self.chunks(body[10 : len(body) // 2])

    def get_corrupt(self):
        """gzip whose checksum is wrong."""
        body = bytearray(gzip.compress(TEXT))
        body[-5] ^= 1
        self.answer(Transfer_Encoding="chunked", Content_Encoding="gzip")
        self.wfile.write(b"a\r\n%s\r\n" % body[:10])
        GO.get(timeout=20)
        self.chunks(bytes(body[10:]))

    def get_cut_chunk(self):
        self.answer(Transfer_Encoding="chunked")
        self.wfile.write(b"400\r\nhalf a chunk")
        GO.get(timeout=20)
        self.close_connection = True

    def get_reset(self):
        self.answer(TEXT[:1000], Content_Length=str(len(TEXT)))
        GO.get(timeout=20)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def get_part(self):
        self.answer(gzip.compress(TEXT), 206, Content_Encoding="gzip", Content_Range=f"bytes 0-9/{len(TEXT)}")

    def get_plain_part(self):
        self.answer(TEXT[:10], 206, Content_Range=f"bytes 0-9/{len(TEXT)}", Vary=self.headers.get("Accept-Encoding", "none"))

    def get_not_modified(self):
        self.answer(b"", 304, Content_Encoding="gzip", Content_Length="1234", ETag='"tag"')

    def get_no_content(self):
        self.send_response(204)
        self.send_header("Content-Encoding", "gzip")
        self.end_headers()

    def get_cookies(self):
        self.send_response(200)
        for number in range(4):
            day = ("Wed", "Thu", "Fri", "Sat")[number]
            expires = f"{day}, {21 + number} Oct 2026 07:28:00 GMT"
            self.send_header("Set-Cookie", f"c{number}=v; Expires={expires}; Path=/")
            self.send_header("X-Between", str(number))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def get_latin1(self):
        # http.server reads and writes headers as Latin-1, one byte a character.
        self.answer(self.headers["X-Word"].encode("latin-1").hex().encode(), X_Word="na\u00efve \u00ff\u0080")

    def get_chunked(self):
        self.answer(Transfer_Encoding="chunked", Trailer="X-Sum")
        self.chunks(TEXT[:10], TEXT[10:], extension=b';name="va;lue"', trailers=b"X-Sum: 1\r\n")

    def get_chunked_gzip(self):
        body = gzip.compress(TEXT)
        self.answer(Transfer_Encoding="chunked", Content_Encoding="gzip")
        self.chunks(*(body[at : at + 1] for at in range(len(body))))

    def get_until_close(self):
        """As HTTP/1.0 ends a body: with the connection."""
        self.protocol_version = "HTTP/1.0"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(TEXT)
        self.close_connection = True

    def get_informational(self):
        for status in (102, 103):
            self.send_response_only(status)
            self.send_header("Link", "</style.css>; rel=preload")
            self.end_headers()
        self.answer(b"final")

    def get_slow_head(self):
        """A head that comes a byte at a time."""
        for byte in b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-Slow: yes\r\n\r\nok":
            self.wfile.write(bytes([byte]))
            time.sleep(0.005)

    def get_never(self):
        ENDED.put("closed" if self.connection.recv(1) == b"" else "more")
        self.close_connection = True

    def get_endless(self):
        self.answer(Transfer_Encoding="chunked")
        try:
            while True:
                self.wfile.write(b"5\r\nagain\r\n")
                time.sleep(0.01)
        except OSError:
            ENDED.put("closed")
        self.close_connection = True

    def get_ended(self):
        """How the next unanswered request ended, once one has."""
        self.answer(ENDED.get(timeout=20).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
