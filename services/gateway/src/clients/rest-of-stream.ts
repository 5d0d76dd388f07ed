import type { ListPage, ListRequest, LogBatch, ReadLogRequest } from '@tidegate/wire';

/** What a list still lacks after a page of it: what follows the page's last key, at the revision that it told. */
export function restOfList(request: ListRequest, { revision, objects }: ListPage): ListRequest | undefined {
  const last = objects.at(-1);
  if (last === undefined) return { ...request, revision };
  const { namespace, name } = last.key;
  const { limit = 0 } = request;
  if (limit > 0 && objects.length >= limit) return undefined;
  const left = limit === 0 ? 0 : limit - objects.length;
  return { ...request, revision, afterNamespace: namespace, afterName: name, limit: left };
}

/** What a read of the log still lacks after a batch of it. */
export function restOfLog(request: ReadLogRequest, { last }: LogBatch): ReadLogRequest | undefined {
  const { through = 0 } = request;
  return through > 0 && last >= through ? undefined : { ...request, after: last };
}
