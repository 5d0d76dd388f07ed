import { type AliasEvent, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { BodyBudget } from '../body-budget.ts';
import type { BodyNotes } from '../json/body-notes.ts';
import { type Json, type JsonObject, MAX_DEPTH, setOwn } from '../json/json.ts';
import { AliasBudget } from './alias-budget.ts';
import type { YamlDocument } from './document.ts';
import { Lines } from './lines.ts';
import { keyText, MERGE_TAG, type ResolvedScalar, resolveScalar } from './scalar.ts';
import { YamlError } from './yaml-error.ts';

/** The most repeated keys to report. */
const MAX_LINES = 100;

/** The keys of a mapping so far. Keys of different types differ, even if their JSON is the same. */
type KeysOf = Map<string, ResolvedScalar>;

/**
 * Builds a value from the events of a document.
 *
 * Invariant: `#at` is the next event. An alias moves it to the node that the alias refers to, and back: each use builds
 * a value of its own, within the budget.
 */
export class DocumentReader {
  /** messages about repeated keys; lines are counted from one */
  readonly lines: string[] = [];
  readonly #document: YamlDocument;
  readonly #notes: BodyNotes;
  readonly #aliases = new AliasBudget();
  readonly #budget = new BodyBudget();
  readonly #lines: Lines;
  readonly #open = new Set<number>();
  #at = 1;
  #depth = 0;

  constructor(document: YamlDocument, notes: BodyNotes) {
    this.#document = document;
    this.#notes = notes;
    this.#lines = new Lines(document.source);
  }

  read(): Json {
    return this.#node();
  }

  get #event(): Event {
    return this.#document.events[this.#at] as Event;
  }

  #node(): Json {
    this.#budget.countValue();
    this.#aliases.countNode();
    const event = this.#event;
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.#value(event);
      case EVENT_ID.SEQUENCE:
        return this.#list();
      case EVENT_ID.MAPPING:
        return this.#mapping({});
      case EVENT_ID.ALIAS:
        return this.#aliased(event, () => this.#node());
      default:
        // a document without a node
        return null;
    }
  }

  #value(event: ScalarEvent): Json {
    const { value } = this.#scalar(event);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new YamlError(`the number ${value} is not finite`);
    if (typeof value === 'string') this.#aliases.countText(value);
    return value;
  }

  /** `toWellFormed`, because an escape may be half a surrogate pair. */
  #scalar(event: ScalarEvent): ResolvedScalar {
    this.#at++;
    const text = getScalarValue(this.#document.source, event).toWellFormed();
    const tag = this.#tag(event);
    const isText = tag === '!' || (tag === '' && event.style !== SCALAR_STYLE.PLAIN);
    return isText ? { tag, value: text } : resolveScalar(text, tag);
  }

  /** The full name of a node's tag; '' if it has none. */
  #tag({ tagStart, tagEnd }: ScalarEvent): string {
    if (tagStart < 0) return '';
    const raw = this.#document.source.slice(tagStart, tagEnd);
    if (raw.startsWith('!<')) return unescaped(raw.slice(2, -1));
    const end = raw.indexOf('!', 1) + 1;
    const handle = raw.slice(0, end || 1);
    return (this.#document.handles.get(handle) ?? handle) + unescaped(raw.slice(handle.length));
  }

  #list(): Json[] {
    const list: Json[] = [];
    this.#enter();
    while (this.#event.type !== EVENT_ID.POP) list.push(this.#node());
    this.#leave();
    return list;
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new YamlError(`exceeded max depth of ${MAX_DEPTH}`);
    this.#at++;
  }

  #leave(): void {
    this.#depth--;
    this.#at++;
  }

  /** Merged pairs are treated as if they were written in the mapping: a later value replaces an earlier one. */
  #mapping(object: JsonObject, keys: KeysOf = new Map()): JsonObject {
    this.#enter();
    while (this.#event.type !== EVENT_ID.POP) {
      if (this.#isMerge(this.#event)) {
        this.#at++;
        this.#merge(object, keys);
      } else this.#pair(object, keys);
    }
    this.#leave();
    return object;
  }

  #pair(object: JsonObject, keys: KeysOf): void {
    this.#budget.countField();
    this.#aliases.countNode();
    const key = this.#key(this.#event);
    const line = this.#lines.before(this.#event);
    const value = this.#node();
    const name = keyText(key);
    const identity = `${typeof key.value} ${name}`;
    if (keys.has(identity)) {
      this.#notes.noteRepeatedKey(object, name);
      if (this.lines.length < MAX_LINES) {
        const shown = typeof key.value === 'string' ? JSON.stringify(name) : name;
        this.lines.push(`line ${line()}: key ${shown} already set in map`);
      }
    }
    keys.set(identity, key);
    setOwn(object, name, value);
  }

  #key(event: Event): ResolvedScalar {
    switch (event.type) {
      case EVENT_ID.SCALAR: {
        const key = this.#scalar(event);
        this.#aliases.countText(String(key.value));
        return key;
      }
      case EVENT_ID.ALIAS:
        return this.#aliased(event, () => this.#key(this.#event));
      default:
        throw new YamlError('a list or a mapping is not supported as a key');
    }
  }

  #isMerge(event: Event): boolean {
    if (event.type !== EVENT_ID.SCALAR) return false;
    const { source } = this.#document;
    if (event.valueEnd - event.valueStart !== 2 || !source.startsWith('<<', event.valueStart)) return false;
    const tag = this.#tag(event);
    return tag === MERGE_TAG || (tag === '' && event.style === SCALAR_STYLE.PLAIN);
  }

  /** The first of several mappings takes precedence, so they are read in reverse order. */
  #merge(object: JsonObject, keys: KeysOf): void {
    const event = this.#event;
    if (event.type !== EVENT_ID.SEQUENCE) {
      this.#mergeOne(object, keys);
      return;
    }
    const places: number[] = [];
    this.#at++;
    while (this.#event.type !== EVENT_ID.POP) {
      places.push(this.#at);
      this.#skip();
    }
    const end = this.#at + 1;
    for (const place of places.reverse()) {
      this.#at = place;
      this.#mergeOne(object, keys);
    }
    this.#at = end;
  }

  #mergeOne(object: JsonObject, keys: KeysOf): void {
    this.#aliases.countNode();
    const event = this.#event;
    if (event.type === EVENT_ID.ALIAS) {
      this.#aliased(event, () => this.#mergeMapping(object, keys));
    } else this.#mergeMapping(object, keys);
  }

  #mergeMapping(object: JsonObject, keys: KeysOf): void {
    if (this.#event.type !== EVENT_ID.MAPPING) {
      throw new YamlError('map merge requires map or sequence of maps as the value');
    }
    this.#mapping(object, keys);
  }

  #skip(): void {
    let open = 0;
    do {
      const { type } = this.#event;
      if (type === EVENT_ID.POP) open--;
      else if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) open++;
      this.#at++;
    } while (open > 0);
  }

  #aliased<T>(event: AliasEvent, read: () => T): T {
    const back = this.#at + 1;
    const target = this.#document.targets.get(this.#at) as number;
    if (this.#open.has(target)) {
      const name = this.#document.source.slice(event.anchorStart, event.anchorEnd);
      throw new YamlError(`the value of anchor ${JSON.stringify(name)} contains itself`);
    }
    this.#open.add(target);
    this.#at = target;
    this.#aliases.enter();
    const value = read();
    this.#aliases.leave();
    this.#at = back;
    this.#open.delete(target);
    return value;
  }
}

/** Tags may contain URI escapes. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) throw new YamlError(`the tag ${JSON.stringify(text)} has an invalid escape`);
    throw error;
  }
}
