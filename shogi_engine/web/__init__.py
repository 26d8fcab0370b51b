"""The board in a browser, for `serve`: a server of sessions, each with a game on a board, and the page that shows it.

    from shogi_engine.web.app import application
    app = application()  # an ASGI application, for uvicorn

`session` is one user's game, `pool` the engines that all share, `hub` the list of sessions, `guard` access control,
`messages` what a browser may send. `static/` is the page: no build step, no files from other hosts. The server needs
the extra `web`.
"""
