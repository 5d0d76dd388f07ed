export { asBuffer, booleanArray, byteaText, numberArray, textArray } from './array-text.ts';
export { type Parameter, Pool, type Row, type Transaction } from './connection.ts';
export { migrate, migrationFiles } from './migrate.ts';
export { connectTarget } from './postgres-url.ts';
export { checkServer, openEpochIfMoved, type ServerFacts, waitForServer } from './server-check.ts';
export { type FailureKind, failureKind, isUnreachable } from './sqlstate.ts';
