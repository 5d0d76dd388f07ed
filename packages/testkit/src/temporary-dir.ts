import { removeDirectory, temporaryDirectory } from '@tidegate/local';

/** A directory of the test's own, removed at the latest when its process ends. */
export function temporaryDir(purpose: string): { path: string; remove(): void } {
  const path = temporaryDirectory(purpose);
  return { path, remove: () => removeDirectory(path) };
}
