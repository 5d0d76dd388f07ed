import assert from 'node:assert/strict';
import { isJsonObject } from '@tidegate/schema';
import { readToken } from '../../tokens/json-web-token.ts';
import { readIssuers } from '../../tokens/read-issuers.ts';
import { ClaimError, userFromClaims } from '../../tokens/user-from-claims.ts';
import { mutateBytes, mutateValue, type Target } from './mutate.ts';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = { iss: 'https://i', aud: ['kube'], sub: 'ann', groups: ['a'], jti: 'j', who: { level: 3 }, hd: 'b' };
const seed = Buffer.from(`${encoded({ alg: 'RS256', kid: 'one' })}.${encoded(claims)}.c2lnbmF0dXJl`);

const [issuer] = readIssuers(
  [
    {
      issuer: { url: 'https://i', audiences: ['kube'] },
      claimMappings: {
        username: { claim: 'sub', prefix: '' },
        groups: { claim: 'groups', prefix: 'g:' },
        uid: { expression: "claims.?jti.orValue('')" },
        extra: [{ key: 'example.com/all', valueExpression: 'claims.groups' }],
      },
      claimValidationRules: [{ claim: 'hd', requiredValue: 'b' }, { expression: 'claims.who.level > 1' }],
      userValidationRules: [{ expression: "user.groups.all(group, group != 'x')" }],
    },
  ],
  { mistakes: [], ownIssuers: [] },
);

/** Tokens from unknown senders, and the users that they are mapped to. */
export const tokenTargets: readonly Target[] = [
  {
    name: 'JSON Web Tokens',
    input: (random) => mutateBytes(seed, seed, random),
    take: (input) => {
      const token = readToken(input.toString('latin1'));
      if (token !== undefined) assert.equal(typeof token.algorithm, 'string');
    },
  },
  {
    name: 'claims of tokens',
    input: (random) => Buffer.from(JSON.stringify(mutateValue(claims, random)) ?? '{}'),
    take: (input) => {
      const value: unknown = JSON.parse(input.toString());
      if (!isJsonObject(value) || issuer === undefined) return;
      try {
        const { name, groups } = userFromClaims(value, issuer.rules);
        assert.ok(name !== '' && groups.every((group) => typeof group === 'string'));
      } catch (error) {
        if (!(error instanceof ClaimError)) throw error;
      }
    },
  },
];
