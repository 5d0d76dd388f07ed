-- Values that only one object may have: addresses, ports. They are free again as soon as the object is deleted.
ALTER TABLE tidegate.objects ADD COLUMN claims text[];
CREATE INDEX objects_claims ON tidegate.objects USING gin (claims) WHERE claims IS NOT NULL;

-- The function has one more parameter now.
DROP FUNCTION IF EXISTS tidegate.commit_batch(
  smallint[], text[], text[], text[], uuid[], bigint[], text[], bigint[], text[], boolean[], integer[], integer[],
  integer[], integer[], integer[], integer[], bytea, smallint[], text[], text[], text[], bigint[], integer[], integer[],
  integer[], boolean);
