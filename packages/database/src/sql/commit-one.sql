-- Commits one write: the same as commit_batch with one write and at most one guard, but without arrays, so that
-- PostgreSQL needs a third less CPU time. The rules of both are the same: see there. So are the settings, because a
-- session keeps one plan for each statement of guard_states, made under the settings of the function that calls it first.
--
-- The result: outcome 0 and the revision of this call, or 100 and the revision that an earlier call of the same operation
-- has committed, or another outcome of commit_batch with the present revision, uid and state of the object.
CREATE OR REPLACE FUNCTION tidegate.commit_one(
  kind smallint, in_resource text, in_namespace text, in_name text, in_operation_id uuid,
  expected_revision bigint, expected_uid text, sent_after bigint,
  in_uid text, in_deleting boolean, in_splice integer, in_checksum integer, lifetime integer,
  claim_text text, tie_text text, in_value bytea, in_selection bytea,
  guard_kind smallint, guard_resource text, guard_namespace text, guard_name text, guard_fence bigint,
  notify boolean,
  OUT epoch integer, OUT last_revision bigint, OUT outcome smallint, OUT current_revision bigint, OUT current_uid text,
  OUT current_deleting boolean
)
LANGUAGE plpgsql VOLATILE
SET lock_timeout = '2s'
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict error
DECLARE
  head_row record;
  old record;
  guard_state smallint := 0;
  new_ties text[] := string_to_array(nullif(tie_text, ''), ' ');
  new_claims text[] := string_to_array(nullif(claim_text, ''), ' ');
  new_expiry timestamptz := CASE WHEN lifetime > 0 THEN clock_timestamp() + make_interval(secs => lifetime) END;
BEGIN
  SELECT h.revision, h.floor, h.epoch, h.slot, h.timeline, h.server_started_at INTO STRICT head_row
  FROM tidegate.head h FOR UPDATE;
  -- a standby is promoted without a restart, and a copy may have started at any time
  IF head_row.server_started_at <> pg_postmaster_start_time()
    OR head_row.timeline <> left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
  THEN
    SELECT n.revision, head_row.floor AS floor, n.epoch, head_row.slot AS slot INTO STRICT head_row FROM tidegate.note_server() n;
  END IF;
  epoch := head_row.epoch;
  last_revision := head_row.revision;

  SELECT l.revision INTO current_revision FROM tidegate.log l WHERE l.operation_id = in_operation_id;
  IF FOUND THEN
    outcome := 100;
    RETURN;
  END IF;

  SELECT o.ctid AS tid, o.revision, o.uid, o.deleting, o.ties INTO old FROM tidegate.objects o
  WHERE o.resource = in_resource AND o.namespace = in_namespace AND o.name = in_name;
  current_revision := old.revision;
  current_uid := old.uid;
  current_deleting := old.deleting;
  IF guard_kind = 0 THEN
    SELECT CASE WHEN o.deleting THEN 2 ELSE 0 END INTO guard_state FROM tidegate.objects o
    WHERE o.resource = guard_resource AND o.namespace = guard_namespace AND o.name = guard_name;
    guard_state := coalesce(guard_state, 1);
  ELSIF guard_kind > 0 THEN
    guard_state := (tidegate.guard_states(
      ARRAY[guard_kind], ARRAY[guard_resource], ARRAY[guard_namespace], ARRAY[guard_name], ARRAY[guard_fence]))[1];
  END IF;
  outcome := CASE
    -- it was sent before, and its change may no longer be in the log
    WHEN sent_after > 0 AND sent_after < head_row.floor THEN 8
    -- a create fails by its guard before it fails by its own key, as admission comes before storage
    WHEN kind = 0 AND guard_state > 0 THEN 5
    WHEN kind = 0 AND old.revision IS NOT NULL THEN 2
    WHEN kind = 0 THEN 0
    WHEN old.revision IS NULL THEN 1
    WHEN expected_uid <> '' AND expected_uid <> old.uid THEN 4
    WHEN expected_revision <> 0 AND expected_revision <> old.revision THEN 3
    WHEN guard_state > 0 THEN 5
    ELSE 0
  END;
  IF outcome = 5 THEN
    current_deleting := guard_state = 2;
  END IF;
  IF outcome <> 0 THEN
    RETURN;
  END IF;

  last_revision := head_row.revision + 1;
  IF kind = 0 THEN
    INSERT INTO tidegate.log (
      slot, revision, kind, resource, namespace, name, operation_id, epoch, committed_at, previous_revision, tied)
    VALUES (
      head_row.slot, last_revision, 0, in_resource, in_namespace, in_name, in_operation_id, head_row.epoch,
      clock_timestamp(), 0, CASE WHEN new_ties IS NOT NULL THEN true END);
    INSERT INTO tidegate.objects
      (resource, namespace, name, uid, created, revision, splice, checksum, deleting, expires_at, claims, ties, selection, value)
    VALUES (
      in_resource, in_namespace, in_name, in_uid, last_revision, last_revision, in_splice, in_checksum, in_deleting,
      new_expiry, new_claims, new_ties, nullif(in_selection, ''), in_value);
  ELSE
    INSERT INTO tidegate.log (
      slot, revision, kind, resource, namespace, name, operation_id, epoch, committed_at,
      previous_revision, previous_value, previous_splice, previous_checksum, previous_selection, previous_uid,
      previous_deleting, tied
    )
    SELECT
      head_row.slot, last_revision, commit_one.kind, in_resource, in_namespace, in_name, in_operation_id, head_row.epoch,
      clock_timestamp(), o.revision, o.value, o.splice, o.checksum, o.selection, o.uid, o.deleting,
      CASE WHEN o.ties IS DISTINCT FROM new_ties THEN true END
    FROM tidegate.objects o WHERE o.ctid = old.tid;
    IF kind = 1 THEN
      UPDATE tidegate.objects o SET
        uid = CASE in_uid WHEN '' THEN o.uid ELSE in_uid END,
        revision = last_revision, splice = in_splice, checksum = in_checksum, deleting = in_deleting,
        expires_at = new_expiry, claims = new_claims, ties = new_ties, selection = nullif(in_selection, ''),
        value = in_value
      WHERE o.ctid = old.tid;
    ELSE
      DELETE FROM tidegate.objects o WHERE o.ctid = old.tid;
    END IF;
  END IF;

  UPDATE tidegate.head h SET revision = last_revision WHERE h.only_row;
  IF notify THEN
    PERFORM pg_notify('tidegate', last_revision::text);
  END IF;
END $$;
