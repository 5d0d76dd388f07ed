import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasBody } from '../limits/incoming-bodies.ts';

/** A body must be here in time: who sends one slowly holds memory, and a place among the requests of its connection. */
export function bodyClock(
  limitMs: number,
  tooSlow: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { raw } = request;
    if (hasBody(raw)) {
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
