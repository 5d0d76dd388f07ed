-- Reads many keys in one snapshot; keys that do not exist have no row. A value above max_bytes is left out (it is null):
-- many of them would be more than one answer can hold.
CREATE OR REPLACE FUNCTION tidegate.read_batch(
  resources text[], namespaces text[], names text[], max_bytes bigint,
  OUT place integer, OUT revision bigint, OUT uid text, OUT deleting boolean, OUT splice integer,
  OUT checksum integer, OUT selection bytea, OUT value bytea
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
  RETURN QUERY
  SELECT
    k.ordinal::integer, o.revision, o.uid, o.deleting, o.splice, o.checksum, o.selection,
    CASE WHEN octet_length(o.value) <= max_bytes THEN o.value END
  FROM unnest(resources, namespaces, names) WITH ORDINALITY AS k (resource, namespace, name, ordinal)
  JOIN tidegate.objects o ON o.resource = k.resource AND o.namespace = k.namespace AND o.name = k.name;
END $$;
