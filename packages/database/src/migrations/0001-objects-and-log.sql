-- The current state of every object, the log of changes, and the one row that orders them.

CREATE TABLE tidegate.objects (
  resource   text COLLATE "C" NOT NULL,
  namespace  text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  uid        text NOT NULL,
  created    bigint NOT NULL,
  revision   bigint NOT NULL,
  splice     integer NOT NULL,
  checksum   integer NOT NULL,
  deleting   boolean NOT NULL,
  expires_at timestamptz,
  selection  bytea,
  value      bytea NOT NULL,
  PRIMARY KEY (resource, namespace, name)
) WITH (
  -- leaves room on the page for the next version of a row, so that updates do not change indexes
  fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05
);

-- The new value of a change is the previous value of the key's next change, or the value in objects if there is no later
-- change. The log is a ring of slots: the head names the current one, and compaction truncates the next one. So rows are
-- never deleted one by one, and no table is created or dropped while the store runs.
CREATE TABLE tidegate.log (
  revision           bigint NOT NULL,
  previous_revision  bigint NOT NULL,
  committed_at       timestamptz NOT NULL,
  operation_id       uuid NOT NULL,
  epoch              integer NOT NULL,
  previous_splice    integer,
  slot               smallint NOT NULL,
  kind               smallint NOT NULL,
  previous_deleting  boolean,
  resource           text COLLATE "C" NOT NULL,
  namespace          text COLLATE "C" NOT NULL,
  name               text COLLATE "C" NOT NULL,
  previous_uid       text,
  previous_selection bytea,
  previous_value     bytea
) PARTITION BY LIST (slot);

DO $$
BEGIN
  FOR slot IN 0..7 LOOP
    EXECUTE format('CREATE TABLE tidegate.log_%s PARTITION OF tidegate.log FOR VALUES IN (%s)', slot, slot);
    -- rows are never updated or deleted, so vacuum is only needed for freezing
    EXECUTE format('ALTER TABLE tidegate.log_%s SET (autovacuum_vacuum_insert_threshold = -1)', slot);
  END LOOP;
END $$;

CREATE INDEX log_revision ON tidegate.log (revision);
CREATE INDEX log_operation_id ON tidegate.log (operation_id);
CREATE INDEX log_previous_revision ON tidegate.log (previous_revision) WHERE previous_revision > 0;

-- lz4 takes a tenth of the time of the default compression; a server may be built without it
DO $$
BEGIN
  ALTER TABLE tidegate.objects ALTER COLUMN value SET COMPRESSION lz4;
  ALTER TABLE tidegate.log ALTER COLUMN previous_value SET COMPRESSION lz4;
  FOR slot IN 0..7 LOOP
    EXECUTE format('ALTER TABLE tidegate.log_%s ALTER COLUMN previous_value SET COMPRESSION lz4', slot);
  END LOOP;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END $$;

-- One row, whose lock serializes all commits.
CREATE TABLE tidegate.head (
  only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  revision          bigint NOT NULL,
  -- the oldest revision at which a list is exact: every change after it is in the log
  floor             bigint NOT NULL,
  epoch             integer NOT NULL,
  timeline          text NOT NULL,
  system_identifier text NOT NULL,
  slot              smallint NOT NULL,
  slot_started_at   timestamptz NOT NULL,
  -- the start revision of each slot; the changes of the slot are above it
  slot_starts       bigint[] NOT NULL
) WITH (fillfactor = 10);

INSERT INTO tidegate.head (revision, floor, epoch, timeline, system_identifier, slot, slot_started_at, slot_starts)
VALUES (
  1, 1, 1,
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
  (SELECT system_identifier::text FROM pg_control_system()),
  0, clock_timestamp(), array_fill(1::bigint, ARRAY[8])
);

-- A failover may lose the newest commits. Revisions between the two numbers may have been used by lost commits.
CREATE TABLE tidegate.epochs (
  epoch          integer PRIMARY KEY,
  last_surviving bigint NOT NULL,
  first_new      bigint NOT NULL,
  opened_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO tidegate.epochs (epoch, last_surviving, first_new) VALUES (1, 1, 2);
