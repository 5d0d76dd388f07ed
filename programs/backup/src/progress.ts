import { megabytes, objectCount, seconds } from './messages.ts';

const WIDTH = 30;
const DRAW_MS = 100;
const PRINT_MS = 10_000;

interface Screen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

interface Passed {
  readonly objects: number;
  readonly bytes: number;
}

/** A progress bar on a terminal; elsewhere a plain line now and then. */
export class Progress {
  readonly #title: string;
  readonly #screen: Screen;
  readonly #live: boolean;
  readonly #now: () => number;
  readonly #startedAt: number;
  #shownAt: number;
  #drawn = false;

  constructor(
    title: string,
    screen: Screen = process.stderr,
    now: () => number = Date.now,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.#title = title;
    this.#screen = screen;
    this.#live = screen.isTTY === true && !env.CI && !env.NO_COLOR && env.TERM !== 'dumb';
    this.#now = now;
    this.#startedAt = this.#shownAt = now();
  }

  show(passed: Passed, objects: number): void {
    const now = this.#now();
    if (now - this.#shownAt < (this.#live ? DRAW_MS : PRINT_MS)) return;
    this.#shownAt = now;
    const share = objects === 0 ? 1 : Math.min(1, passed.objects / objects);
    const done = Math.round(share * WIDTH);
    const text = `${Math.floor(share * 100)} %  ${passed.objects.toLocaleString('en')} of ${objectCount(objects)}  ${megabytes(passed.bytes)}  ${seconds(this.#startedAt, now)}`;
    this.#drawn = this.#live;
    this.#screen.write(
      this.#live
        ? `\r\x1b[K${this.#title} [${'#'.repeat(done)}${'-'.repeat(WIDTH - done)}] ${text}`
        : `${this.#title}: ${text}\n`,
    );
  }

  clear(): void {
    if (this.#drawn) this.#screen.write('\r\x1b[K');
    this.#drawn = false;
  }
}
