-- What ties an object to others: `owner/UID` for each owner that it names, `blocks/UID` where that owner waits for it, and
-- `waits/foreground` or `waits/orphan` while it is itself an owner on its way out. By these words the garbage collector
-- finds dependents without reading objects. They stand in the clear for encrypted resources, too: a uid is a random number
-- that says nothing of what is in an object, as the column uid itself.
ALTER TABLE tidegate.objects ADD COLUMN ties text[];
-- no pending list: a search must not read through it, and nobody's commit must empty it
CREATE INDEX objects_ties ON tidegate.objects USING gin (ties) WITH (fastupdate = off) WHERE ties IS NOT NULL;

-- The change gave its key other ties than it had; null where it did not.
ALTER TABLE tidegate.log ADD COLUMN tied boolean;

-- Objects that the garbage collector has yet to look at: it may die at any point and goes on from here.
CREATE TABLE tidegate.suspects (
  resource   text COLLATE "C" NOT NULL,
  namespace  text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  -- grows whenever there is a new reason to look, so that a look at an older state settles nothing
  reason     bigint NOT NULL,
  due        timestamptz NOT NULL,
  attempts   integer NOT NULL,
  -- the uid of an owner whose blocking dependents are still there: due at once when the last of them is gone
  waits_as   text,
  PRIMARY KEY (resource, namespace, name)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX suspects_due ON tidegate.suspects (due);
CREATE INDEX suspects_waiting ON tidegate.suspects (waits_as) WHERE waits_as IS NOT NULL;

-- One row: all changes through this revision have been looked through for suspects.
CREATE TABLE tidegate.suspected (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  through  bigint NOT NULL
);
INSERT INTO tidegate.suspected (through) VALUES (0);

-- Namespaces on their way out are looked for all the time.
CREATE INDEX objects_terminating ON tidegate.objects (name) WHERE resource = 'namespaces' AND deleting;

-- It takes one more array now.
DROP FUNCTION IF EXISTS tidegate.commit_batch(
  smallint[], text[], text[], text[], uuid[], bigint[], text[], bigint[], text[], boolean[], integer[], integer[],
  integer[], text[], integer[], integer[], integer[], bytea, smallint[], text[], text[], text[], bigint[], integer[],
  integer[], integer[], boolean);
