"""The board in a browser, for `serve`: a server of sessions, each a game on a board, and the page they are played on.

    from shogi_engine.web.app import application
    app = application()  # an ASGI application, for uvicorn

`session` is what one person does, `pool` the engines that all share, `hub` who is there, `guard` who may come in,
`messages` what a browser may say. `static/` is the page: no build step, nothing from another host. The server needs
the extra `web`.
"""
