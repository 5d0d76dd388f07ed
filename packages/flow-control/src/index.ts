export { type BootstrapFlowObject, bootstrapFlowObjects, MANDATORY } from './bootstrap.ts';
export { type FlowDeed, type FlowSchemaSpec, type FlowUser, matches } from './flow-schema.ts';
