import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';

export const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');

/** What a container starts, before its own arguments. */
export function entrypoint(): string[] {
  const [, list = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  return JSON.parse(list) as string[];
}
