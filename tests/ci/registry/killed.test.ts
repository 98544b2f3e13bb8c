import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { rootToken, TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';
import { basic, image, RegistryClient, sha256 } from './registry-client.ts';

const name = 'root/images';

forEachEngine((engine) => {
  describe('killed registry server', () => {
    let place: ServerPlace;

    /** Starts a server on the same data and stops it afterwards. */
    const withServer = async <T>(work: (client: RegistryClient, server: TestServer) => Promise<T>): Promise<T> => {
      const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
      try {
        return await work(new RegistryClient(server.url, basic('root', rootToken)), server);
      } finally {
        await server.running.close();
      }
    };

    before(async () => {
      place = await ServerPlace.make(engine);
      await withServer(async (client, server) => {
        await server.must('POST /projects', { json: { name: 'images' } });
        await client.pushImage(name, 'old', 'old layer');
      });
    });

    it('stores a manifest completely or not at all, and accepts it again', async () => {
      const { line, ended } = await place.serve('registry.manifest');
      const dying = new RegistryClient(line, basic('root', rootToken));
      await assert.rejects(dying.pushImage(name, 'new', 'new layer'));
      await ended;
      await withServer(async (client) => {
        assert.deepEqual(await client.tags(name), ['old']);
        const digest = sha256(JSON.stringify(image('{}', 'new layer')));
        assert.equal((await client.call(`GET /v2/${name}/manifests/${digest}`)).code, 'MANIFEST_UNKNOWN');
        assert.equal(
          (await client.putManifest(name, 'new', image('{}', 'new layer'))).status,
          201,
          'blobs remain stored',
        );
        assert.deepEqual(await client.tags(name), ['new', 'old']);
      });
    });

    it('keeps acknowledged upload chunks and continues from there', async () => {
      const { line, child, ended } = await place.serve();
      const dying = new RegistryClient(line, basic('root', rootToken));
      const [first, second] = [Buffer.alloc(200_000, 1), Buffer.alloc(100_000, 2)];
      const started = await dying.call(`POST /v2/${name}/blobs/uploads/`);
      const taken = await dying.call(`PATCH ${started.headers.get('location')}`, { body: new Uint8Array(first) });
      assert.equal(taken.headers.get('range'), '0-199999');
      const place2 = taken.headers.get('location') ?? '';
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array(second.subarray(0, 50_000)));
          // Kills the server once it has started reading; the rest of the body is never sent.
          if (controller.desiredSize !== null && controller.desiredSize <= 0) child.kill('SIGKILL');
          return new Promise(() => undefined);
        },
      });
      const broken = dying.call(`PATCH ${place2}`, { body: endless });
      await Promise.all([assert.rejects(broken), ended]);
      await withServer(async (client) => {
        const status = await client.call(`GET ${place2}`);
        assert.deepEqual([status.status, status.headers.get('range')], [204, '0-199999']);
        const digest = sha256(Buffer.concat([first, second]));
        const range = { 'content-range': '200000-299999' };
        const rest = await client.call(`PATCH ${place2}`, { body: new Uint8Array(second), headers: range });
        assert.equal(rest.status, 202, rest.text);
        const finished = await client.call(`PUT ${rest.headers.get('location')}?digest=${digest}`);
        assert.equal(finished.status, 201, finished.text);
        assert.equal((await client.call(`HEAD /v2/${name}/blobs/${digest}`)).headers.get('content-length'), '300000');
      });
    });
  });
});
