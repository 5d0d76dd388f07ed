import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { metaOf } from '../generic-object.ts';

/** How often the template of the pods was changed, as older controllers ask for it. */
const COUNT = 'deprecated.daemonset.template.generation';

export function firstTemplate(daemons: JsonObject): void {
  setCount(daemons, 1);
}

export function countTemplates(daemons: JsonObject, old: JsonObject, subresource: string): void {
  if (subresource !== '') return;
  const before = Number(metaOf(old).annotations?.[COUNT] ?? 0);
  const count = isDeepStrictEqual(templateOf(daemons), templateOf(old)) ? before : before + 1;
  if (count > 0) setCount(daemons, count);
}

function setCount(daemons: JsonObject, count: number): void {
  const meta = metaOf(daemons);
  meta.annotations = { ...meta.annotations, [COUNT]: String(count) };
}

function templateOf({ spec }: JsonObject): unknown {
  return isJsonObject(spec) ? spec.template : undefined;
}
