/** Files whose schema runs more than a queue's statements, by what is strange in them. Each is made from an empty queue. */

const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';
const M = 'harel_transport_messages';
const G = 'harel_transport_groups';

/** Moves a table out of the way, and puts another object in its place. */
const inPlaceOf = (table: string, sql: string) => `
  ALTER TABLE ${table} RENAME TO kept; DROP TRIGGER IF EXISTS ${M}_lock_changed; DROP TRIGGER IF EXISTS ${M}_lock_gone;
  ${sql}`;

/** The statements that make the file, and the name that the error must contain. */
export const HOSTILE: Record<string, readonly [sql: string, named: string]> = {
  'an endless view in place of the messages': [
    inPlaceOf(M, `CREATE VIEW ${M} AS ${ENDLESS} SELECT x AS seq, 'g' AS group_id FROM n`),
    M,
  ],
  'an endless view in place of the version': [
    `DROP TABLE harel_transport_meta;
     CREATE VIEW harel_transport_meta AS ${ENDLESS} SELECT 'schema_version' AS key, COUNT(*) AS value FROM n`,
    'harel_transport_meta',
  ],
  'a virtual table in place of the journal': [
    'DROP TABLE harel_transport_journal; CREATE VIRTUAL TABLE harel_transport_journal USING fts5(act)',
    'harel_transport_journal',
  ],
  'an endless trigger': [
    `CREATE TRIGGER endless AFTER INSERT ON ${M} BEGIN
       INSERT INTO ${G} (group_id) ${ENDLESS} SELECT 'g' || x FROM n; END`,
    'endless',
  ],
  'a trigger that deletes all other messages at a claim': [
    `CREATE TRIGGER eat AFTER UPDATE OF locked_by ON ${M} BEGIN DELETE FROM ${M} WHERE seq <> NEW.seq; END`,
    'eat',
  ],
  'a generated column': [`ALTER TABLE ${M} ADD COLUMN extra TEXT AS (hex(zeroblob(1000000)))`, 'extra'],
  'a default that is an expression': [
    `DROP TABLE harel_transport_journal; CREATE TABLE harel_transport_journal (
       id INTEGER PRIMARY KEY, at REAL, operator TEXT, act TEXT, seq INTEGER, group_id TEXT, detail TEXT,
       extra TEXT DEFAULT (hex(randomblob(1000000))))`,
    'extra',
  ],
};

/** Strange in other ways. */
export const ODD: Record<string, readonly [sql: string, named: string]> = {
  'a view in place of the dead letters': [
    `DROP TABLE harel_transport_dead_letters; CREATE VIEW harel_transport_dead_letters AS SELECT 1 AS seq`,
    'harel_transport_dead_letters',
  ],
  "a trigger of Leasehold's name that does something else": [
    `DROP TRIGGER ${M}_lock_gone;
     CREATE TRIGGER ${M}_lock_gone AFTER DELETE ON ${M} BEGIN DELETE FROM ${M}; END`,
    `${M}_lock_gone`,
  ],
  'a CHECK': [
    `DROP TABLE harel_transport_journal; CREATE TABLE harel_transport_journal (
       id INTEGER PRIMARY KEY, at REAL, operator TEXT, act TEXT, seq INTEGER, group_id TEXT, detail TEXT,
       CHECK (length(hex(zeroblob(1000000))) > 0))`,
    'harel_transport_journal',
  ],
  'an index of an expression': [`CREATE INDEX odd ON ${M} (hex(event))`, 'odd'],
  'a partial index': [`CREATE INDEX odd ON ${M} (event) WHERE length(hex(event)) > 7`, 'odd'],
  'a UNIQUE index': [`CREATE UNIQUE INDEX odd ON ${M} (group_id)`, 'odd'],
  'a foreign key that deletes with the messages': [
    `CREATE TABLE mine (job INTEGER REFERENCES ${M} (seq) ON DELETE CASCADE)`,
    'mine',
  ],
  'a view in place of a function of SQLite': [
    `CREATE VIEW pragma_table_info AS ${ENDLESS} SELECT x AS name FROM n`,
    'pragma_table_info',
  ],
};
