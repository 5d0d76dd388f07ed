-- The objects that exist at these keys, each with its uid, and whether it waits until its dependents are deleted.
CREATE OR REPLACE FUNCTION tidegate.owner_states(
  resources text[], namespaces text[], names text[], OUT place integer, OUT uid text, OUT waits boolean
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
  RETURN QUERY
  SELECT k.ordinal::integer, o.uid, o.deleting AND coalesce(o.ties @> '{waits/foreground}', false)
  FROM unnest(resources, namespaces, names) WITH ORDINALITY AS k (resource, namespace, name, ordinal)
  JOIN tidegate.objects o ON o.resource = k.resource AND o.namespace = k.namespace AND o.name = k.name;
END $$;
