"""Games on a server by the CSA protocol 1.2.1, as used by floodgate, WCSC and other servers based on shogi-server.

Lines in, events out (`protocol`, `summary`), time as the server counts it (`clock`), one game (`game`), the thread in
which its player thinks (`thinker`), lines over TCP (`connection`), logins, games and reconnects (`session`), records on
disk (`keeper`), the password (`password`). The players are those of `play`.

The protocol: http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html
The extended mode, `x1`, and what else shogi-server adds: https://github.com/TadaoYamaoka/shogi-server
"""
