import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNats, natsAddress } from '@tidegate/service-kit';
import { peerCertificates, startNats, startPostgres, until, whyNoNats } from '@tidegate/testkit';
import { connect } from 'nats';
import { freshDatabase, keyOf, textValue, write } from '../testing/fixture.ts';
import { startStore } from '../testing/store-process.ts';

test('The store uses NATS over TLS with a certificate and a password, and NATS rejects clients without them.', {
  skip: (await whyNoNats()) ?? false,
}, async () => {
  const certificates = await peerCertificates();
  const caFile = certificates.peerCaFile;
  const [postgres, nats] = await Promise.all([startPostgres(), startNats({ ...certificates.peer('store'), caFile })]);
  const { certFile: natsCertFile, keyFile: natsKeyFile } = certificates.peer('store');
  const natsUrl = nats.url.replace('nats://', 'tls://').replace('127.0.0.1', 'localhost');
  const reached = { natsUrl, natsCaFile: caFile, natsCertFile, natsKeyFile };
  const store = await startStore(certificates, { postgresUrl: await freshDatabase(postgres), ...reached });
  try {
    const listener = await connect(natsAddress(reached));
    let heard = 0;
    listener.subscribe('tidegate.changes.0', { callback: () => void heard++ });
    await listener.flush();
    const check = () => store.checks.at('healthz').find(({ name }) => name === 'nats');
    await until('NATS to be ready for the store', async () => check()?.failing() === undefined);
    await store.ask({ writes: [write('create', keyOf('a'), { value: textValue('a') })] });
    await until('the change to arrive', async () => heard > 0);
    await listener.close();
    const others = [
      { natsUrl },
      { natsUrl, natsCaFile: caFile },
      { ...reached, natsUrl: natsUrl.replace(':test@', ':guess@') },
    ];
    for (const other of others) await assert.rejects(connect({ ...natsAddress(other), reconnect: false }));
  } finally {
    await store.stop();
    await Promise.all([nats.stop(), postgres.stop()]);
    certificates.remove();
  }
});

test('Invalid options of NATS are rejected, and the error contains no password.', () => {
  const none = { natsUrl: '', natsCaFile: '', natsCertFile: '', natsKeyFile: '' };
  checkNats(none);
  checkNats({ ...none, natsUrl: 'nats://me:secret@a:4222,b:4222' });
  assert.throws(() => checkNats({ ...none, natsCertFile: '/a' }), /must be given together/);
  assert.throws(
    () => checkNats({ ...none, natsCaFile: '/not/there' }),
    /--nats-ca-file: the file \/not\/there does not exist/,
  );
  const bad = { ...none, natsUrl: 'http://me:secret@a' };
  assert.throws(
    () => checkNats(bad),
    ({ message }: Error) => /nats:\/\/HOST:PORT or tls/.test(message) && !message.includes('secret'),
  );
  assert.deepEqual(natsAddress({ natsUrl: 'nats://a%40b:c%3A@h:1,k:2' }), {
    servers: ['h:1', 'k:2'],
    user: 'a@b',
    pass: 'c:',
  });
  assert.deepEqual(natsAddress({ natsUrl: 'nats://t0ken@h:1' }), { servers: ['h:1'], token: 't0ken' });
});
