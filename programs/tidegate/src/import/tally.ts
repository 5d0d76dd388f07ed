const MAX_MESSAGES = 20;

export const OUTCOMES = ['created', 'updated', 'existed', 'left out', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];
type Counts = Record<Outcome, number>;

/** Counts the outcomes by resource, and keeps the first messages about failures. */
export class Tally {
  readonly resources = new Map<string, Counts>();
  readonly messages: string[] = [];
  #omitted = 0;
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

  note(message: string): void {
    if (this.messages.length < MAX_MESSAGES) this.messages.push(message);
    else this.#omitted++;
  }

  get failed(): number {
    return [...this.resources.values()].reduce((sum, counts) => sum + counts.failed, 0);
  }

  /** The final table of an import, followed by the messages. Resources without objects are left out. */
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
    const beyond = this.#omitted === 0 ? [] : [`and ${this.#omitted} more of these`];
    return [...lines, ...this.messages, ...beyond];
  }
}
