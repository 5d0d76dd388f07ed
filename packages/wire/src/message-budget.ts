import protobuf from 'protobufjs';

/** Fewer bytes cannot become too many values. */
const SMALL_BYTES = 256 << 10;
/** A service sends some hundred keys or writes in one message at most. */
const MAX_PARTS = 200_000;
const LENGTH_DELIMITED = 2;

/**
 * Throws for a message that would be decoded into very many values, before it is decoded. Without this bound a service
 * that is faulty, or under an attacker's control, could block the event loop of another service with one message.
 */
export function rejectManyParts(type: protobuf.Type, bytes: Uint8Array): void {
  if (bytes.length <= SMALL_BYTES) return;
  const reader = protobuf.Reader.create(bytes);
  let left = MAX_PARTS;
  const count = (message: protobuf.Type, end: number): void => {
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = message.fieldsById[tag >>> 3];
      const inner = field?.resolvedType;
      // packed numbers are counted by their bytes: each takes at least one
      const isNumbers = field?.repeated === true && field.type in protobuf.types.packed;
      const isPacked = isNumbers && (tag & 7) === LENGTH_DELIMITED;
      const from = reader.pos;
      if ((tag & 7) === LENGTH_DELIMITED && inner instanceof protobuf.Type) count(inner, reader.uint32() + reader.pos);
      else reader.skipType(tag & 7);
      left -= isPacked ? reader.pos - from : 1;
      if (left < 0) throw new Error(`the message ${type.name} has more than ${MAX_PARTS} parts and is rejected`);
    }
  };
  count(type, bytes.length);
}
