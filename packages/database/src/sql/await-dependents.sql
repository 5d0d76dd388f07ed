-- Makes the owner with this key and uid wait until no dependent blocks it, and makes its dependents suspects. The owner is
-- examined again after a time in any case.
CREATE OR REPLACE FUNCTION tidegate.await_dependents(
  owner_resource text, owner_namespace text, owner_name text, owner_uid text, seen bigint, at_latest interval
) RETURNS void
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
BEGIN
  UPDATE tidegate.suspects s SET waits_as = owner_uid, due = clock_timestamp() + at_latest
  WHERE s.resource = owner_resource AND s.namespace = owner_namespace AND s.name = owner_name AND s.reason = seen;
  INSERT INTO tidegate.suspects AS s (resource, namespace, name, reason, due, attempts)
  SELECT o.resource, o.namespace, o.name, seen, clock_timestamp(), 0 FROM tidegate.objects o
  WHERE o.ties && ARRAY['owner/' || owner_uid, 'blocks/' || owner_uid] AND o.uid <> owner_uid AND NOT o.deleting
  ON CONFLICT ON CONSTRAINT suspects_pkey DO UPDATE SET reason = s.reason + 1, due = least(s.due, excluded.due);
END $$;
