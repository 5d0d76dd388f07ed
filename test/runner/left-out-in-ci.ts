import { needs } from '@tidegate/testkit';

const BUILT_LONG = 'npm run test:long builds it';

interface LeftOut {
  readonly name: string;
  /** the reason that the test gives */
  readonly reason: string;
  /** why skipping is acceptable in CI */
  readonly because: string;
}

/** The only tests that `npm test -- --ci` may skip. The tools for all other tests are installed there. */
export const LEFT_OUT_IN_CI: readonly LeftOut[] = [
  {
    name: 'A directory without write permission is rejected.',
    reason: 'root may write everywhere',
    because: 'CI runs as root; contributors are not root, and run this test',
  },
  {
    name: 'The board in a browser',
    reason: needs('chromium'),
    because: 'a browser is larger than everything else that CI installs; the long tests have one',
  },
  ...['its default encoding, which is Protobuf', 'Protobuf', 'CBOR'].map((encoding) => ({
    name: `The Go client with ${encoding} reads, writes and watches.`,
    reason: BUILT_LONG,
    because: 'its first build takes minutes; the long tests build it, and then it is in the cache',
  })),
];
