const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const PATIENCE_MS = 1000;
const REPEAT_MS = 10_000;

interface Terminal {
  /** whether lines may be drawn over */
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
  /** when it was last told in plain lines */
  told: number | undefined;
}

/**
 * What the user sees. Nothing is said of what takes less than a second; what takes longer has one line that moves on a
 * terminal, and a plain line now and then where there is none.
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

  /** Shows how far something long is: each text takes the place of the one before. */
  progress(text: string): void {
    const now = this.#clock.now();
    if (!this.#terminal.live && now - this.#progressAt < REPEAT_MS) return;
    this.#progressAt = now;
    this.#clear();
    this.#terminal.write(this.#terminal.live ? text : `${text}\n`);
    this.#drawn = this.#terminal.live;
  }

  /** Shows text while the work goes on. */
  async during<T>(text: string, work: Promise<T>): Promise<T> {
    const task: Task = { text, since: this.#clock.now(), told: undefined };
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
    const slow = [...this.#tasks].filter((task) => now - task.since >= PATIENCE_MS);
    if (slow.length === 0) return;
    if (this.#terminal.live) this.#draw(slow, now);
    else for (const task of slow) this.#tell(task, now);
  }

  #draw(slow: readonly Task[], now: number): void {
    const oldest = Math.min(...slow.map((task) => task.since));
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    this.#terminal.write(`\r\x1b[K${frame} ${slow.map((task) => task.text).join(', ')}  ${seconds(now - oldest)}`);
    this.#drawn = true;
  }

  #tell(task: Task, now: number): void {
    if (task.told !== undefined && now - task.told < REPEAT_MS) return;
    task.told = now;
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
  // a terminal that went away must not take the servers down with it
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
