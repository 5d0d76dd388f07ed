-- Reads the changes of a resource ('' for all) after one revision through another, in order, each with the state that
-- it made (a delete: the state that it ended), at most max_rows and about max_bytes of values. Rows of a slot that is
-- truncated while this runs are missing, never wrong. The caller notices that: for all resources the revisions have a gap,
-- for one resource the floor has risen.
CREATE OR REPLACE FUNCTION tidegate.read_log(
  after bigint, through bigint, max_rows integer, max_bytes bigint, only_resource text,
  OUT revision bigint, OUT kind smallint, OUT epoch integer, OUT resource text, OUT namespace text, OUT name text,
  OUT previous_revision bigint, OUT uid text, OUT deleting boolean, OUT splice integer, OUT checksum integer,
  OUT selection bytea, OUT value bytea
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT
    s.revision, s.kind, s.epoch, s.resource::text, s.namespace::text, s.name::text,
    s.previous_revision, s.uid, s.deleting, s.splice, s.checksum, s.selection, s.value
  FROM (
    SELECT
      c.*,
      sum(octet_length(c.value)) OVER (ORDER BY c.revision ROWS UNBOUNDED PRECEDING) - octet_length(c.value)
        AS bytes_before
    FROM (
      SELECT
        l.revision, l.kind, l.epoch, l.resource, l.namespace, l.name, l.previous_revision,
        CASE WHEN l.kind = 2 THEN l.previous_uid WHEN o.revision IS NULL THEN n.previous_uid ELSE o.uid END AS uid,
        CASE WHEN l.kind = 2 THEN l.previous_deleting WHEN o.revision IS NULL THEN n.previous_deleting
          ELSE o.deleting END AS deleting,
        CASE WHEN l.kind = 2 THEN l.previous_splice WHEN o.revision IS NULL THEN n.previous_splice
          ELSE o.splice END AS splice,
        CASE WHEN l.kind = 2 THEN l.previous_checksum WHEN o.revision IS NULL THEN n.previous_checksum
          ELSE o.checksum END AS checksum,
        CASE WHEN l.kind = 2 THEN l.previous_selection WHEN o.revision IS NULL THEN n.previous_selection
          ELSE o.selection END AS selection,
        CASE WHEN l.kind = 2 THEN l.previous_value WHEN o.revision IS NULL THEN n.previous_value
          ELSE o.value END AS value
      FROM (
        SELECT * FROM tidegate.log l
        WHERE l.revision > after AND l.revision <= through AND (only_resource = '' OR l.resource = only_resource)
        ORDER BY l.revision LIMIT max_rows
      ) l
      LEFT JOIN tidegate.objects o
        ON o.resource = l.resource AND o.namespace = l.namespace AND o.name = l.name AND o.revision = l.revision
      LEFT JOIN LATERAL (
        SELECT p.previous_uid, p.previous_deleting, p.previous_splice, p.previous_checksum, p.previous_selection,
          p.previous_value
        FROM tidegate.log p
        WHERE p.previous_revision = l.revision AND p.previous_revision > 0 AND o.revision IS NULL AND l.kind <> 2
        LIMIT 1
      ) n ON true
    ) c
  ) s
  WHERE s.bytes_before < max_bytes
  ORDER BY s.revision;
END $$;
