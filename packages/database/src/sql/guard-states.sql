-- Checks guards against the present state: 0 holds, 1 fails, 2 fails because the object is being deleted.
-- Kind 0: the key exists and is not being deleted. Kind 1: no object has the key's name as its namespace.
-- Kind 2: the lease of the key's name is still held under this fencing number. Kind 3: no object has claimed the key's name.
-- Kind 4: the key has exactly this revision, 0 for none.
CREATE OR REPLACE FUNCTION tidegate.guard_states(
  kinds smallint[], resources text[], namespaces text[], names text[], fences bigint[]
) RETURNS smallint[]
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  RETURN (
    SELECT array_agg(
      (CASE
        WHEN g.kind = 1 THEN CASE WHEN tidegate.namespace_is_empty(g.name) THEN 0 ELSE 1 END
        WHEN g.kind = 2 THEN
          CASE WHEN EXISTS (SELECT FROM tidegate.leases l WHERE l.name = g.name AND l.fence = g.fence) THEN 0 ELSE 1 END
        WHEN g.kind = 3 THEN
          CASE WHEN EXISTS (SELECT FROM tidegate.objects c WHERE c.claims @> ARRAY[g.name]) THEN 1 ELSE 0 END
        WHEN g.kind = 4 THEN CASE WHEN coalesce(o.revision, 0) = g.fence THEN 0 ELSE 1 END
        WHEN o.revision IS NULL THEN 1
        WHEN o.deleting THEN 2
        ELSE 0
      END)::smallint ORDER BY g.ordinal)
    FROM unnest(kinds, resources, namespaces, names, fences) WITH ORDINALITY
      AS g (kind, resource, namespace, name, fence, ordinal)
    LEFT JOIN tidegate.objects o
      ON o.resource = g.resource AND o.namespace = g.namespace AND o.name = g.name
  );
END $$;
