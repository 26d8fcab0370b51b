"""Games on a server by the CSA protocol 1.2.1, as used by floodgate, WCSC and other servers based on shogi-server.

Lines in, events out (`protocol`); one game, its clock as the server counts it, and the thread in which its player
thinks (`game`); lines over TCP, and the password (`connection`); logins, games, reconnects, and records on disk
(`session`). The players are those of `play`.

The protocol: http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html
The extended mode, `x1`, and what else shogi-server adds: https://github.com/TadaoYamaoka/shogi-server
"""
