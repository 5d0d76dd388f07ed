type Ending = () => Promise<unknown>;

const endings = new Map<string, Ending>();

/** What is to be done, and looked at, when the last file of this process is done. */
export function atEnd(name: string, ending: Ending): void {
  endings.set(name, ending);
}

export function allEndings(): ReadonlyMap<string, Ending> {
  return endings;
}
