export { type BootstrapFlowObject, bootstrapFlowObjects, MANDATORY } from './bootstrap.ts';
export { Classifier, distinguisherOf, type FlowObject, type NamedSchema } from './classifier.ts';
export type { FlowOperation, FlowSchemaSpec, FlowUser } from './flow-schema.ts';
export type { LevelTicket as Ticket } from './level.ts';
export { Seats } from './seats.ts';
export type { FlowTally, RejectionReason, SeatRequest } from './ticket.ts';
