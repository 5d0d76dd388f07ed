-- Moves the head to the next slot of the ring after truncating it, when the present slot is old enough. Returns
-- 'rotated', 'not due', 'empty' (there is no history to truncate) or 'busy' (a reader holds the slot; the next call tries
-- again, because waiting here would block every commit).
CREATE OR REPLACE FUNCTION tidegate.rotate_log(slot_age interval) RETURNS text
LANGUAGE plpgsql VOLATILE
SET lock_timeout = '500ms'
AS $$
DECLARE
  head_row record;
  slots CONSTANT smallint := 8;
  next_slot smallint;
BEGIN
  PERFORM FROM tidegate.head h WHERE h.slot_started_at <= clock_timestamp() - slot_age;
  IF NOT FOUND THEN
    RETURN 'not due';
  END IF;

  SELECT h.revision, h.floor, h.slot, h.slot_started_at, h.slot_starts INTO STRICT head_row
  FROM tidegate.head h FOR UPDATE;
  IF head_row.slot_started_at > clock_timestamp() - slot_age THEN
    RETURN 'not due';
  END IF;
  IF head_row.floor = head_row.revision THEN
    RETURN 'empty';
  END IF;

  next_slot := (head_row.slot + 1) % slots;
  BEGIN
    EXECUTE format('LOCK TABLE tidegate.log_%s IN ACCESS EXCLUSIVE MODE NOWAIT', next_slot);
  EXCEPTION WHEN lock_not_available THEN
    RETURN 'busy';
  END;
  EXECUTE format('TRUNCATE tidegate.log_%s', next_slot);

  UPDATE tidegate.head h SET
    slot = next_slot,
    slot_started_at = clock_timestamp(),
    floor = greatest(h.floor, h.slot_starts[(next_slot + 1) % slots + 1]),
    slot_starts[next_slot + 1] = h.revision
  WHERE h.only_row;
  RETURN 'rotated';
END $$;
