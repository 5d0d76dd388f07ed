export { type FeatureGate, type FeatureGates, readFeatureGates } from './feature-gates.ts';
