-- Notes the server of this call, under the head's lock. It is called when the server's start time differs from that of the
-- server that wrote last. A restart has no other effect; where the timeline or the system's identity differs, too, the newest
-- commits may be lost, and a new epoch begins.
CREATE OR REPLACE FUNCTION tidegate.note_server(OUT revision bigint, OUT epoch integer, OUT moved boolean)
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  head_row record;
BEGIN
  SELECT * INTO STRICT head_row FROM tidegate.head h FOR UPDATE;
  moved := head_row.timeline <> left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
    OR head_row.system_identifier <> (SELECT c.system_identifier::text FROM pg_control_system() c);
  IF moved THEN
    PERFORM tidegate.open_epoch();
  END IF;
  UPDATE tidegate.head h SET server_started_at = pg_postmaster_start_time() WHERE h.only_row
  RETURNING h.revision, h.epoch INTO STRICT revision, epoch;
END $$;
