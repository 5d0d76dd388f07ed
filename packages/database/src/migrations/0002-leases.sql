-- Work that one replica does for all. The fence grows with each new holder, so that an old one can be told apart.
CREATE TABLE tidegate.leases (
  name       text PRIMARY KEY,
  holder     text NOT NULL,
  fence      bigint NOT NULL,
  expires_at timestamptz NOT NULL
);
