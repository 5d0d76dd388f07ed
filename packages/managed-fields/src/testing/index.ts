export type { PublishedSchema } from './published-schema.ts';
export { type Managed, plain, run, type Step } from './steps.ts';
