import { posix } from 'node:path';
import type { SourceFile, Workspace } from './import-rules.ts';

/** Whether a file or folder exists at a path relative to the root. */
export type Exists = (path: string) => boolean;

/** Relative links to files that do not exist. */
export function deadLinks({ path, text }: SourceFile, exists: Exists): string[] {
  return linksOf(text)
    .filter((link) => !/^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(link))
    .filter((link) => !exists(targetOf(path, link)))
    .map((link) => `${path}: links to ${link}, which does not exist`);
}

/** A link that begins with a slash is relative to the root of the checkout. */
function targetOf(page: string, link: string): string {
  const file = decodeURIComponent(link.replace(/[?#].*$/, ''));
  return file.startsWith('/') ? file.slice(1) : posix.normalize(posix.join(posix.dirname(page), file));
}

const INLINE = /\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g;
const REFERENCE = /^\s*\[[^\]]+\]:\s*<?(\S+?)>?\s*$/gm;
const HTML = /<(?:a|img)\b[^>]*\b(?:href|src)="([^"]+)"/g;

/** The targets of a page's links, without links in code. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [INLINE, REFERENCE, HTML].flatMap((form) => [...prose.matchAll(form)].map((match) => match[1] as string));
}

const FILE_IN_BACKTICKS = /`([\w.@-]+(?:\/[\w.@-]+)+\.(?:ts|sql|proto))`/g;

/** Source files that a page names and that do not exist. */
export function deadFileNames({ path, text }: SourceFile, exists: Exists): string[] {
  const named = new Set([...text.matchAll(FILE_IN_BACKTICKS)].map((match) => match[1] as string));
  return [...named].filter((file) => !exists(file)).map((file) => `${path}: names ${file}, which does not exist`);
}

/** Packages, programs and services without a README.md. */
export function missingReadmes(workspaces: readonly Workspace[], exists: Exists): string[] {
  return workspaces
    .filter(({ dir }) => /^(packages|programs|services)\//.test(dir) && !exists(`${dir}/README.md`))
    .map(({ dir }) => `${dir}: has no README.md`);
}

/** Third-party dependencies that the page does not name in backticks. */
export function unexplainedDependencies(page: SourceFile, workspaces: readonly Workspace[]): string[] {
  const named = new Set([...page.text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]));
  return workspaces.flatMap(({ dir, dependencies }) =>
    dependencies
      .filter((name) => !name.startsWith('@tidegate/') && !named.has(name))
      .map((name) => `${page.path}: does not say why ${posix.join(dir, 'package.json')} needs ${name}`),
  );
}

const FOREIGN: ReadonlyArray<readonly [what: string, form: RegExp]> = [
  ['a path of one machine', /(?<![\w.~-])\/(?:work|root)\/[\w.-]*|(?<![\w.~-])\/home\/[a-z][\w.-]*/],
  ['a package registry', /\bregistry\.(?:npmjs\.org|yarnpkg\.com)|\bproxy\.golang\.org|\bnpm\.pkg\.github\.com/],
];

/** Texts that are specific to one machine or network. Tests may contain them as data. */
export function foreignTexts({ path, text }: SourceFile): string[] {
  if (path.endsWith('.test.ts')) return [];
  return text.split('\n').flatMap((line, i) =>
    FOREIGN.flatMap(([what, form]) => {
      const match = form.exec(line);
      return match === null ? [] : [`${path}:${i + 1}: names ${what}: ${match[0]}`];
    }),
  );
}
