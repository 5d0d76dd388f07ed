export { type BootstrapFlowObject, bootstrapFlowObjects, MANDATORY } from './bootstrap.ts';
export { Classifier, distinguisherOf, type FlowObject, type NamedSchema } from './classifier.ts';
export type { FlowDeed, FlowSchemaSpec, FlowUser } from './flow-schema.ts';
export { Seats } from './seats.ts';
export type { FlowTally, RefusedBecause, SeatRequest, Ticket } from './ticket.ts';
