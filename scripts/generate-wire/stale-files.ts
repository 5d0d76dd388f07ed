/** One line for each generated file that is not what the contracts make now; both by path. */
export function staleFiles(committed: ReadonlyMap<string, string>, generated: ReadonlyMap<string, string>): string[] {
  const paths = [...new Set([...committed.keys(), ...generated.keys()])].sort();
  return paths.flatMap((path) => {
    const why = whyStale(committed.get(path), generated.get(path));
    return why === undefined ? [] : [`${path} ${why}`];
  });
}

function whyStale(committed: string | undefined, generated: string | undefined): string | undefined {
  if (committed === undefined) return 'is missing';
  if (generated === undefined) return 'belongs to no message of proto/';
  return committed === generated ? undefined : 'differs from what proto/ says';
}
