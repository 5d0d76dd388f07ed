-- States in the log are checked when they are read, as those in objects are.
ALTER TABLE tidegate.log ADD COLUMN previous_checksum integer;

-- What ends by itself is found without a look at anything else.
CREATE INDEX objects_expires_at ON tidegate.objects (expires_at) WHERE expires_at IS NOT NULL;

-- When the server that wrote last was started: another time means that it may be another server.
ALTER TABLE tidegate.head ADD COLUMN server_started_at timestamptz NOT NULL DEFAULT '-infinity';

-- It answers with one more column now.
DROP FUNCTION IF EXISTS tidegate.read_log(bigint, bigint, integer, bigint);
