-- The keys of the dependents of a uid, at most max_rows.
CREATE OR REPLACE FUNCTION tidegate.dependents_of(
  owner_uid text, owner_namespace text, max_rows integer, OUT resource text, OUT namespace text, OUT name text
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
BEGIN
  RETURN QUERY
  SELECT o.resource, o.namespace, o.name FROM tidegate.objects o
  WHERE o.ties && ARRAY['owner/' || owner_uid, 'blocks/' || owner_uid] AND owner_namespace IN ('', o.namespace)
  LIMIT max_rows;
END $$;
