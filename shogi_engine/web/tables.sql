-- The tables of the browsers' games; see common.database.

-- version 1
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,  -- '' of the terminal's games
    session TEXT NOT NULL DEFAULT '',  -- that had the game open last
    game TEXT NOT NULL,
    title TEXT,  -- NULL : of a record that was not read yet
    moves INTEGER NOT NULL DEFAULT 0,
    result TEXT NOT NULL DEFAULT '*',
    playing INTEGER NOT NULL DEFAULT 0,
    hidden INTEGER NOT NULL DEFAULT 0,  -- a problem: not in the list
    content BLOB,  -- JSON, see saved_game.py; NULL : only the record
    changed REAL NOT NULL,  -- Unix time, as all of these
    file TEXT NOT NULL,  -- of the record
    recorded REAL NOT NULL DEFAULT 0,  -- when the record was written
    deleted REAL
);
CREATE INDEX games_by_owner ON games (owner, changed);
CREATE INDEX games_by_session ON games (session);
CREATE TABLE solutions (
    solver TEXT NOT NULL,  -- the hash of an owner
    sfen TEXT NOT NULL,
    row TEXT NOT NULL,
    PRIMARY KEY (solver, sfen)
);

-- version 2: links to games
CREATE TABLE links (
    token TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    side INTEGER,
    game TEXT NOT NULL,  -- '' for a link to whatever its owner's session shows
    owner TEXT NOT NULL,
    session TEXT NOT NULL
);

-- version 3: what a game is found by, see search.py; the openings are noted when the record is written
ALTER TABLE games ADD COLUMN words TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN openings TEXT NOT NULL DEFAULT '';
UPDATE games SET words = lower(title) WHERE title IS NOT NULL;
