const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const SLOW_AFTER_MS = 1000;
const REPEAT_MS = 10_000;

interface Terminal {
  /** whether lines can be overwritten */
  readonly live: boolean;
  write(text: string): void;
}

interface Clock {
  now(): number;
  every(ms: number, tick: () => void): () => void;
}

interface Task {
  readonly text: string;
  readonly since: number;
  /** when it was last written as a plain line */
  writtenAt: number | undefined;
}

/**
 * The output for the user. Work of less than a second is not shown. Longer work is one animated line on a terminal, and
 * elsewhere a plain line now and then.
 */
export class Screen {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #tasks = new Set<Task>();
  #stopTicking: (() => void) | undefined;
  #frame = 0;
  #drawn = false;
  #progressAt = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal = processTerminal(), clock: Clock = systemClock) {
    this.#terminal = terminal;
    this.#clock = clock;
  }

  line(text: string): void {
    this.#clear();
    this.#terminal.write(`${text}\n`);
  }

  /** Shows the progress of long work: each text replaces the one before. */
  progress(text: string): void {
    const now = this.#clock.now();
    if (!this.#terminal.live && now - this.#progressAt < REPEAT_MS) return;
    this.#progressAt = now;
    this.#clear();
    this.#terminal.write(this.#terminal.live ? text : `${text}\n`);
    this.#drawn = this.#terminal.live;
  }

  /** Shows a text during the work. */
  async during<T>(text: string, work: Promise<T>): Promise<T> {
    const task: Task = { text, since: this.#clock.now(), writtenAt: undefined };
    this.#tasks.add(task);
    this.#stopTicking ??= this.#clock.every(FRAME_MS, () => this.#tick());
    try {
      return await work;
    } finally {
      this.#tasks.delete(task);
      this.#clear();
      if (this.#tasks.size === 0) {
        this.#stopTicking?.();
        this.#stopTicking = undefined;
      }
    }
  }

  #tick(): void {
    const now = this.#clock.now();
    const slow = [...this.#tasks].filter((task) => now - task.since >= SLOW_AFTER_MS);
    if (slow.length === 0) return;
    if (this.#terminal.live) this.#draw(slow, now);
    else for (const task of slow) this.#writeLine(task, now);
  }

  #draw(slow: readonly Task[], now: number): void {
    const oldest = Math.min(...slow.map((task) => task.since));
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    this.#terminal.write(`\r\x1b[K${frame} ${slow.map((task) => task.text).join(', ')}  ${seconds(now - oldest)}`);
    this.#drawn = true;
  }

  #writeLine(task: Task, now: number): void {
    if (task.writtenAt !== undefined && now - task.writtenAt < REPEAT_MS) return;
    task.writtenAt = now;
    this.#terminal.write(`${task.text}  ${seconds(now - task.since)}\n`);
  }

  #clear(): void {
    if (this.#drawn) this.#terminal.write('\r\x1b[K');
    this.#drawn = false;
  }
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)} s`;
}

export function processTerminal(
  env: NodeJS.ProcessEnv = process.env,
  stream: NodeJS.WriteStream = process.stdout,
): Terminal {
  // an error of a closed terminal, which must not end the servers
  stream.on('error', () => {});
  const plain = [env.NO_COLOR, env.CI].some((value) => value !== undefined && value !== '') || env.TERM === 'dumb';
  return { live: stream.isTTY === true && !plain, write: (text) => void stream.write(text) };
}

const systemClock: Clock = {
  now: Date.now,
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
