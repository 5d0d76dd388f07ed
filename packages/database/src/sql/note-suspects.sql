-- Reads the changes since the last call, and adds objects that may be garbage to the suspects: objects whose ties have
-- changed, and dependents of deleted objects. Where the log does not reach back far enough, every object with ties becomes a
-- suspect. Owners that wait become due when no dependent blocks them. Returns whether there are more changes to read. A
-- suspect is only examined, so two stores may add the same suspect without harm.
CREATE OR REPLACE FUNCTION tidegate.note_suspects(max_changes integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  head_revision bigint;
  before bigint;
  last bigint;
  changes integer;
  is_known boolean;
BEGIN
  PERFORM FROM tidegate.head h, tidegate.suspected s WHERE h.revision = s.through;
  IF FOUND THEN
    RETURN false;
  END IF;
  SELECT s.through INTO STRICT before FROM tidegate.suspected s FOR UPDATE;
  SELECT h.revision INTO STRICT head_revision FROM tidegate.head h;

  SELECT count(*), max(c.revision) INTO changes, last FROM (
    SELECT l.revision FROM tidegate.log l WHERE l.revision > before AND l.revision <= head_revision
    ORDER BY l.revision LIMIT max_changes
  ) c;
  IF changes < max_changes THEN
    last := head_revision;
  END IF;

  INSERT INTO tidegate.suspects AS s (resource, namespace, name, reason, due, attempts)
  SELECT f.resource, f.namespace, f.name, last, clock_timestamp(), 0
  FROM (
    SELECT l.resource, l.namespace, l.name FROM tidegate.log l
    WHERE l.revision > before AND l.revision <= last AND l.tied AND l.kind <> 2
    UNION
    SELECT o.resource, o.namespace, o.name FROM tidegate.log l
    JOIN tidegate.objects o ON o.ties && ARRAY['owner/' || l.previous_uid, 'blocks/' || l.previous_uid]
    WHERE l.revision > before AND l.revision <= last AND l.kind = 2
  ) f
  ON CONFLICT ON CONSTRAINT suspects_pkey
  DO UPDATE SET reason = greatest(s.reason + 1, excluded.reason), due = excluded.due, attempts = 0, waits_as = NULL;

  -- a slot that was truncated in the meantime raised the floor first
  SELECT h.floor <= before AND before <= head_revision INTO STRICT is_known FROM tidegate.head h;
  IF NOT is_known THEN
    last := head_revision;
    INSERT INTO tidegate.suspects AS s (resource, namespace, name, reason, due, attempts)
    SELECT o.resource, o.namespace, o.name, last, clock_timestamp(), 0 FROM tidegate.objects o WHERE o.ties IS NOT NULL
    ON CONFLICT ON CONSTRAINT suspects_pkey
    DO UPDATE SET reason = greatest(s.reason + 1, excluded.reason), due = excluded.due, attempts = 0, waits_as = NULL;
  END IF;

  UPDATE tidegate.suspects s SET due = clock_timestamp(), reason = s.reason + 1, waits_as = NULL
  WHERE s.waits_as IS NOT NULL AND NOT EXISTS (
    SELECT FROM tidegate.objects o WHERE o.ties @> ARRAY['blocks/' || s.waits_as] AND o.uid <> s.waits_as
      AND s.namespace IN ('', o.namespace)
  );

  UPDATE tidegate.suspected s SET through = last WHERE s.only_row;
  RETURN last < head_revision;
END $$;
