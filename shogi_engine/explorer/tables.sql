-- The tables of an index; see common.database.

-- version 1
CREATE TABLE facts (game TEXT NOT NULL, plies INTEGER NOT NULL);
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    identity INTEGER NOT NULL UNIQUE,  -- of what is in the record
    file TEXT NOT NULL,
    place INTEGER NOT NULL,  -- in the file, from 1
    black TEXT NOT NULL,
    white TEXT NOT NULL,
    result INTEGER NOT NULL  -- 1, 0, -1 for black; 2 if it is not known
);
CREATE TABLE moves (
    key INTEGER NOT NULL,  -- of the position, see counting.keys_of
    move INTEGER NOT NULL,  -- in the layout 'ids' of a Batch
    black INTEGER NOT NULL,  -- games that black won
    draws INTEGER NOT NULL,
    white INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    latest BLOB NOT NULL,  -- numbers of games, uint32, little-endian, oldest first
    PRIMARY KEY (key, move)
) WITHOUT ROWID;
