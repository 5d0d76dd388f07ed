-- The state of the dependents of each uid, in order: whether there are any, whether one of them waits for dependents of its
-- own, and whether one of them blocks the owner. The dependents of an object in a namespace are in that namespace; no
-- object blocks itself.
CREATE OR REPLACE FUNCTION tidegate.dependent_states(
  uids text[], owner_namespaces text[], OUT place integer, OUT are_there boolean, OUT wait boolean, OUT block boolean
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
BEGIN
  RETURN QUERY
  SELECT
    w.ordinal::integer,
    EXISTS (
      SELECT FROM tidegate.objects o
      WHERE o.ties && ARRAY['owner/' || w.uid, 'blocks/' || w.uid] AND w.namespace IN ('', o.namespace)
    ),
    EXISTS (
      SELECT FROM tidegate.objects o
      WHERE o.ties && ARRAY['owner/' || w.uid, 'blocks/' || w.uid] AND o.ties @> '{waits/foreground}'
        AND w.namespace IN ('', o.namespace)
    ),
    EXISTS (
      SELECT FROM tidegate.objects o
      WHERE o.ties @> ARRAY['blocks/' || w.uid] AND o.uid <> w.uid AND w.namespace IN ('', o.namespace)
    )
  FROM unnest(uids, owner_namespaces) WITH ORDINALITY AS w (uid, namespace, ordinal);
END $$;
