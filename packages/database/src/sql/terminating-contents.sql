-- The terminating namespaces, or the given one, each with a row for every resource that it has objects of, or with one row
-- without a resource. The query steps from resource to resource through the primary key, as
-- namespace_is_empty does, for all namespaces at once.
CREATE OR REPLACE FUNCTION tidegate.terminating_contents(
  only_namespace text,
  OUT namespace text, OUT namespace_revision bigint, OUT resource text, OUT objects bigint, OUT untouched bigint,
  OUT newest bigint
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
  PERFORM FROM tidegate.objects n WHERE n.resource = 'namespaces' AND n.deleting LIMIT 1;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH RECURSIVE kinds (name) AS (
    (SELECT o.resource FROM tidegate.objects o ORDER BY o.resource LIMIT 1)
    UNION ALL
    SELECT (SELECT min(o.resource) FROM tidegate.objects o WHERE o.resource > k.name) FROM kinds k
    WHERE k.name IS NOT NULL
  )
  SELECT n.name, n.revision, c.resource, c.objects, c.untouched, c.newest
  FROM tidegate.objects n
  LEFT JOIN LATERAL (
    SELECT k.name AS resource, count(*) AS objects, count(*) FILTER (WHERE NOT o.deleting) AS untouched,
      max(o.revision) AS newest
    FROM kinds k JOIN tidegate.objects o ON o.resource = k.name AND o.namespace = n.name
    GROUP BY k.name
  ) c ON true
  WHERE n.resource = 'namespaces' AND n.deleting AND only_namespace IN ('', n.name);
END $$;
