import type { FastifyReply, FastifyRequest } from 'fastify';

/** A body must be here in time: who sends one slowly holds memory, and a place among the requests of its connection. */
export function bodyClock(
  limitMs: number,
  tooSlow: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { raw } = request;
    if (hasBody(request)) {
      const timer = setTimeout(() => {
        tooSlow(request, reply).finally(() => raw.destroy());
      }, limitMs);
      const stop = () => clearTimeout(timer);
      raw.once('end', stop);
      raw.once('close', stop);
    }
    done();
  };
}

function hasBody({ raw, headers }: FastifyRequest): boolean {
  const { stream } = raw as { stream?: { endAfterHeaders?: boolean } };
  if (stream !== undefined) return stream.endAfterHeaders === false;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
