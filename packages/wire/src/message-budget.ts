import protobuf from 'protobufjs';

/** What fewer bytes are made into is bounded by their number. */
const SMALL_BYTES = 256 << 10;
/** A part of the system asks for hundreds of things in one message at most. */
const MOST_PARTS = 200_000;
const LENGTH_DELIMITED = 2;

/**
 * Refuses a message from another part that would be made into very many values, before anything is made of it: a part that
 * has gone astray, or is somebody else's by now, holds up nobody by what it sends.
 */
export function refuseManyParts(type: protobuf.Type, bytes: Uint8Array): void {
  if (bytes.length <= SMALL_BYTES) return;
  const reader = protobuf.Reader.create(bytes);
  let left = MOST_PARTS;
  const look = (message: protobuf.Type, end: number): void => {
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = message.fieldsById[tag >>> 3];
      const inner = field?.resolvedType;
      // numbers in one field are counted by their bytes: there are no more of them
      const isNumbers = field?.repeated === true && field.type in protobuf.types.packed;
      const isPacked = isNumbers && (tag & 7) === LENGTH_DELIMITED;
      const from = reader.pos;
      if ((tag & 7) === LENGTH_DELIMITED && inner instanceof protobuf.Type) look(inner, reader.uint32() + reader.pos);
      else reader.skipType(tag & 7);
      left -= isPacked ? reader.pos - from : 1;
      if (left < 0) throw new Error(`a message ${type.name} with more than ${MOST_PARTS} parts is not read`);
    }
  };
  look(type, bytes.length);
}
