import type { Client } from './client.ts';

/** The media types and query parameters of one operation in an OpenAPI document. */
export interface ListedOperation {
  readonly path: string;
  readonly method: string;
  /** media types of the body, or undefined if there is none */
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

/** The operations of all OpenAPI v3 documents. */
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

/** The operations of the OpenAPI v2 document. All answers of an operation have the same media types. */
export async function listedInV2(client: Client): Promise<ListedOperation[]> {
  const { json } = await client.get('/openapi/v2');
  return operationsIn(json.paths, ({ consumes, produces, parameters = [], responses }) => ({
    takes: parameters.some((one: Parameter) => one.in === 'body') ? consumes : undefined,
    answers: Object.fromEntries(
      Object.entries<{ schema?: object }>(responses).map(([code, { schema }]) => [code, schema ? produces : []]),
    ),
  }));
}

// biome-ignore lint/suspicious/noExplicitAny: the fields depend on the version of the document
type Operation = any;

function operationsIn(
  paths: Record<string, Operation>,
  read: (operation: Operation) => Pick<ListedOperation, 'takes' | 'answers'>,
): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const parameters: Parameter[] = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      return { path, method, query: query.sort(), ...read(item[method]) };
    }),
  );
}
