import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { temporaryDir, until } from '@tidegate/testkit';
import { DnsServer } from './dns-server.ts';
import { type Manifest, matchesLabels, NAMESPACE, ofKind, workloads } from './render.ts';

interface SmallClusterOptions {
  readonly manifests: readonly Manifest[];
  /** the program and its first arguments for a part */
  readonly command: (part: string) => readonly string[];
}

interface Pod {
  readonly name: string;
  readonly part: string;
  readonly labels: Record<string, string>;
  readonly ip: string;
  readonly child: ChildProcess;
  readonly logFile: string;
  isReady: boolean;
}

/** Why pods cannot have their own addresses on this machine, or undefined if they can. */
export const whyNoAddresses =
  process.platform === 'linux' ? undefined : 'needs Linux, where all of 127.0.0.0/8 is this machine';

/** Differs for each process, because several clones may run tests on one machine at a time. */
const network = `127.${64 + (process.pid % 128)}.${(process.pid >> 7) % 256}`;
/** the address of the first pod */
export const firstAddress = `${network}.1`;

const PROBE_INTERVAL_MS = 100;

/**
 * Runs the chart's pods without Kubernetes. Each pod is a process with the arguments, environment and Secrets of its
 * manifest, at its own loopback address, and a DNS server resolves the Services.
 *
 * Only these are substituted: the listening address, the folder of the files, the DNS server, and the URL of the
 * gateway's Service.
 */
export class SmallCluster {
  readonly #options: SmallClusterOptions;
  readonly #dir = temporaryDir('small-cluster');
  readonly #dns = new DnsServer((name) => this.#addressesOf(name));
  readonly #pods: Pod[] = [];
  #dnsAddress = '';
  #started = 0;
  #probeTimer: NodeJS.Timeout | undefined;

  constructor(options: SmallClusterOptions) {
    this.#options = options;
  }

  /** Starts one pod of each part, and waits until all are ready. */
  async start(parts: readonly string[]): Promise<void> {
    this.#dnsAddress = await this.#dns.start();
    this.#probeTimer = setInterval(() => void this.#probe(), PROBE_INTERVAL_MS);
    for (const part of parts) this.add(part);
    await until(`${parts} to be ready`, () => this.#pods.every(({ isReady }) => isReady), 40_000).catch((error) => {
      throw new Error(`${(error as Error).message}\n${this.logTails()}`);
    });
  }

  /** Starts one more pod of a part and returns its address. */
  add(part: string): string {
    const found = workloads(this.#options.manifests).find((one) => one.part === part);
    if (found === undefined) throw new Error(`the chart has no ${part}`);
    const ip = `${network}.${++this.#started}`;
    const name = `${found.name}-${this.#started}`;
    const logFile = join(this.#dir.path, `${name}.log`);
    const log = openSync(logFile, 'a', 0o600);
    const [container] = found.pod.containers;
    const files = this.#writeFiles(name, found.pod);
    const args = container.args.slice(1).map((text: string) => this.#substituted(text, { name, ip, files }));
    const [program = '', ...first] = this.#options.command(part);
    // with --lifeline it stops when its standard input closes, so it never outlives the test
    const child = spawn(program, [...first, ...args, '--lifeline'], {
      stdio: ['pipe', log, log],
      env: { ...ownEnvironment(), ...this.#environment(container), POD_NAME: name },
    });
    closeSync(log);
    this.#pods.push({ name, part, labels: found.labels, ip, child, logFile, isReady: false });
    return ip;
  }

  /** Removes the pod from its Services and then stops it, as a cluster does. */
  async remove(ip: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const [pod] = this.#pods.splice(
      this.#pods.findIndex((one) => one.ip === ip),
      1,
    );
    if (pod !== undefined) await stopProcess(pod.child, signal);
  }

  isReady(ip: string): boolean {
    return this.#pods.some((pod) => pod.ip === ip && pod.isReady);
  }

  ipOf(part: string): string {
    return this.#pods.find((pod) => pod.part === part)?.ip ?? '';
  }

  /** The value of a key in a Secret of the chart. */
  secret(name: string, key: string): string {
    const made = ofKind(this.#options.manifests, 'Secret').find(({ metadata }) => metadata.name === name);
    return made.stringData?.[key] ?? Buffer.from(made.data[key], 'base64').toString();
  }

  /** The last log lines of every pod. */
  logTails(): string {
    return this.#pods.map(({ name, logFile }) => `${name}: ${readFileSync(logFile, 'utf8').slice(-1500)}`).join('\n');
  }

  async stop(): Promise<void> {
    clearInterval(this.#probeTimer);
    await Promise.all(this.#pods.map(({ child }) => stopProcess(child, 'SIGKILL')));
    this.#dns.stop();
    this.#dir.remove();
  }

  #substituted(text: string, { name, ip, files }: { name: string; ip: string; files: string }): string {
    const gateway = ofKind(this.#options.manifests, 'Service').find((one) => one.metadata.name.endsWith('-gateway'));
    const url = `https://${gateway.metadata.name}.${NAMESPACE}.svc`;
    return text
      .replaceAll('$(POD_NAME)', name)
      .replace('=0.0.0.0', `=${ip}`)
      .replaceAll('/etc/tidegate', files)
      .replace('dns:///', `dns://${this.#dnsAddress}/`)
      .replace(url, `https://${this.ipOf('gateway') || ip}:6443`);
  }

  #environment(container: Manifest): Record<string, string> {
    const entries = (container.env as Manifest[]).flatMap(({ name, value, valueFrom }) => {
      const ref = valueFrom?.secretKeyRef;
      if (ref !== undefined) return [[name, this.secret(ref.name, ref.key)]];
      return value === undefined ? [] : [[name, value.replace(/^\/tmp/, this.#dir.path)]];
    });
    return Object.fromEntries(entries);
  }

  #writeFiles(name: string, pod: Manifest): string {
    const files = join(this.#dir.path, name);
    const [{ volumeMounts }] = pod.containers;
    for (const { name: volume, mountPath } of volumeMounts) {
      const secret = pod.volumes.find((one: Manifest) => one.name === volume)?.secret;
      if (secret === undefined) continue;
      const folder = mountPath.replace('/etc/tidegate', files);
      mkdirSync(folder, { recursive: true });
      const keys = (secret.items ?? CERTIFICATE).map(({ key }: { key: string }) => key);
      for (const key of keys) writeFileSync(join(folder, key), this.secret(secret.secretName, key), { mode: 0o600 });
    }
    return files;
  }

  #addressesOf(name: string): readonly string[] | undefined {
    const service = ofKind(this.#options.manifests, 'Service').find(
      ({ metadata, spec }) => spec.clusterIP === 'None' && `${metadata.name}.${NAMESPACE}.svc` === name,
    );
    if (service === undefined) return undefined;
    const { selector, publishNotReadyAddresses } = service.spec;
    return this.#pods
      .filter(({ labels, isReady }) => matchesLabels(selector, labels) && (isReady || publishNotReadyAddresses))
      .map(({ ip }) => ip);
  }

  async #probe(): Promise<void> {
    await Promise.all(this.#pods.map(async (pod) => (pod.isReady = await isReadyAt(pod.ip))));
  }
}

const CERTIFICATE = ['tls.crt', 'tls.key', 'ca.crt'].map((key) => ({ key }));

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TIDEGATE_')));
}

function isReadyAt(ip: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = get(`http://${ip}:8081/readyz`, { timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(false));
  });
}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
