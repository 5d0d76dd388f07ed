import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '@tidegate/local';

interface Declared {
  readonly name: string;
  readonly labelNames: readonly string[];
}

/** A registry that only records the declarations. */
class DeclarationRecorder {
  readonly all: Declared[] = [];
  readonly counter = this.#record.bind(this);
  readonly gauge = this.#record.bind(this);
  readonly histogram = this.#record.bind(this);
  readonly collected = this.#record.bind(this);

  #record({ name, labelNames = [] }: Partial<Declared> & { name: string }): object {
    for (const suffix of ['', '_sum', '_count']) this.all.push({ name: name + suffix, labelNames });
    this.all.push({ name: `${name}_bucket`, labelNames: [...labelNames, 'le'] });
    return {};
  }
}

type Declare = (registry: DeclarationRecorder, held: object) => unknown;

/** The labels of metrics as the parts declare them. A metric without samples yet is exported without labels. */
export async function declaredMetrics(): Promise<readonly Declared[]> {
  const notes = new DeclarationRecorder();
  for (const [part, file, name] of [
    ['gateway', 'metrics.ts', 'declareMetrics'],
    ['gateway', 'audit/audit-trail.ts', 'declareAuditMetrics'],
    ['store', 'metrics.ts', 'storeMetrics'],
    ['store', 'controllers/metrics.ts', 'controllerMetrics'],
    ['watch', 'metrics.ts', 'declareMetrics'],
  ] as const) {
    const module = await moduleOf(part, file);
    (module[name] as Declare)(notes, {});
  }
  const { FlowMetrics } = await moduleOf('gateway', 'flow/flow-metrics.ts');
  new (FlowMetrics as new (registry: DeclarationRecorder, seats: object) => unknown)(notes, {});
  return notes.all;
}

async function moduleOf(part: string, file: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(join(projectRoot, 'services', part, 'src', file)).href);
}
