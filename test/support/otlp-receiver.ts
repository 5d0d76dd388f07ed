import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
}

/** The part of the OTLP messages that tests use, with the published field numbers. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { string string_value = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; }
`);

interface Decoded {
  resourceSpans: Array<{
    resource?: { attributes: Array<{ key: string; value?: { stringValue: string } }> };
    scopeSpans: Array<{
      spans: Array<{ traceId: Uint8Array; spanId: Uint8Array; parentSpanId: Uint8Array; name: string }>;
    }>;
  }>;
}

/** A receiver of OTLP over HTTP in Protobuf, which keeps the received spans. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  let isBroken = false;
  let broken = 0;
  const server = createServer((request, response) => {
    if (isBroken) {
      broken++;
      request.destroy();
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.url === '/v1/traces') spans.push(...decode(Buffer.concat(parts)));
      response.setHeader('Content-Type', 'application/x-protobuf').end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** From now on it breaks each connection at its next request. */
    break: () => {
      isBroken = true;
    },
    /** the requests whose connections it has broken */
    get broken() {
      return broken;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function decode(bytes: Buffer): ReceivedSpan[] {
  const request = root.lookupType('Request').decode(bytes) as unknown as Decoded;
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource?.attributes.find(({ key }) => key === 'service.name')?.value?.stringValue ?? '';
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service,
        name: span.name,
        traceId: Buffer.from(span.traceId).toString('hex'),
        spanId: Buffer.from(span.spanId).toString('hex'),
        parentSpanId: Buffer.from(span.parentSpanId).toString('hex'),
      })),
    );
  });
}
