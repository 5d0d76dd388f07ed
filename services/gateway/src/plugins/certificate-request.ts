/** `organizationName`, 2.5.4.10 */
const ORGANIZATION = Buffer.from([0x55, 0x04, 0x0a]);
const TAG = { oid: 0x06, sequence: 0x30, set: 0x31, bmp: 0x1e } as const;

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * The organizations in the subject of a certificate request (PKCS #10 as PEM, in base64); undefined where it is none.
 * The request is a sequence whose first element is a sequence of version and subject; the subject is a sequence of sets
 * of pairs of name and value.
 */
export function certificateOrganizations(request: string): string[] | undefined {
  const der = derIn(Buffer.from(request, 'base64').toString('latin1'));
  if (der === undefined) return undefined;
  try {
    const [whole] = elements(der);
    const [info] = inner(whole, TAG.sequence);
    const [, subject] = inner(info, TAG.sequence);
    return inner(subject, TAG.sequence)
      .flatMap((set) => inner(set, TAG.set))
      .flatMap((pair) => organizationIn(inner(pair, TAG.sequence)));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const PEM = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END/;

function derIn(pem: string): Buffer | undefined {
  const [, text] = PEM.exec(pem) ?? [];
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}

function organizationIn([name, value]: readonly Element[]): string[] {
  if (name?.tag !== TAG.oid || value === undefined || !name.content.equals(ORGANIZATION)) return [];
  if (value.tag !== TAG.bmp) return [value.content.toString('utf8')];
  // two bytes a character, the high one first
  return [
    Buffer.from(value.content.subarray(0, value.content.length & ~1))
      .swap16()
      .toString('utf16le'),
  ];
}

function inner(element: Element | undefined, tag: number): Element[] {
  if (element?.tag !== tag) throw new RangeError('another element is expected here');
  return elements(element.content);
}

/** The elements that stand one after another in DER: a tag, a length, and as many bytes. */
function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const sizeBytes = first < 0x80 ? 0 : first & 0x7f;
    const length = sizeBytes === 0 ? first : bytes.readUIntBE(at + 2, sizeBytes);
    const from = at + 2 + sizeBytes;
    if (from + length > bytes.length) throw new RangeError('an element is longer than what it is in');
    found.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return found;
}
