import {
  type Attributes,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/**
 * Spans that follow one request through all parts. The parent is always passed as a W3C traceparent, because gRPC
 * batches and NATS messages carry many requests at once; there is no ambient context.
 * Without an endpoint the SDK is not loaded, and every call costs one comparison.
 */
export interface Tracing {
  readonly enabled: boolean;
  /** The span of a request: a child of the caller's span if that is sampled, or the root of a new sampled trace. */
  request(name: string, traceparent: string | undefined, attributes?: Attributes): TraceSpan | undefined;
  /** A span inside a sampled trace; undefined when the parent is not sampled. */
  child(name: string, traceparent: string | undefined, options?: ChildOptions): TraceSpan | undefined;
  shutdown(): Promise<void>;
}

interface ChildOptions {
  attributes?: Attributes;
  kind?: keyof typeof SpanKind;
  startTime?: number;
}

export interface TraceSpan {
  /** for children of this span */
  readonly traceparent: string;
  readonly traceId: string;
  set(attributes: Attributes): void;
  end(error?: string): void;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

interface TracingOptions {
  endpoint: string;
  sampleRatio: number;
  part: string;
  instance: string;
}

export async function createTracing(options: TracingOptions): Promise<Tracing> {
  if (options.endpoint === '') {
    return { enabled: false, request: () => undefined, child: () => undefined, shutdown: async () => {} };
  }
  const { startSdk } = await import('./tracing-sdk.ts');
  const shutdown = startSdk(options);
  return new SdkTracing(trace.getTracer('tidegate'), options.sampleRatio, shutdown);
}

/** Decides about sampling before it calls the SDK, which would create ids and a span for unsampled requests. */
export class SdkTracing implements Tracing {
  readonly enabled = true;
  readonly #tracer: Tracer;
  readonly #sampleRatio: number;
  readonly shutdown: () => Promise<void>;

  constructor(tracer: Tracer, sampleRatio: number, shutdown: () => Promise<void>) {
    this.#tracer = tracer;
    this.#sampleRatio = sampleRatio;
    this.shutdown = shutdown;
  }

  request(name: string, traceparent: string | undefined, attributes: Attributes = {}): TraceSpan | undefined {
    const parent = parentIn(traceparent);
    const isSampled = parent === undefined ? Math.random() < this.#sampleRatio : isTraced(parent);
    if (!isSampled) return undefined;
    return new RecordedSpan(this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, contextOf(parent)));
  }

  child(name: string, traceparent: string | undefined, options: ChildOptions = {}): TraceSpan | undefined {
    const parent = parentIn(traceparent);
    if (parent === undefined || !isTraced(parent)) return undefined;
    const { startTime, kind = 'INTERNAL', attributes = {} } = options;
    const all = { kind: SpanKind[kind], attributes, ...(startTime === undefined ? {} : { startTime }) };
    return new RecordedSpan(this.#tracer.startSpan(name, all, contextOf(parent)));
  }
}

/** Parses a traceparent; undefined if it is missing or invalid. */
function parentIn(traceparent: string | undefined): SpanContext | undefined {
  const match = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  if (match === null) return undefined;
  const [, traceId, spanId, flags] = match as unknown as [string, string, string, string];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? parent : undefined;
}

function isTraced({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

function contextOf(parent: SpanContext | undefined) {
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

class RecordedSpan implements TraceSpan {
  readonly #span: Span;
  readonly traceparent: string;
  readonly traceId: string;

  constructor(span: Span) {
    const { traceId, spanId } = span.spanContext();
    this.#span = span;
    this.traceId = traceId;
    this.traceparent = `00-${traceId}-${spanId}-01`;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  end(error?: string): void {
    if (error !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.#span.end();
  }
}
