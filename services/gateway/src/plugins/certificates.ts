import { isDeepStrictEqual } from 'node:util';
import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { type Admitted, type Plugin, refused, specOf } from './plugin.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
const BUNDLES = 'clustertrustbundles.certificates.k8s.io';

/** Only those approve a request for a certificate who may do it for its signer. */
export const certificateApproval: Plugin = {
  name: 'CertificateApproval',
  concerns: [`UPDATE ${REQUESTS}/approval`],
  validate: async (admitted) => {
    const signer = signerOf(admitted.old);
    if (await mayFor(admitted, 'approve', signer)) return;
    throw refused(admitted, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
  },
};

/** So it is with those who write the certificate. */
export const certificateSigning: Plugin = {
  name: 'CertificateSigning',
  concerns: [`UPDATE ${REQUESTS}/status`],
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

/** And with those who say whom a signer's certificates are to be believed by. */
export const clusterTrustBundleAttest: Plugin = {
  name: 'ClusterTrustBundleAttest',
  concerns: [`CREATE ${BUNDLES}`, `UPDATE ${BUNDLES}`],
  validate: async (admitted) => {
    const { object, old } = admitted;
    const signer = signerOf(object);
    if (signer === '' || (old !== undefined && saysTheSame(object, old))) return;
    if (await mayFor(admitted, 'attest', signer)) return;
    throw refused(admitted, `user not permitted to attest for signerName ${JSON.stringify(signer)}`);
  },
};

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = 'system:masters';

/** Nobody becomes an administrator of everything by a certificate that is signed here. */
export const certificateSubjectRestriction: Plugin = {
  name: 'CertificateSubjectRestriction',
  concerns: [`CREATE ${REQUESTS}`],
  validate: (admitted) => {
    const { object } = admitted;
    if (signerOf(object) !== CLIENT_SIGNER) return;
    const organizations = certificateOrganizations(String(specOf(object).request ?? ''));
    if (organizations === undefined) throw refused(admitted, 'failed to parse CSR: it is not a certificate request');
    if (!organizations.includes(MASTERS)) return;
    throw refused(admitted, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
  },
};

function signerOf(object: JsonObject | undefined): string {
  return object === undefined ? '' : String(specOf(object).signerName ?? '');
}

/** For this signer, or for all of its domain. */
function mayFor({ lookups, request }: Admitted, verb: string, signer: string): Promise<boolean> {
  const asked = { verb, isResource: true, group: 'certificates.k8s.io', version: '*', resource: 'signers' };
  const [domain = ''] = signer.split('/');
  return lookups.authorizer.may(
    request.user,
    ...[signer, `${domain}/*`].map((name) => hypotheticalRequest({ ...asked, name })),
  );
}

function inStatus(object: JsonObject | undefined, field: string): unknown {
  const status = object?.status;
  const value = isJsonObject(status) ? status[field] : undefined;
  return value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;
}

/** All but what the garbage collector and the server itself write. */
function saysTheSame(object: JsonObject, old: JsonObject): boolean {
  return isDeepStrictEqual(withoutUpkeep(object), withoutUpkeep(old));
}

function withoutUpkeep(object: JsonObject): unknown {
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
