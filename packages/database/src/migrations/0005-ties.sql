-- The relations of an object to others: `owner/UID` for each owner, `blocks/UID` for an owner that waits for it, and
-- `waits/foreground` or `waits/orphan` while it is an owner that is being deleted. The garbage collector finds dependents by
-- these words without reading objects. They are not encrypted for encrypted resources, like the column uid, because a uid
-- is a random number that reveals nothing about an object.
ALTER TABLE tidegate.objects ADD COLUMN ties text[];
-- no pending list, because searches would have to scan it, and a commit would have to flush it
CREATE INDEX objects_ties ON tidegate.objects USING gin (ties) WITH (fastupdate = off) WHERE ties IS NOT NULL;

-- True if the change modified the ties of its key; otherwise null.
ALTER TABLE tidegate.log ADD COLUMN tied boolean;

-- Objects that the garbage collector must examine. It may crash at any point, and continues from here.
CREATE TABLE tidegate.suspects (
  resource   text COLLATE "C" NOT NULL,
  namespace  text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  -- grows with each new reason to examine the object, so that the result for an older state is discarded
  reason     bigint NOT NULL,
  due        timestamptz NOT NULL,
  attempts   integer NOT NULL,
  -- the uid of an owner with blocking dependents; it becomes due when the last of them is deleted
  waits_as   text,
  PRIMARY KEY (resource, namespace, name)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX suspects_due ON tidegate.suspects (due);
CREATE INDEX suspects_waiting ON tidegate.suspects (waits_as) WHERE waits_as IS NOT NULL;

-- One row: changes through this revision have been searched for suspects.
CREATE TABLE tidegate.suspected (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  through  bigint NOT NULL
);
INSERT INTO tidegate.suspected (through) VALUES (0);

-- Finds namespaces that are being deleted, which are polled often.
CREATE INDEX objects_terminating ON tidegate.objects (name) WHERE resource = 'namespaces' AND deleting;

-- The function has one more parameter now.
DROP FUNCTION IF EXISTS tidegate.commit_batch(
  smallint[], text[], text[], text[], uuid[], bigint[], text[], bigint[], text[], boolean[], integer[], integer[],
  integer[], text[], integer[], integer[], integer[], bytea, smallint[], text[], text[], text[], bigint[], integer[],
  integer[], integer[], boolean);
