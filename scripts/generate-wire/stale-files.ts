/** One line for each committed file that differs from the newly generated one; both maps are by path. */
export function staleFiles(committed: ReadonlyMap<string, string>, generated: ReadonlyMap<string, string>): string[] {
  const paths = [...new Set([...committed.keys(), ...generated.keys()])].sort();
  return paths.flatMap((path) => {
    const why = whyStale(committed.get(path), generated.get(path));
    return why === undefined ? [] : [`${path} ${why}`];
  });
}

function whyStale(committed: string | undefined, generated: string | undefined): string | undefined {
  if (committed === undefined) return 'is missing';
  if (generated === undefined) return 'does not belong to a message of proto/';
  return committed === generated ? undefined : 'differs from the newly generated file';
}
