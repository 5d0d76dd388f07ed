import { needs } from '@tidegate/testkit';

const BUILT_LONG = 'npm run test:long builds it';

interface LeftOut {
  readonly name: string;
  /** as the test says it */
  readonly reason: string;
  /** why that is right where changes are checked before they land */
  readonly because: string;
}

/** All that `npm test -- --ci` lets be skipped. Everything else runs there: what it needs is installed. */
export const LEFT_OUT_IN_CI: readonly LeftOut[] = [
  {
    name: 'A directory without write permission is rejected.',
    reason: 'root may write everywhere',
    because: 'the checks run as root; a contributor is not root, and runs it',
  },
  {
    name: 'The board in a browser',
    reason: needs('chromium'),
    because: 'a browser is larger than all else that is installed there; the long tests have one',
  },
  ...['Go in the encoding of its choice, which is Protobuf', 'Go in Protobuf', 'Go in CBOR'].map((name) => ({
    name,
    reason: BUILT_LONG,
    because: 'its first build takes minutes; the long tests build it, and from then on it is in the cache',
  })),
];
