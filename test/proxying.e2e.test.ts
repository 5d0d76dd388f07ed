import { after, before, describe } from 'node:test';
import { failures } from './proxying/failures.ts';
import { logs } from './proxying/logs.ts';
import { Place } from './proxying/place.ts';
import { proxies } from './proxying/proxies.ts';
import { streams } from './proxying/streams.ts';

describe('What is sent on to nodes, pods and services', () => {
  let place: Place;
  before(async () => {
    place = await Place.open();
  });
  after(() => place.close());

  logs(() => place);
  proxies(() => place);
  streams(() => place);
  failures(() => place);
});
