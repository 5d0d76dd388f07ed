-- The objects whose namespace no longer exists: of the given namespaces, or of all where none is given. One row for every
-- resource that has such objects. The query steps from resource to resource through the primary key, as
-- namespace_is_empty does; only without given names it reads the namespaces of all objects.
CREATE OR REPLACE FUNCTION tidegate.left_behind(
  candidates text[],
  OUT namespace text, OUT resource text, OUT untouched bigint
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  gone text[];
  current text;
BEGIN
  IF candidates IS NULL THEN
    gone := ARRAY(
      SELECT DISTINCT o.namespace FROM tidegate.objects o WHERE o.namespace <> ''
      EXCEPT SELECT n.name FROM tidegate.objects n WHERE n.resource = 'namespaces'
    );
  ELSE
    gone := ARRAY(
      SELECT unnest(candidates)
      EXCEPT SELECT n.name FROM tidegate.objects n
        WHERE n.resource = 'namespaces' AND n.namespace = '' AND n.name = ANY (candidates)
    );
  END IF;
  IF cardinality(gone) = 0 THEN
    RETURN;
  END IF;
  SELECT o.resource INTO current FROM tidegate.objects o ORDER BY o.resource LIMIT 1;
  WHILE current IS NOT NULL LOOP
    RETURN QUERY
      SELECT o.namespace, current, count(*) FILTER (WHERE NOT o.deleting)
      FROM tidegate.objects o WHERE o.resource = current AND o.namespace = ANY (gone)
      GROUP BY o.namespace;
    SELECT min(o.resource) INTO current FROM tidegate.objects o WHERE o.resource > current;
  END LOOP;
END $$;
