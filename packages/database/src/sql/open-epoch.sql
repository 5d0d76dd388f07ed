-- Opens a new epoch: called under the head's lock when PostgreSQL's timeline or identity has changed, which may mean
-- that the newest commits were lost. Revisions continue far above any that the lost commits can have.
CREATE OR REPLACE FUNCTION tidegate.open_epoch(OUT revision bigint, OUT epoch integer)
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  hole CONSTANT bigint := 10000000;
  last_surviving bigint;
BEGIN
  SELECT h.revision, h.epoch + 1 INTO STRICT last_surviving, epoch FROM tidegate.head h FOR UPDATE;
  revision := last_surviving + hole;
  INSERT INTO tidegate.epochs (epoch, last_surviving, first_new)
  VALUES (open_epoch.epoch, last_surviving, open_epoch.revision + 1);
  UPDATE tidegate.head h SET
    revision = open_epoch.revision,
    epoch = open_epoch.epoch,
    timeline = left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    system_identifier = (SELECT c.system_identifier::text FROM pg_control_system() c)
  WHERE h.only_row;
END $$;
