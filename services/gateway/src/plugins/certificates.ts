import { isDeepStrictEqual } from 'node:util';
import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { type Admitted, type Plugin, refused, specOf } from './plugin.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
const BUNDLES = 'clustertrustbundles.certificates.k8s.io';

/** A certificate request can be approved only by users with the permission `approve` for its signer. */
export const certificateApproval: Plugin = {
  name: 'CertificateApproval',
  handles: [`UPDATE ${REQUESTS}/approval`],
  validate: async (admitted) => {
    const signer = signerOf(admitted.old);
    if (await mayFor(admitted, 'approve', signer)) return;
    throw refused(admitted, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
  },
};

/** The certificate of a request can be written only by users with the permission `sign` for its signer. */
export const certificateSigning: Plugin = {
  name: 'CertificateSigning',
  handles: [`UPDATE ${REQUESTS}/status`],
  validate: async (admitted) => {
    const { object, old } = admitted;
    if (
      ['certificate', 'conditions'].every((field) => isDeepStrictEqual(inStatus(object, field), inStatus(old, field)))
    )
      return;
    const signer = signerOf(old);
    if (await mayFor(admitted, 'sign', signer)) return;
    throw refused(admitted, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
  },
};

/** A trust bundle of a signer can be written only by users with the permission `attest` for that signer. */
export const clusterTrustBundleAttest: Plugin = {
  name: 'ClusterTrustBundleAttest',
  handles: [`CREATE ${BUNDLES}`, `UPDATE ${BUNDLES}`],
  validate: async (admitted) => {
    const { object, old } = admitted;
    const signer = signerOf(object);
    if (signer === '' || (old !== undefined && isSameBundle(object, old))) return;
    if (await mayFor(admitted, 'attest', signer)) return;
    throw refused(admitted, `user not permitted to attest for signerName ${JSON.stringify(signer)}`);
  },
};

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const SUPERUSER_GROUP = 'system:masters';

/** Rejects requests for client certificates in the group system:masters, which has all rights. */
export const certificateSubjectRestriction: Plugin = {
  name: 'CertificateSubjectRestriction',
  handles: [`CREATE ${REQUESTS}`],
  validate: (admitted) => {
    const { object } = admitted;
    if (signerOf(object) !== CLIENT_SIGNER) return;
    const organizations = certificateOrganizations(String(specOf(object).request ?? ''));
    if (organizations === undefined) throw refused(admitted, 'failed to parse CSR: it is not a certificate request');
    if (!organizations.includes(SUPERUSER_GROUP)) return;
    throw refused(admitted, `use of ${CLIENT_SIGNER} signer with ${SUPERUSER_GROUP} group is not allowed`);
  },
};

function signerOf(object: JsonObject | undefined): string {
  return object === undefined ? '' : String(specOf(object).signerName ?? '');
}

/** Whether the user has the permission for this signer, or for all signers of its domain. */
function mayFor({ lookups, request }: Admitted, verb: string, signer: string): Promise<boolean> {
  const access = { verb, isResource: true, group: 'certificates.k8s.io', version: '*', resource: 'signers' };
  const [domain = ''] = signer.split('/');
  return lookups.authorizer.may(
    request.user,
    ...[signer, `${domain}/*`].map((name) => hypotheticalRequest({ ...access, name })),
  );
}

function inStatus(object: JsonObject | undefined, field: string): unknown {
  const status = object?.status;
  const value = isJsonObject(status) ? status[field] : undefined;
  return value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;
}

/** Compares the objects without the fields that the garbage collector and the server write. */
function isSameBundle(object: JsonObject, old: JsonObject): boolean {
  return isDeepStrictEqual(withoutServerFields(object), withoutServerFields(old));
}

function withoutServerFields(object: JsonObject): unknown {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...meta } = metaOf(object);
  return { ...object, metadata: meta };
}

/** `organizationName`, 2.5.4.10 */
const ORGANIZATION = Buffer.from([0x55, 0x04, 0x0a]);
const TAG = { oid: 0x06, sequence: 0x30, set: 0x31, bmp: 0x1e } as const;

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * The organizations in the subject of a certificate request (PKCS #10 as PEM, in base64); undefined if it cannot be
 * parsed. The request is a sequence whose first element is a sequence of version and subject; the subject is a sequence
 * of sets of pairs of name and value.
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
  // BMPString: two bytes for each character, high byte first
  return [
    Buffer.from(value.content.subarray(0, value.content.length & ~1))
      .swap16()
      .toString('utf16le'),
  ];
}

function inner(element: Element | undefined, tag: number): Element[] {
  if (element?.tag !== tag) throw new RangeError('unexpected DER element');
  return elements(element.content);
}

/** The consecutive elements of DER: each has a tag, a length and content. */
function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const sizeBytes = first < 0x80 ? 0 : first & 0x7f;
    const length = sizeBytes === 0 ? first : bytes.readUIntBE(at + 2, sizeBytes);
    const from = at + 2 + sizeBytes;
    if (from + length > bytes.length) throw new RangeError('a DER element is longer than its parent');
    found.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return found;
}
