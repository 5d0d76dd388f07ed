-- Work that only one replica does. The fence grows with each new holder, so that writes of an old holder are rejected.
CREATE TABLE tidegate.leases (
  name       text PRIMARY KEY,
  holder     text NOT NULL,
  fence      bigint NOT NULL,
  expires_at timestamptz NOT NULL
);
