import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Spellings of the local address. */
const hosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  'localhost',
  'LOCALHOST.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[::]',
  '0',
  '0.0.0.0',
];

forEachEngine((engine) => {
  describe('user-supplied URLs', () => {
    let server: TestServer;
    let receiver: Receiver;
    let port: string;
    let project: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      receiver = await startReceiver();
      port = new URL(receiver.url).port;
      project = await server.must('POST /projects', { json: { name: 'Project', initialize_with_readme: true } });
    });

    it('must not refer to this machine in any spelling', async () => {
      const at = `/projects/${project.id}`;
      for (const host of hosts) {
        const url = `http://${host}:${port}/x.git`;
        const calls: [string, object][] = [
          [`POST ${at}/hooks`, { url }],
          [`POST ${at}/hooks`, { url: `http://{host}:${port}/`, url_variables: [{ key: 'host', value: host }] }],
          [`POST ${at}/remote_mirrors`, { url, enabled: true }],
          [`PUT ${at}/mirror/pull`, { url, enabled: true }],
          ['POST /projects', { name: `Import ${host.replace(/[^\w]/g, '-')}`, import_url: url }],
        ];
        for (const [call, json] of calls) {
          const { status } = await server.api(call, { json });
          assert.ok(status >= 400 && status < 500, `${call} ${host}: ${status}`);
        }
      }
      assert.deepEqual(receiver.received, []);
    });

    it('are resolved once, on delivery', async () => {
      // The name, which resolves to this machine, is looked up on delivery.
      const hook = await server.must(`POST /projects/${project.id}/hooks`, {
        json: { url: `http://localhost.localdomain:${port}/`, push_events: true },
      });
      const { status } = await server.api(`POST /projects/${project.id}/hooks/${hook.id}/test/push_events`);
      assert.equal(status, 422);
      assert.deepEqual(receiver.received, []);
    });
  });
});
