import { fromStored } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Answer, ResourceRequest } from '../gateway.ts';
import type { Page } from '../rules/list-page.ts';
import { jsonAnswer, tableOf } from './answer.ts';
import type { Accepted } from './negotiate.ts';
import { partialObject, tableRow } from './object-form.ts';

/** A page in a form that its stored bytes do not have: a Table, metadata only, or pretty. */
export function listAnswer(request: ResourceRequest, accepted: Accepted, page: Page, pretty: boolean): Answer {
  const { kind, info } = request;
  const { metadata } = page;
  const objects = page.runs.flatMap((run) =>
    run.items.slice(run.from, run.to).map((item) => JSON.parse(item.json.toString('utf8')) as JsonObject),
  );
  switch (accepted.as) {
    case 'table': {
      const include = info.query.get('includeObject') ?? '';
      const rows = objects.map((object) => tableRow(kind, object, include, accepted.group));
      return jsonAnswer(200, tableOf(kind, accepted, metadata as unknown as JsonObject, rows), pretty);
    }
    case 'metadata': {
      const items = objects.map((object) => partialObject(object, accepted.group));
      const heading = { kind: 'PartialObjectMetadataList', apiVersion: `${accepted.group}/v1` };
      return jsonAnswer(200, { ...heading, metadata, items }, pretty);
    }
    case 'object': {
      const heading = { kind: `${kind.entry.kind}List`, apiVersion: kind.apiVersion };
      return jsonAnswer(
        200,
        { ...heading, metadata, items: objects.map((object) => fromStored(kind, object)) },
        pretty,
      );
    }
  }
}
