export { parseResourceVersion, type Revision, revisionText, toRevision } from './revision.ts';
