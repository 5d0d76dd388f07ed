import { after, before, describe } from 'node:test';
import { failures } from './proxying/failures.ts';
import { logs } from './proxying/logs.ts';
import { proxies } from './proxying/proxies.ts';
import { ProxySetup } from './proxying/proxy-setup.ts';
import { streams } from './proxying/streams.ts';

describe('Requests that are forwarded to nodes, pods and services', () => {
  let setup: ProxySetup;
  before(async () => {
    setup = await ProxySetup.open();
  });
  after(() => setup.close());

  logs(() => setup);
  proxies(() => setup);
  streams(() => setup);
  failures(() => setup);
});
