import { readFileSync, writeFileSync } from 'node:fs';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type Manifest = { metadata?: Manifest } & { [key: string]: JsonValue };

/** What kube-apiserver said: a refusal with its causes, or the object that it made, without its metadata. */
export interface CorpusAnswer {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: ReadonlyArray<{ readonly field: string; readonly reason: string; readonly message: string }>;
  readonly object?: Manifest;
}

export interface CorpusCase {
  readonly title: string;
  /** what the case is meant to be; the answer has to agree */
  readonly valid: boolean;
  readonly manifest: Manifest;
  /** a merge patch of what the manifest made; the answer is to it */
  readonly then?: Manifest;
  answer?: CorpusAnswer;
}

export interface CorpusFile {
  /** where the manifests are posted */
  readonly path: string;
  readonly cases: CorpusCase[];
}

export function readCorpusFile(file: string): CorpusFile {
  return JSON.parse(readFileSync(file, 'utf8')) as CorpusFile;
}

/** A line for each manifest and each answer, so that a change of one is a diff of one line. */
export function writeCorpusFile(file: string, { path, cases }: CorpusFile): void {
  const texts = cases.map((one) => {
    const fields = Object.entries(one).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    return `{${fields.join(',\n ')}}`;
  });
  writeFileSync(file, `{"path": ${JSON.stringify(path)},\n"cases": [\n${texts.join(',\n')}\n]}\n`);
}
