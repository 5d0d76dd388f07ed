import { readFileSync, writeFileSync } from 'node:fs';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type Manifest = { metadata?: Manifest } & { [key: string]: JsonValue };

/** The response of kube-apiserver: an error with its causes, or the created object without its metadata. */
export interface CorpusAnswer {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: ReadonlyArray<{ readonly field: string; readonly reason: string; readonly message: string }>;
  readonly object?: Manifest;
}

export interface CorpusCase {
  readonly title: string;
  /** the intention of the case; the recorded answer must agree */
  readonly valid: boolean;
  readonly manifest: Manifest;
  /** a merge patch of the created object; the answer is the response to this patch */
  readonly then?: Manifest;
  answer?: CorpusAnswer;
}

export interface CorpusFile {
  /** the path to which the manifests are posted */
  readonly path: string;
  readonly cases: CorpusCase[];
}

export function readCorpusFile(file: string): CorpusFile {
  return JSON.parse(readFileSync(file, 'utf8')) as CorpusFile;
}

/** Writes each manifest and each answer on a line of its own, so that a change of one is a diff of one line. */
export function writeCorpusFile(file: string, { path, cases }: CorpusFile): void {
  const texts = cases.map((one) => {
    const fields = Object.entries(one).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    return `{${fields.join(',\n ')}}`;
  });
  writeFileSync(file, `{"path": ${JSON.stringify(path)},\n"cases": [\n${texts.join(',\n')}\n]}\n`);
}
