import { removeDirectory, temporaryDirectory } from '@tidegate/local';

/** Creates a temporary directory, which is removed at the latest when the process ends. */
export function temporaryDir(purpose: string): { path: string; remove(): void } {
  const path = temporaryDirectory(purpose);
  return { path, remove: () => removeDirectory(path) };
}
