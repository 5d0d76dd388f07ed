export { formsOf, spellingsOf } from './spellings.ts';
