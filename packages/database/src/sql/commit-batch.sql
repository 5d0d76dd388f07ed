-- Commits a batch of writes and gives each that succeeds the next revision, in the order of the arrays.
--
-- The first statement locks the head row. The function is VOLATILE and runs at READ COMMITTED, so every later
-- statement sees all that was committed before the lock was acquired; no other call can write until this call ends. The
-- caller passes each key at most once, and no key that a guard of another write names, so all writes can be checked
-- together against the state before the batch.
--
-- A write whose operation id is in the log was executed by an earlier call: its recorded revision is the result. Every id
-- is looked up, because a call whose client has timed out may still wait for the lock when its repetition is done.
--
-- The result: when this call committed every write, the i-th has the revision first_revision + i - 1, and report is null
-- (all were creates) or has only the replaced revisions and uids; otherwise report has the outcome of every write. The
-- result is always small: it is sent before the commit, and a client that does not read must not keep the lock.
CREATE OR REPLACE FUNCTION tidegate.commit_batch(
  kinds smallint[], resources text[], namespaces text[], names text[], operation_ids uuid[],
  expected_revisions bigint[], expected_uids text[], sent_afters bigint[],
  uids text[], deletings boolean[], splices integer[], checksums integer[], lifetimes integer[],
  claim_texts text[], tie_texts text[], offsets integer[], value_lengths integer[], selection_lengths integer[], bytes bytea,
  guard_kinds smallint[], guard_resources text[], guard_namespaces text[], guard_names text[], guard_fences bigint[],
  guarded_writes integer[], guarded_indexes integer[], guarded_by integer[],
  notify boolean,
  OUT epoch integer, OUT first_revision bigint, OUT last_revision bigint, OUT report json
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
  guard_states smallint[];
  failed_guards smallint[];
  recorded bigint[];
  row_ids tid[];
  outcomes smallint[];
  revisions bigint[];
  current_revisions bigint[];
  current_uids text[];
  current_deletings boolean[];
  committed integer;
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

  IF EXISTS (SELECT FROM tidegate.log l WHERE l.operation_id = ANY (operation_ids)) THEN
    SELECT array_agg(l.revision ORDER BY w.ordinal) INTO recorded
    FROM unnest(operation_ids) WITH ORDINALITY AS w (operation_id, ordinal)
    LEFT JOIN tidegate.log l ON l.operation_id = w.operation_id;
  END IF;

  IF guard_kinds <> '{}' THEN
    guard_states := tidegate.guard_states(
      guard_kinds, guard_resources, guard_namespaces, guard_names, guard_fences);
    IF 1 <= ANY (guard_states) THEN
      SELECT array_agg(f.position ORDER BY w.ordinal), array_agg(f.state = 2 ORDER BY w.ordinal)
      INTO failed_guards, current_deletings
      FROM generate_series(1, cardinality(kinds)) AS w (ordinal)
      LEFT JOIN LATERAL (
        SELECT g.position::smallint AS position, guard_states[g.guard] AS state
        FROM unnest(guarded_writes, guarded_indexes, guarded_by) AS g (write, position, guard)
        WHERE g.write = w.ordinal AND guard_states[g.guard] > 0
        ORDER BY g.position LIMIT 1
      ) f ON true;
    END IF;
  END IF;

  SELECT
    array_agg(e.outcome), array_agg(e.tid), count(*) FILTER (WHERE e.outcome = 0),
    array_agg(CASE e.outcome WHEN 0 THEN head_row.revision + e.place END),
    array_agg(e.revision), array_agg(e.uid),
    array_agg(CASE e.outcome WHEN 5 THEN current_deletings[e.ordinal] ELSE e.deleting END)
  INTO outcomes, row_ids, committed, revisions, current_revisions, current_uids, current_deletings
  FROM (
    SELECT j.*, count(*) FILTER (WHERE j.outcome = 0) OVER (ORDER BY j.ordinal ROWS UNBOUNDED PRECEDING) AS place
    FROM (
      SELECT
        w.ordinal, o.ctid AS tid, o.revision, o.uid, o.deleting,
        (CASE
          WHEN recorded[w.ordinal] IS NOT NULL THEN 100
          -- it was sent before, and its change may no longer be in the log
          WHEN w.sent_after > 0 AND w.sent_after < head_row.floor THEN 8
          -- a create fails by its guards before it fails by its own key, as admission comes before storage
          WHEN w.kind = 0 AND failed_guards[w.ordinal] IS NOT NULL THEN 5
          WHEN w.kind = 0 AND o.revision IS NOT NULL THEN 2
          WHEN w.kind = 0 THEN 0
          WHEN o.revision IS NULL THEN 1
          WHEN w.expected_uid <> '' AND w.expected_uid <> o.uid THEN 4
          WHEN w.expected_revision <> 0 AND w.expected_revision <> o.revision THEN 3
          WHEN failed_guards[w.ordinal] IS NOT NULL THEN 5
          ELSE 0
        END)::smallint AS outcome
      FROM unnest(kinds, resources, namespaces, names, expected_revisions, expected_uids, sent_afters) WITH ORDINALITY
        AS w (kind, resource, namespace, name, expected_revision, expected_uid, sent_after, ordinal)
      LEFT JOIN tidegate.objects o
        ON o.resource = w.resource AND o.namespace = w.namespace AND o.name = w.name
    ) j
  ) e;

  first_revision := head_row.revision + 1;
  last_revision := head_row.revision + committed;

  IF committed > 0 THEN
    INSERT INTO tidegate.log (
      slot, revision, kind, resource, namespace, name, operation_id, epoch, committed_at,
      previous_revision, previous_value, previous_splice, previous_checksum, previous_selection, previous_uid,
      previous_deleting, tied
    )
    SELECT
      head_row.slot, w.revision, w.kind, w.resource, w.namespace, w.name, w.operation_id, head_row.epoch,
      clock_timestamp(), coalesce(o.revision, 0), o.value, o.splice, o.checksum, o.selection, o.uid, o.deleting,
      CASE WHEN o.ties IS DISTINCT FROM string_to_array(nullif(w.ties, ''), ' ') THEN true END
    FROM unnest(kinds, resources, namespaces, names, operation_ids, revisions, row_ids, tie_texts)
      AS w (kind, resource, namespace, name, operation_id, revision, tid, ties)
    LEFT JOIN tidegate.objects o ON o.ctid = w.tid
    WHERE w.revision IS NOT NULL;

    IF 0 = ANY (kinds) THEN
      INSERT INTO tidegate.objects
        (resource, namespace, name, uid, created, revision, splice, checksum, deleting, expires_at, claims, ties, selection, value)
      SELECT
        w.resource, w.namespace, w.name, w.uid, w.revision, w.revision, w.splice, w.checksum, w.deleting,
        CASE WHEN w.lifetime > 0 THEN clock_timestamp() + make_interval(secs => w.lifetime) END,
        string_to_array(nullif(w.claims, ''), ' '), string_to_array(nullif(w.ties, ''), ' '),
        CASE WHEN w.selection_length > 0
          THEN substring(bytes FROM w.start + w.value_length FOR w.selection_length) END,
        substring(bytes FROM w.start FOR w.value_length)
      FROM unnest(kinds, resources, namespaces, names, uids, revisions, splices, checksums, deletings, lifetimes,
          claim_texts, tie_texts, offsets, value_lengths, selection_lengths)
        AS w (kind, resource, namespace, name, uid, revision, splice, checksum, deleting, lifetime,
          claims, ties, start, value_length, selection_length)
      WHERE w.kind = 0 AND w.revision IS NOT NULL;
    END IF;

    IF 1 = ANY (kinds) THEN
      UPDATE tidegate.objects o SET
        uid = CASE w.uid WHEN '' THEN o.uid ELSE w.uid END,
        revision = w.revision, splice = w.splice, checksum = w.checksum, deleting = w.deleting,
        expires_at = CASE WHEN w.lifetime > 0 THEN clock_timestamp() + make_interval(secs => w.lifetime) END,
        claims = string_to_array(nullif(w.claims, ''), ' '),
        ties = string_to_array(nullif(w.ties, ''), ' '),
        selection = CASE WHEN w.selection_length > 0
          THEN substring(bytes FROM w.start + w.value_length FOR w.selection_length) END,
        value = substring(bytes FROM w.start FOR w.value_length)
      FROM unnest(kinds, uids, revisions, splices, checksums, deletings, lifetimes,
          claim_texts, tie_texts, offsets, value_lengths, selection_lengths, row_ids)
        AS w (kind, uid, revision, splice, checksum, deleting, lifetime, claims, ties, start, value_length, selection_length, tid)
      WHERE o.ctid = w.tid AND w.kind = 1 AND w.revision IS NOT NULL;
    END IF;

    IF 2 = ANY (kinds) THEN
      DELETE FROM tidegate.objects o
      USING unnest(kinds, revisions, row_ids) AS w (kind, revision, tid)
      WHERE o.ctid = w.tid AND w.kind = 2 AND w.revision IS NOT NULL;
    END IF;

    UPDATE tidegate.head h SET revision = last_revision WHERE h.only_row;
    IF notify THEN
      PERFORM pg_notify('tidegate', last_revision::text);
    END IF;
  END IF;

  IF committed < cardinality(kinds) THEN
    report := json_build_object(
      'outcomes', outcomes, 'revisions', revisions, 'recorded', recorded, 'current', current_revisions,
      'uids', current_uids, 'deleting', current_deletings, 'guards', failed_guards
    );
  ELSIF 1 = ANY (kinds) OR 2 = ANY (kinds) THEN
    report := json_build_object('current', current_revisions, 'uids', current_uids);
  END IF;
END $$;
