import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDir } from '@tidegate/testkit';
import { CBOR } from './running-system.ts';

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
  - level: None
    nonResourceURLs: ["/livez*", "/readyz*"]
  - level: None
    users: ["system:apiserver"]
  - level: Request
    resources: [{ group: "", resources: ["configmaps"] }]
    verbs: ["create", "patch"]
  - level: RequestResponse
    omitManagedFields: true
    omitStages: ["RequestReceived"]
`;

const { path } = temporaryDir('observed');
writeFileSync(join(path, 'policy.yaml'), POLICY);

export const AUDIT_LOG = join(path, 'audit.log');

/** A system with an audit log of every request, debug logs and CBOR. */
export const OBSERVED = {
  args: ['--log-level=debug', ...CBOR.args],
  env: {
    TIDEGATE_AUDIT_POLICY_FILE: join(path, 'policy.yaml'),
    TIDEGATE_AUDIT_LOG_PATH: AUDIT_LOG,
    // only requests that a client has sampled are traced; there is no collector at this address
    TIDEGATE_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    TIDEGATE_TRACE_SAMPLE_RATIO: '0',
  },
};
