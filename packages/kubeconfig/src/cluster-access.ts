import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OptionError } from '@tidegate/options';
import { readYamlFile } from '@tidegate/schema';

/** The address of a cluster and the credentials for it. */
export interface ClusterAccess {
  readonly server: string;
  readonly ca?: string;
  readonly insecure: boolean;
  readonly serverName?: string;
  readonly cert?: string;
  readonly key?: string;
  /** the value of the header */
  readonly authorization?: string;
}

type Fields = Readonly<Record<string, unknown>>;

export function readClusterAccess(file: string, context = ''): ClusterAccess {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionError(`cannot read the kubeconfig ${file} (${(error as Error).message})`, { cause: error });
  }
  return clusterAccessOf(text, { file, context });
}

/** Reads one context of a kubeconfig. Paths in it are relative to the file. */
export function clusterAccessOf(text: string, { file, context }: { file: string; context: string }): ClusterAccess {
  const config = parse(text, file);
  const wanted = context === '' ? textOf(config['current-context']) : context;
  if (wanted === undefined || wanted === '') {
    throw new OptionError(`${file} has no current context: name one of its contexts with --context`);
  }
  const chosen = entryOf(config.contexts, wanted, 'context', file);
  const cluster = entryOf(config.clusters, textOf(chosen.cluster) ?? '', 'cluster', file);
  const user = textOf(chosen.user) === undefined ? {} : entryOf(config.users, textOf(chosen.user) ?? '', 'user', file);
  for (const method of ['exec', 'auth-provider']) {
    if (user[method] === undefined) continue;
    throw new OptionError(
      `the user of context ${wanted} in ${file} logs in with ${method}, which is not supported: make a kubeconfig with a token or a client certificate`,
    );
  }
  const server = textOf(cluster.server);
  if (server === undefined) throw new OptionError(`the cluster of context ${wanted} in ${file} has no server`);
  const content = (fields: Fields, name: string) => contentOf(fields, name, dirname(resolve(file)));
  return {
    server,
    insecure: cluster['insecure-skip-tls-verify'] === true,
    ...given('ca', content(cluster, 'certificate-authority')),
    ...given('serverName', textOf(cluster['tls-server-name'])),
    ...given('cert', content(user, 'client-certificate')),
    ...given('key', content(user, 'client-key')),
    ...given('authorization', authorizationOf(user, dirname(resolve(file)))),
  };
}

function parse(text: string, file: string): Fields {
  try {
    return fieldsOf(readYamlFile(text));
  } catch (error) {
    throw new OptionError(`${file} is not valid YAML: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
}

/** The content of a named entry in the list of contexts, clusters or users. */
function entryOf(list: unknown, name: string, kind: 'context' | 'cluster' | 'user', file: string): Fields {
  const entries = Array.isArray(list) ? list.map(fieldsOf) : [];
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return fieldsOf(found[kind]);
  const names = entries.map((entry) => String(entry.name)).join(', ');
  throw new OptionError(`${file} has no ${kind} ${name}${names === '' ? '' : `; there are ${names}`}`);
}

/** The data in the kubeconfig, or the content of the file that it names. */
function contentOf(fields: Fields, name: string, dir: string): string | undefined {
  const data = textOf(fields[`${name}-data`]);
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  return fileContent(textOf(fields[name]), dir);
}

function authorizationOf(user: Fields, dir: string): string | undefined {
  const token = textOf(user.token) ?? fileContent(textOf(user.tokenFile), dir)?.trim();
  if (token !== undefined) return `Bearer ${token}`;
  const name = textOf(user.username);
  if (name === undefined) return undefined;
  return `Basic ${Buffer.from(`${name}:${textOf(user.password) ?? ''}`).toString('base64')}`;
}

function fileContent(path: string | undefined, dir: string): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(dir, path), 'utf8');
  } catch (error) {
    throw new OptionError(`cannot read ${resolve(dir, path)}, which the kubeconfig names`, { cause: error });
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function given<K extends string>(name: K, value: string | undefined): { [key in K]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]?: string });
}
