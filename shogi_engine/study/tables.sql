-- The tables of the problems; see common.database.

-- version 1
CREATE TABLE problems (
    id TEXT PRIMARY KEY,
    content TEXT NOT NULL,  -- JSON of a Problem
    card TEXT NOT NULL,  -- of the scheduler, JSON
    due REAL NOT NULL  -- Unix time, as all of these
);
CREATE INDEX problems_by_due ON problems (due);
CREATE TABLE reviews (
    problem TEXT NOT NULL REFERENCES problems (id),
    at REAL NOT NULL,
    rating INTEGER NOT NULL
);

-- version 2: several users of a server have problems of their own
CREATE TABLE owned_problems (
    owner TEXT NOT NULL,  -- '' of the terminal, else as in web.store
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    card TEXT NOT NULL,
    due REAL NOT NULL,
    PRIMARY KEY (owner, id)
);
INSERT INTO owned_problems SELECT '', id, content, card, due FROM problems ORDER BY rowid;
CREATE TABLE owned_reviews (
    owner TEXT NOT NULL,
    problem TEXT NOT NULL,
    at REAL NOT NULL,
    rating INTEGER NOT NULL,
    FOREIGN KEY (owner, problem) REFERENCES owned_problems (owner, id)
);
INSERT INTO owned_reviews SELECT '', problem, at, rating FROM reviews ORDER BY rowid;
DROP TABLE reviews;
DROP TABLE problems;
ALTER TABLE owned_problems RENAME TO problems;
ALTER TABLE owned_reviews RENAME TO reviews;
CREATE INDEX problems_by_due ON problems (owner, due);
