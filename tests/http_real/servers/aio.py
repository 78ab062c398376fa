"""Answers as aiohttp writes them, and requests as it reads them."""

import asyncio
import hashlib

from aiohttp import web
from aiohttp.web_response import ContentCoding

TEXT = "a page reads this, a page reads this, and a page reads this once more\n" * 200


async def describe(request: web.Request) -> web.Response:
    digest, length = hashlib.sha256(), 0
    async for piece in request.content.iter_any():
        digest.update(piece)
        length += len(piece)
    return web.json_response(
        {
            "method": request.method,
            "target": request.raw_path,
            "version": list(request.version),
            "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in request.raw_headers],
            "length": length,
        }
    )


async def compressed(request: web.Request) -> web.StreamResponse:
    """aiohttp's own compression, in one piece or as a stream."""
    coding = ContentCoding(request.query["coding"])
    if "stream" not in request.query:
        response = web.Response(text=TEXT)
        response.enable_compression(coding)
        return response
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    response.enable_compression(coding)
    await response.prepare(request)
    for line in TEXT.splitlines(keepends=True):
        await response.write(line.encode())
    await response.write_eof()
    return response


async def drip(request: web.Request) -> web.StreamResponse:
    """A piece every so often, each of which should arrive at once."""
    response = web.StreamResponse()
    await response.prepare(request)
    for number in range(5):
        await response.write(b"%d" % number)
        await asyncio.sleep(0.2)
    return response


async def main() -> None:
    application = web.Application(client_max_size=1 << 40)
    application.router.add_get("/compressed", compressed)
    application.router.add_get("/drip", drip)
    application.router.add_route("*", "/describe", describe)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    print(f"listening on {host}:{port}", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
