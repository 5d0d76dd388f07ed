import type { Api } from '../reliability/load/api.ts';

/** Watches a collection, resumes at the next address from the last version that it received, and measures the interruptions. */
export class RollingWatcher {
  readonly versions: number[] = [];
  readonly interruptionsMs: number[] = [];
  connects = 0;
  relists = 0;
  last = 0;
  readonly #apis: readonly Api[];
  #next: number;
  #isStopped = false;
  #abort: () => void = () => {};

  constructor(apis: readonly Api[], first = 0) {
    this.#apis = apis;
    this.#next = first;
  }

  async run(path: string, from: number): Promise<void> {
    this.last = from;
    let endedAt: number | undefined;
    while (!this.#isStopped) {
      const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=600&resourceVersion=${this.last}`;
      const api = this.#apis[this.#next++ % this.#apis.length] as Api;
      const response = await api.stream(`${path}?${query}`);
      if (response?.statusCode !== 200) {
        if (response?.statusCode === 410) this.relists++;
        response?.destroy();
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      this.connects++;
      if (endedAt !== undefined) this.interruptionsMs.push(performance.now() - endedAt);
      this.#abort = () => response.destroy();
      let rest = '';
      try {
        for await (const text of response.setEncoding('utf8')) {
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) this.#receive(line);
        }
      } catch {
        // the connection was closed
      }
      endedAt = performance.now();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#abort();
  }

  #receive(line: string): void {
    if (line.startsWith('{"type":"ERROR"')) {
      this.relists++;
      return;
    }
    this.last = Number(/"resourceVersion":"(\d+)"/.exec(line)?.[1]);
    if (!line.startsWith('{"type":"BOOKMARK"')) this.versions.push(this.last);
  }
}
