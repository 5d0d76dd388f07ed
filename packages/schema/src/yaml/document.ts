import { EVENT_ID, type Event } from 'js-yaml';
import { parse } from './parse.ts';
import { YamlError } from './yaml-error.ts';

/** The first document of a text, as events of the parser. */
export interface YamlDocument {
  readonly source: string;
  readonly events: readonly Event[];
  /** the prefix of tags for each handle */
  readonly handles: ReadonlyMap<string, string>;
  /** for each alias, by its index: the index of the node that it refers to */
  readonly targets: ReadonlyMap<number, number>;
}

/** Further documents are ignored, as in Kubernetes. */
export function firstDocument(text: string): YamlDocument | undefined {
  const { source, events } = parse(upToEnd(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text));
  const [begin] = events;
  if (begin?.type !== EVENT_ID.DOCUMENT) return undefined;
  const handles = new Map([
    ['!', '!'],
    ['!!', 'tag:yaml.org,2002:'],
  ]);
  for (const directive of begin.directives) {
    if (directive.kind === 'tag') handles.set(directive.handle, directive.prefix);
    else if (directive.version !== '1.1') throw new YamlError(`YAML ${directive.version} is not supported: use 1.1`);
  }
  return { source, events, handles, targets: targetsOf(source, events) };
}

const BYTE_ORDER_MARK = 0xfeff;
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
/** only empty lines, comments and directives */
const EMPTY = /^(?:[ \t]*(?:#.*)?(?:\r\n|\r|\n|$)|%.*(?:\r\n|\r|\n|$))*$/;

/** Cuts a text at the end of its first document; the rest need not be valid YAML. */
function upToEnd(text: string): string {
  MARKER.lastIndex = 0;
  let isOpen = false;
  for (let found = MARKER.exec(text); found !== null; found = MARKER.exec(text)) {
    const isBegin = found[0] === '---' && !isOpen && EMPTY.test(text.slice(0, found.index));
    if (!isBegin) return text.slice(0, found.index);
    isOpen = true;
  }
  return text;
}

function targetsOf(source: string, events: readonly Event[]): Map<number, number> {
  const anchors = new Map<string, number>();
  const targets = new Map<number, number>();
  for (const [i, event] of events.entries()) {
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP || event.anchorStart < 0) continue;
    const name = source.slice(event.anchorStart, event.anchorEnd);
    if (event.type !== EVENT_ID.ALIAS) {
      anchors.set(name, i);
      continue;
    }
    const target = anchors.get(name);
    if (target === undefined) throw new YamlError(`unknown anchor ${JSON.stringify(name)} referenced`);
    targets.set(i, target);
  }
  return targets;
}
