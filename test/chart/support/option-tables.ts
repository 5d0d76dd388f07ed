import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '@tidegate/local';
import { type OptionTable, readOptions } from '@tidegate/service-kit';
import type { Manifest } from './render.ts';

export const PARTS = ['gateway', 'store', 'watch', 'health'] as const;

/** The options of a part, from its own table. */
export async function optionsOf(part: string): Promise<OptionTable> {
  const file = join(projectRoot, 'services', part, 'src', 'config.ts');
  return ((await import(pathToFileURL(file).href)) as { options: OptionTable }).options;
}

/** Parses arguments and environment as the part does; throws the part's own error. */
export async function parsedOptions(
  part: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Record<string, unknown>> {
  return readOptions(await optionsOf(part), args, env);
}

/** The environment of a container, with a placeholder for values from Secrets and fields. */
export function environmentOf(container: Manifest): Record<string, string> {
  return Object.fromEntries(
    (container.env ?? []).map(({ name, value }: { name: string; value?: string }) => [name, value ?? 'given']),
  );
}
