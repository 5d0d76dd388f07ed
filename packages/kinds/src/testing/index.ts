export { allCollections, type Collection, largeObject, VARIANTS, type Variant } from './large-objects.ts';
