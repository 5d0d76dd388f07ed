import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryDir } from '@tidegate/testkit';
import { WebSocket } from 'ws';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** Finds Chromium on this machine: CHROME_PATH, or a program on the path. */
export function chromiumPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const dirs = (env.PATH ?? '').split(delimiter);
  const found = [env.CHROME_PATH ?? '', ...NAMES.flatMap((name) => dirs.map((dir) => join(dir, name))), MAC];
  return found.find(isProgram);
}

function isProgram(path: string): boolean {
  if (path === '') return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Message = { id?: number; method?: string; sessionId?: string; params?: object; result?: object; error?: object };

/** A headless Chromium of the test's own, driven by its DevTools protocol. */
export class Chromium {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #remove: () => void;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #listeners = new Map<string, Array<(params: object) => void>>();
  #lastId = 0;

  private constructor(process: ChildProcess, socket: WebSocket, remove: () => void) {
    this.#process = process;
    this.#socket = socket;
    this.#remove = remove;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data)) as Message));
  }

  static async start(path: string): Promise<Chromium> {
    const { path: dir, remove } = temporaryDir('chromium');
    // only local pages are opened, and the sandbox does not work for root
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
    const profile = ['--disable-dev-shm-usage', '--remote-debugging-port=0', `--user-data-dir=${dir}`, 'about:blank'];
    const child = spawn(path, [...args, ...profile], {
      stdio: ['ignore', 'ignore', 'pipe'],
      // its temporary files are removed with its profile
      env: { ...process.env, TMPDIR: dir },
    });
    const address = await addressOf(child);
    const socket = new WebSocket(address);
    await once(socket, 'open');
    return new Chromium(child, socket, remove);
  }

  async page(): Promise<ChromiumPage> {
    const { targetId } = (await this.send('Target.createTarget', { url: 'about:blank' })) as { targetId: string };
    const attached = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const { sessionId } = attached as { sessionId: string };
    const page = new ChromiumPage(this, sessionId);
    for (const domain of ['Page', 'Runtime', 'Log', 'Accessibility']) await page.send(`${domain}.enable`);
    return page;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#socket.terminate();
    this.#process.kill('SIGKILL');
    await ended;
    this.#remove();
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<object> {
    const id = ++this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) =>
      this.#waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${JSON.stringify(error)}`));
      }),
    );
  }

  on(method: string, sessionId: string, listener: (params: object) => void): void {
    const key = `${sessionId} ${method}`;
    this.#listeners.set(key, [...(this.#listeners.get(key) ?? []), listener]);
  }

  #receive(message: Message): void {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    } else
      for (const listener of this.#listeners.get(`${message.sessionId} ${message.method}`) ?? [])
        listener(message.params ?? {});
  }
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stderr as NodeJS.ReadableStream })) {
    const [, address] = /DevTools listening on (ws:\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('Chromium exited before it printed its DevTools address');
}

/** One tab. */
export class ChromiumPage {
  readonly #browser: Chromium;
  readonly #session: string;
  /** errors that the browser logged: script errors and violations of the content security policy */
  readonly errors: string[] = [];
  /** how often a document was loaded */
  loads = 0;

  constructor(browser: Chromium, session: string) {
    this.#browser = browser;
    this.#session = session;
    browser.on('Log.entryAdded', session, (params) => this.errors.push(JSON.stringify(params)));
    browser.on('Runtime.exceptionThrown', session, (params) => this.errors.push(JSON.stringify(params)));
    browser.on('Page.loadEventFired', session, () => {
      this.loads++;
    });
  }

  send(method: string, params: object = {}): Promise<object> {
    return this.#browser.send(method, params, this.#session);
  }

  async open(url: string): Promise<void> {
    const before = this.loads;
    await this.send('Page.navigate', { url });
    while (this.loads === before) await this.evaluate('new Promise((done) => setTimeout(done, 10))').catch(() => {});
  }

  async evaluate<T>(expression: string): Promise<T> {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = (await this.send('Runtime.evaluate', params)) as {
      result: { value: T };
      exceptionDetails?: object;
    };
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  async resize(width: number, height: number): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async theme(scheme: 'light' | 'dark'): Promise<void> {
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  /** The accessible elements, as `role name`, as a screen reader gets them. */
  async accessibleNodes(): Promise<string[]> {
    const { nodes } = (await this.send('Accessibility.getFullAXTree')) as {
      nodes: Array<{ ignored: boolean; role?: { value: string }; name?: { value: string } }>;
    };
    return nodes
      .filter(({ ignored }) => !ignored)
      .map(({ role, name }) => `${role?.value} ${name?.value ?? ''}`.trim());
  }
}
