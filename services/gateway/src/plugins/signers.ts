import { isDeepStrictEqual } from 'node:util';
import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { certificateOrganizations } from './certificate-request.ts';
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
