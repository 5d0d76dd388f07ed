const TOLD = 20;

export const OUTCOMES = ['created', 'updated', 'existed', 'left out', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];
type Counts = Record<Outcome, number>;

/** What has become of the objects, by resource, with the first words on what went wrong. */
export class Tally {
  readonly resources = new Map<string, Counts>();
  readonly words: string[] = [];
  #wordsBeyond = 0;
  objects = 0;

  count(resource: string, outcome: Outcome): void {
    this.objects++;
    this.of(resource)[outcome]++;
  }

  of(resource: string): Counts {
    const counts = this.resources.get(resource) ?? { created: 0, updated: 0, existed: 0, 'left out': 0, failed: 0 };
    this.resources.set(resource, counts);
    return counts;
  }

  tell(words: string): void {
    if (this.words.length < TOLD) this.words.push(words);
    else this.#wordsBeyond++;
  }

  get failed(): number {
    return [...this.resources.values()].reduce((sum, counts) => sum + counts.failed, 0);
  }

  /** The table that an import ends with, then the words. Resources of which there was nothing are left out. */
  summary(): string[] {
    const rows = [...this.resources]
      .sort()
      .map(([name, counts]) => [name, ...OUTCOMES.map((key) => counts[key])] as const)
      .filter(([, ...counts]) => counts.some((count) => count > 0));
    const all = [['RESOURCE', ...OUTCOMES.map((key) => key.toUpperCase())], ...rows];
    const width = Math.max(...all.map(([name]) => String(name).length)) + 2;
    const lines = all.map(([name, ...cells]) =>
      [String(name).padEnd(width), ...cells.map((cell) => String(cell).padStart(9))].join(' '),
    );
    const beyond = this.#wordsBeyond === 0 ? [] : [`and ${this.#wordsBeyond} more of these`];
    return [...lines, ...this.words, ...beyond];
  }
}
