const OPTIONS = 'ListOptions.meta.k8s.io "" is invalid: ';
const MATCH = `${OPTIONS}resourceVersionMatch: `;
const UNLESS = 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
const WITH_CONTINUE = 'Forbidden: resourceVersionMatch is forbidden when continue is provided';
const FOR_WATCH = 'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
const REQUIRES = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';

/** Invalid options of lists and watches, with the exact messages of kube-apiserver. */
export const INVALID_OPTIONS: ReadonlyArray<readonly [query: string, message: string]> = [
  ['resourceVersionMatch=Exact', `${MATCH}${UNLESS}`],
  ['resourceVersionMatch=NotOlderThan&limit=2', `${MATCH}${UNLESS}`],
  ['resourceVersionMatch=NotOlderThan&resourceVersion=5&continue=x', `${MATCH}${WITH_CONTINUE}`],
  [
    'resourceVersionMatch=Exact&continue=x',
    `${OPTIONS}[resourceVersionMatch: ${UNLESS}, resourceVersionMatch: ${WITH_CONTINUE}]`,
  ],
  [
    'resourceVersionMatch=Newest&resourceVersion=5',
    `${MATCH}Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""`,
  ],
  [
    'resourceVersionMatch=Exact&resourceVersion=0',
    `${MATCH}Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
  ],
  ['sendInitialEvents=true', `${OPTIONS}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`],
  ['watch=1&resourceVersionMatch=NotOlderThan', `${MATCH}${FOR_WATCH}`],
  ['watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=5', `${MATCH}${FOR_WATCH}`],
];

export const WITH_WATCH_LIST: typeof INVALID_OPTIONS = [
  ['watch=1&sendInitialEvents=true', `${MATCH}${REQUIRES}`],
  ['watch=1&sendInitialEvents=false', `${MATCH}${REQUIRES}`],
  [
    'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5',
    `${OPTIONS}[resourceVersionMatch: ${REQUIRES}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
  ],
];

export const WITHOUT_WATCH_LIST: typeof INVALID_OPTIONS = [
  [
    'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    `${OPTIONS}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled`,
  ],
];

export const MALFORMED_VERSIONS = ['abc', '-1', '1.5', '0x10', '1e3', '%201', '99999999999999999999999', '1%00'];

export const token = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
export const V = 'meta.k8s.io/v1';
export const INVALID_TOKENS: Readonly<Record<string, string>> = {
  'not base64': '!!!',
  'not JSON': token('garbage'),
  null: token('null'),
  'a list': token('[]'),
  'another version': token({ v: 'meta.k8s.io/v2', rv: 5, start: 'a\0' }),
  'no version': token({ rv: 5, start: 'a\0' }),
  'no revision': token({ v: V, start: 'a\0' }),
  'revision 0': token({ v: V, rv: 0, start: 'a\0' }),
  'a negative revision': token({ v: V, rv: -2, start: 'a\0' }),
  'half a revision': token({ v: V, rv: 1.5, start: 'a\0' }),
  'a revision as text': token({ v: V, rv: '5', start: 'a\0' }),
  'no start': token({ v: V, rv: 5 }),
  'an empty start': token({ v: V, rv: 5, start: '' }),
  'a start above': token({ v: V, rv: 5, start: '../secrets/a\0' }),
  'a start with parent segments': token({ v: V, rv: 5, start: 'a/../b\0' }),
  'a start at the root': token({ v: V, rv: 5, start: '/a\0' }),
  'a start that is too deep': token({ v: V, rv: 5, start: 'a/b/c\0' }),
  'a start with a zero inside': token({ v: V, rv: 5, start: 'a\0b\0' }),
};
