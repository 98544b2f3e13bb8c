import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../src/access/services.ts';
import { createLocalSignals } from '../../src/platform/signals/local.ts';
import { html } from '../../src/web/frame/html.ts';
import { OpenPages } from '../../src/web/frame/live.ts';
import type { Visit } from '../../src/web/frame/visit.ts';
import { until } from '../support/until.ts';

/** Exceeds the socket buffers of a local connection. */
const large = 'x'.repeat(40_000_000);

describe('live updates for a slow reader', () => {
  const drawn = new Map<string, number>();
  const ends: (() => Promise<void>)[] = [];
  const app = { addHook: (_name: string, hook: () => Promise<void>) => ends.push(hook) };
  const services = {
    signals: createLocalSignals((error) => assert.fail(String(error))),
    log: { warn: (fields: unknown) => assert.fail(String(fields)) },
  };
  const pages = new OpenPages(app as unknown as FastifyInstance, services as unknown as Services);
  const server = createServer(async (request, raw) => {
    const path = request.url ?? '';
    const reply = { raw, hijack: () => undefined };
    const visit = { reply, request: { ip: path }, user: null, path } as unknown as Visit;
    const changes = async () => {
      drawn.set(path, (drawn.get(path) ?? 0) + 1);
      return { messages: [html`${path === '/slow' ? large : 'short'}`] };
    };
    await pages.serve(visit, async () => ({ every: 1, changes }), {});
  });
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => server.close());

  const open = (path: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return socket;
  };

  it('wait until the previous update is read', async () => {
    const slow = open('/slow').pause();
    await until(() => drawn.get('/slow') === 1);
    const quick = open('/quick').resume();
    await until(() => (drawn.get('/quick') ?? 0) > 3);
    assert.equal(drawn.get('/slow'), 1);
    slow.resume();
    await until(() => (drawn.get('/slow') ?? 0) > 1);
    slow.destroy();
    quick.destroy();
    for (const end of ends) await end();
  });
});
