export { collect, freshDatabase, keyOf, listAt, openPool, openStorage, write } from './fixture.ts';
