import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Authorizer } from '../authz/authorizer.ts';
import { readModes } from '../authz/modes.ts';
import { Policy } from '../authz/policy.ts';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { User } from '../request/user.ts';
import {
  certificateApproval,
  certificateOrganizations,
  certificateSigning,
  clusterTrustBundleAttest,
} from './certificates.ts';
import { ownerReferences } from './owner-references.ts';
import type { Lookups, Plugin } from './plugin.ts';

const registry = builtInRegistry();
const noRoles = { policy: new Policy(), isFresh: true, latest: async () => {}, through: async () => {} };
const authorizer = new Authorizer(readModes(['RBAC']), noRoles);
const lookups = { registry, authorizer } as unknown as Lookups;
const jane: User = { name: 'jane', uid: '', groups: [] };
const admin: User = { name: 'admin', uid: '', groups: ['system:masters'] };

async function validate(
  plugin: Plugin,
  path: string,
  states: { object: JsonObject; old?: JsonObject; user?: User },
): Promise<void> {
  const [group = '', version = '', resource = '', subresource = ''] = path.split('/');
  const info = hypotheticalRequest({
    verb: 'update',
    isResource: true,
    group,
    version,
    resource,
    subresource,
    name: 'a',
  });
  const kind = registry.find(group, version, resource);
  const request = { info, kind, user: states.user ?? jane, warnings: [] } as unknown as ResourceRequest;
  await plugin.validate?.({ lookups, request, object: states.object, old: states.old });
}

const owned = (...owners: JsonObject[]): JsonObject => ({ metadata: { name: 'a', ownerReferences: owners } });
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
const blocking = { ...owner, blockOwnerDeletion: true };

test('an owner can be set only with the permission to delete the object, or on creation', async () => {
  const path = '/v1/configmaps';
  await validate(ownerReferences, path, { object: owned(owner) });
  await validate(ownerReferences, path, { object: owned(owner), old: owned(owner) });
  await validate(ownerReferences, path, { object: owned(owner), old: owned(), user: admin });
  const words = /configmaps "a" is forbidden: cannot set an ownerRef on a resource you can't delete/;
  await assert.rejects(() => validate(ownerReferences, path, { object: owned(owner), old: owned() }), words);
});

test('blockOwnerDeletion needs the permission to update the finalizers of the owner', async () => {
  const path = '/v1/configmaps';
  await validate(ownerReferences, path, { object: owned(blocking), user: admin });
  const words = /cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on/;
  await assert.rejects(() => validate(ownerReferences, path, { object: owned(blocking) }), words);
  const unknown = { ...blocking, kind: 'Unknown' };
  await assert.rejects(
    () => validate(ownerReferences, path, { object: owned(unknown) }),
    /cannot find RESTMapping for APIVersion v1/,
  );
});

test('approving, signing and attesting need a permission for the signer', async () => {
  const requests = 'certificates.k8s.io/v1/certificatesigningrequests';
  const old = { metadata: { name: 'a' }, spec: { signerName: 'example.com/s' } };
  const object = { ...old, status: { certificate: 'x' } };
  const approving = () => validate(certificateApproval, `${requests}/approval`, { object, old });
  await assert.rejects(approving, /user not permitted to approve requests with signerName "example.com\/s"/);
  const signing = () => validate(certificateSigning, `${requests}/status`, { object, old });
  await assert.rejects(signing, /user not permitted to sign requests with signerName "example.com\/s"/);
  const attesting = () => validate(clusterTrustBundleAttest, requests, { object });
  await assert.rejects(attesting, /user not permitted to attest for signerName "example.com\/s"/);
  await validate(certificateSigning, `${requests}/status`, { object: old, old });
  await validate(certificateApproval, `${requests}/approval`, { object, old, user: admin });
});

test('an invalid or truncated certificate request has no organizations', () => {
  const pem = (der: Buffer) =>
    Buffer.from(
      `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----`,
    ).toString('base64');
  for (const bytes of [[], [0x30], [0x30, 0x84, 1], [0x30, 0x82, 255, 255], [0x30, 0xff], [2, 1, 0]]) {
    assert.equal(certificateOrganizations(pem(Buffer.from(bytes))), undefined);
  }
  assert.equal(certificateOrganizations('!'), undefined);
});
