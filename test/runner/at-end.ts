type Ending = () => Promise<unknown>;

const endings = new Map<string, Ending>();

/** What is to be done, and looked at, when the last file that shares something is done. */
export function atEnd(name: string, ending: Ending): void {
  endings.set(name, ending);
}

/** Each is to be done once. */
export function takeEndings(): ReadonlyMap<string, Ending> {
  const taken = new Map(endings);
  endings.clear();
  return taken;
}
