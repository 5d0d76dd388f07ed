import type { Client } from './client.ts';

/** What an OpenAPI document says that one method of one path takes and answers. */
export interface ListedOperation {
  readonly path: string;
  readonly method: string;
  /** media types of the body; undefined where there is none */
  readonly takes: readonly string[] | undefined;
  /** media types of the answer, by status code */
  readonly answers: Readonly<Record<string, readonly string[]>>;
  readonly query: readonly string[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

interface Parameter {
  readonly name: string;
  readonly in: string;
}

/** The operations of every document of version 3. */
export async function listedInV3(client: Client): Promise<ListedOperation[]> {
  const { paths } = (await client.get('/openapi/v3')).json;
  const found: ListedOperation[] = [];
  for (const { serverRelativeURL } of Object.values<{ serverRelativeURL: string }>(paths)) {
    const { json } = await client.get(serverRelativeURL);
    found.push(
      ...operationsIn(json.paths, ({ requestBody, responses }) => ({
        takes: requestBody === undefined ? undefined : Object.keys(requestBody.content),
        answers: Object.fromEntries(
          Object.entries<{ content?: object }>(responses).map(([code, { content = {} }]) => [
            code,
            Object.keys(content),
          ]),
        ),
      })),
    );
  }
  return found;
}

/** The operations of the document of version 2. What it says of one answer, it says of all. */
export async function listedInV2(client: Client): Promise<ListedOperation[]> {
  const { json } = await client.get('/openapi/v2');
  return operationsIn(json.paths, ({ consumes, produces, parameters = [], responses }) => ({
    takes: parameters.some((one: Parameter) => one.in === 'body') ? consumes : undefined,
    answers: Object.fromEntries(
      Object.entries<{ schema?: object }>(responses).map(([code, { schema }]) => [code, schema ? produces : []]),
    ),
  }));
}

// biome-ignore lint/suspicious/noExplicitAny: a document of another version has other fields
type Said = any;

function operationsIn(
  paths: Record<string, Said>,
  read: (operation: Said) => Pick<ListedOperation, 'takes' | 'answers'>,
): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const parameters: Parameter[] = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      return { path, method, query: query.sort(), ...read(item[method]) };
    }),
  );
}
