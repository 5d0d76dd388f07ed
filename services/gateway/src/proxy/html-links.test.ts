import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { HtmlLinks, linkThrough } from './html-links.ts';

const place = { prefix: '/api/v1/namespaces/a/services/b/proxy', backend: '10.0.0.7:80', host: 'localhost:6443' };
const P = place.prefix;

const links: ReadonlyArray<[from: string, to: string]> = [
  ['/x', `${P}/x`],
  ['/', `${P}/`],
  ['/x/?a=/b#/c', `${P}/x/?a=/b#/c`],
  [`${P}/x`, `${P}/x`],
  ['x/y', 'x/y'],
  ['?q=1', '?q=1'],
  ['#top', '#top'],
  ['http://10.0.0.7:80/x', `${P}/x`],
  ['https://localhost:6443/x', `https://localhost:6443${P}/x`],
  ['https://example.com/x', 'https://example.com/x'],
  ['//example.com/x', '//example.com/x'],
  ['mailto:somebody@example.com', 'mailto:somebody@example.com'],
];

for (const [from, to] of links)
  test(`a link to ${from} becomes ${to}`, () => assert.equal(linkThrough(place, from), to));

const pages: ReadonlyArray<[title: string, page: string, changed: string]> = [
  [
    'links of all quotes are changed',
    `<a href="/x">é</a><A HREF='/y'><a href=/z>`,
    `<a href="P/x">é</a><A HREF='P/y'><a href=P/z>`,
  ],
  ['what is no link stays', '<p title="/x"><a name="/x" href="y">', '<p title="/x"><a name="/x" href="y">'],
  [
    'text and comments stay',
    'a < b <!-- <a href="/x"> -- > --> <a href="/y">',
    'a < b <!-- <a href="/x"> -- > --> <a href="P/y">',
  ],
  [
    'scripts keep their text',
    '<script src="/s.js">"<a href=\\"/x\\">"</SCRIPT><img src="/i">',
    '<script src="P/s.js">"<a href=\\"/x\\">"</SCRIPT><img src="P/i">',
  ],
  ['an angle in quotes ends no tag', '<a title=">" href="/x">', '<a title=">" href="P/x">'],
  ['a quote that is open at the end stays', '<a href="/x', '<a href="/x'],
];

for (const [title, page, changed] of pages) {
  test(`in a page ${title}, however it is cut`, async () => {
    for (const size of [1, 3, 1000]) {
      const bytes = Buffer.from(page);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const read = Readable.from(pieces).pipe(new HtmlLinks((link) => linkThrough(place, link)));
      assert.equal(await text(read), changed.replaceAll('P/', `${P}/`));
    }
  });
}
