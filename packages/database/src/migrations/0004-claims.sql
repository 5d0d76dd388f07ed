-- What one object alone may have: addresses, ports. Free again when the object is gone, without anybody's doing.
ALTER TABLE tidegate.objects ADD COLUMN claims text[];
CREATE INDEX objects_claims ON tidegate.objects USING gin (claims) WHERE claims IS NOT NULL;

-- It takes one more array now.
DROP FUNCTION IF EXISTS tidegate.commit_batch(
  smallint[], text[], text[], text[], uuid[], bigint[], text[], bigint[], text[], boolean[], integer[], integer[],
  integer[], integer[], integer[], integer[], bytea, smallint[], text[], text[], text[], bigint[], integer[], integer[],
  integer[], boolean);
