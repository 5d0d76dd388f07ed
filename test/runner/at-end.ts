type Ending = () => Promise<unknown>;

const endings = new Map<string, Ending>();

/** Registers cleanup and final checks, which run after the last file that shares a resource. */
export function atEnd(name: string, ending: Ending): void {
  endings.set(name, ending);
}

/** Returns the registered endings and clears them, so that each runs once. */
export function takeEndings(): ReadonlyMap<string, Ending> {
  const taken = new Map(endings);
  endings.clear();
  return taken;
}
