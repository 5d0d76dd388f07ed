import { type JsonObject, printYaml } from '@tidegate/schema';
import type { ResourceRequest } from '../request/resource-request.ts';
import { indented } from './encodings/yaml.ts';
import { type ListForm, shapeOf } from './list-shape.ts';

/** Item by item, each moved in under its dash. */
export function yamlForm(request: ResourceRequest): ListForm {
  const { heading, items, of } = shapeOf(request);
  const metadataOf = (metadata: object | undefined) =>
    metadata === undefined ? '' : printYaml({ metadata: metadata as JsonObject });
  return {
    plain: false,
    // what follows says whether there are any
    open: (metadata) => Buffer.from(`${printYaml(heading)}${metadataOf(metadata)}${items}:`),
    item: (item, first) => {
      const text = Buffer.from(printYaml(of(item)));
      return Buffer.concat([Buffer.from(first ? '\n  - ' : '  - '), indented(text, '    ')]);
    },
    close: (empty, metadata) => Buffer.from(`${empty ? ' []\n' : ''}${metadataOf(metadata)}`),
  };
}
