import { type Attributes, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

/**
 * Spans that follow one request through all parts. The parent always travels as a W3C traceparent text, because it
 * crosses gRPC batches and NATS messages that carry many requests at once; there is no ambient context.
 * When no exporter is configured nothing of the SDK is loaded and every call costs one comparison.
 */
export interface Tracing {
  readonly enabled: boolean;
  /** The span of a request: a child of the caller's trace if it sent one, else a new trace if the sampler says so. */
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
  return new SdkTracing(trace.getTracer('tidegate'), shutdown);
}

class SdkTracing implements Tracing {
  readonly enabled = true;
  readonly #tracer: Tracer;
  readonly shutdown: () => Promise<void>;

  constructor(tracer: Tracer, shutdown: () => Promise<void>) {
    this.#tracer = tracer;
    this.shutdown = shutdown;
  }

  request(name: string, traceparent: string | undefined, attributes: Attributes = {}): TraceSpan | undefined {
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentContext(traceparent));
    return span.isRecording() ? new RecordedSpan(span) : undefined;
  }

  child(name: string, traceparent: string | undefined, options: ChildOptions = {}): TraceSpan | undefined {
    if (!traceparent?.endsWith('-01')) return undefined;
    const { startTime, kind = 'INTERNAL', attributes = {} } = options;
    const span = this.#tracer.startSpan(
      name,
      { kind: SpanKind[kind], attributes, ...(startTime === undefined ? {} : { startTime }) },
      parentContext(traceparent),
    );
    return span.isRecording() ? new RecordedSpan(span) : undefined;
  }
}

function parentContext(traceparent: string | undefined) {
  const match = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  if (match === null) return context.active();
  const [, traceId, spanId, flags] = match as unknown as [string, string, string, string];
  return trace.setSpanContext(context.active(), {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
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
