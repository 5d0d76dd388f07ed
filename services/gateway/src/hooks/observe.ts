import type { RequestInfo } from '@tidegate/request-info';
import type { Gateway } from '../gateway.ts';

type Observer = ReturnType<Gateway['metrics']['requestSeconds']['labels']>;
const observers = new Map<string, Observer>();
const VERBS = new Set(['get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection']);

/** Counts a request. Labels take known values only: what a client sends must not grow the metrics. */
export function observe(gateway: Gateway, info: RequestInfo, code: number, seconds: number): void {
  const verb = VERBS.has(info.verb) ? info.verb : 'other';
  const known = gateway.registry.find(info.group, info.version, info.resource) !== undefined;
  const resource = known ? info.resource : 'unknown';
  // looked up by one text, because building the labels each time costs ten times as much
  const key = `${verb} ${resource} ${code}`;
  let observer = observers.get(key);
  if (observer === undefined) {
    observer = gateway.metrics.requestSeconds.labels(verb, resource, String(code));
    observers.set(key, observer);
  }
  observer.observe(seconds);
}
