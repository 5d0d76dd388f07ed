-- Judges guards against the present state: 0 holds, 1 fails, 2 fails because the object is being deleted.
-- Kind 0: the key exists and is not being deleted. Kind 1: no object has the key's name as its namespace.
CREATE OR REPLACE FUNCTION tidegate.guard_states(
  kinds smallint[], resources text[], namespaces text[], names text[]
) RETURNS smallint[]
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  RETURN (
    SELECT array_agg(
      (CASE
        WHEN g.kind = 1 THEN CASE WHEN tidegate.namespace_is_empty(g.name) THEN 0 ELSE 1 END
        WHEN o.revision IS NULL THEN 1
        WHEN o.deleting THEN 2
        ELSE 0
      END)::smallint ORDER BY g.ordinal)
    FROM unnest(kinds, resources, namespaces, names) WITH ORDINALITY AS g (kind, resource, namespace, name, ordinal)
    LEFT JOIN tidegate.objects o
      ON o.resource = g.resource AND o.namespace = g.namespace AND o.name = g.name
  );
END $$;
