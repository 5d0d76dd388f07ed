/** A named check, answered from local state: undefined when it passes, else the reason. */
export interface Check {
  readonly name: string;
  /** A required check fails readiness; the others are degradations that only show. */
  readonly required: boolean;
  readonly failing: () => string | undefined;
}

/** The checks of this process, in the order in which they were added. */
export class Checks {
  readonly #checks: Check[] = [{ name: 'ping', required: true, failing: () => undefined }];
  #stopping = false;

  add(name: string, failing: () => string | undefined, options: { required: boolean } = { required: true }): void {
    this.#checks.push({ name, required: options.required, failing });
  }

  all(): readonly Check[] {
    return this.#checks;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** From here on readiness fails, so that load balancers turn away before the listeners close. */
  beginStop(): void {
    this.#stopping = true;
  }

  ready(): boolean {
    return !this.#stopping && this.#checks.every((check) => !check.required || check.failing() === undefined);
  }
}
