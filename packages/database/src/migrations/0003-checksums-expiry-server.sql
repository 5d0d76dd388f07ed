-- Checksums for states in the log, as for those in objects.
ALTER TABLE tidegate.log ADD COLUMN previous_checksum integer;

-- Finds expired objects.
CREATE INDEX objects_expires_at ON tidegate.objects (expires_at) WHERE expires_at IS NOT NULL;

-- The start time of the server that wrote last. A different time may mean a different server.
ALTER TABLE tidegate.head ADD COLUMN server_started_at timestamptz NOT NULL DEFAULT '-infinity';

-- The function returns one more column now.
DROP FUNCTION IF EXISTS tidegate.read_log(bigint, bigint, integer, bigint);
