import assert from 'node:assert/strict';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { GitClient } from '../support/git-client.ts';
import { addFilledProject } from '../support/git-project.ts';
import { addPerson, addProject, type Person } from '../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** A local address that the servers may connect to, and the neighboring one that is forbidden. */
const open = '127.0.0.2';
const shut = '127.0.0.1';

// Simulates an attacker's DNS server: a different address for each lookup.
const usual = dns.lookup;
const answers = new Map<string, string[]>();
before(() => {
  const lookup = async (host: string, options: object) => {
    const given = answers.get(host);
    if (given === undefined) return usual(host, options);
    const address = (given.length > 1 ? given.shift() : given[0]) ?? shut;
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  };
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
});
after(() => {
  Object.assign(dns, { lookup: usual });
  syncBuiltinESMExports();
});

async function listen(address: string, listener: RequestListener, port = 0): Promise<number> {
  const server = createServer(listener);
  await once(server.listen(port, address), 'listening');
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return (server.address() as AddressInfo).port;
}

/** Listens on both addresses with the same port; a port free on the first may be taken on the second. */
async function listenOnBoth(first: RequestListener, second: RequestListener): Promise<number> {
  for (;;) {
    const port = await listen(open, first);
    try {
      return await listen(shut, second, port);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
}

/** Notations of addresses of this machine and its network. */
const privateHosts = [
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'localhost',
  'LOCALHOST.',
  '0.0.0.0',
  '169.254.169.254',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '[fe80::1]',
  '[fd00::1]',
];
/** URLs with other schemes or hidden tricks. */
const otherKinds = [
  'file:///etc/passwd',
  'ext::sh -c id',
  'fd::17',
  'unix:///var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/x',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'ftp://example.com/x',
  '-oProxyCommand=id',
  'http://-oProxyCommand=id@93.184.216.34/x',
  'http://93.184.216.34\\@127.0.0.1/x',
  'http://127.0.0.1:80\r\nx: y/',
];

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let projectId: number;
  let followerId: number;
  let openPort: number;
  let redirects = '';
  /** Requests that reached the forbidden server. */
  const touched: string[] = [];
  const asked: string[] = [];

  before(async () => {
    openPort = await listenOnBoth(
      (request, response) => {
        asked.push(request.url ?? '');
        if (redirects !== '') response.writeHead(302, { location: redirects + (request.url ?? '') }).end();
        else response.writeHead(500).end('{}');
      },
      (request, response) => {
        touched.push(`${request.method} ${request.url}`);
        response.end('{}');
      },
    );
    server = await startTestServer(engine, [
      '--egress-allow',
      open,
      '--hosta-url',
      `http://${open}:${openPort}`,
      '--hostb-url',
      `http://${open}:${openPort}`,
    ]);
    await server.must('PUT /application/settings', { json: { project_export_limit: 0, project_import_limit: 0 } });
    owner = await addPerson(server, 'owner');
    const client = new GitClient();
    await client.init();
    await client.commit({ 'a.txt': 'one' }, 'first');
    projectId = (await addFilledProject(server, owner, 'source', client)).id;
    followerId = (await addProject(server, owner, 'follower')).id;
  });

  let count = 0;
  const call = async (what: string, json: unknown, who = owner) => server.api(what, { token: who.token, json });
  const own = (path: string, json: unknown) => call(`POST ${path}`, json);
  /** Every feature of mirrors and imports that takes a URL and connects to it. */
  const surfaces: Record<string, (url: string) => Promise<Answer>> = {
    'a push mirror': (url) => own(`/projects/${projectId}/remote_mirrors`, { url, enabled: true }),
    'a pull mirror': (url) => call(`PUT /projects/${followerId}/mirror/pull`, { url, enabled: true }),
    'an import by URL': (url) => own('/projects', { name: `import-${++count}`, import_url: url }),
    'an import from host a': async (hosta_hostname) => {
      // Only six imports per minute are allowed per user.
      const caller = await addPerson(server, 'caller');
      const target = { repo_id: 1, target_namespace: caller.user.username };
      return call('POST /import/hosta', { personal_access_token: 'token', ...target, hosta_hostname }, caller);
    },
    'an import from host b server': (hostb_server_url) =>
      own('/import/hostb_server', {
        hostb_server_url,
        hostb_server_username: 'x',
        personal_access_token: 'token',
        hostb_server_project: 'P',
        hostb_server_repo: 'r',
      }),
    'a remote project import': (url) => own('/projects/remote-import', { url, path: `remote-${++count}` }),
    'an export upload': (url) => own(`/projects/${projectId}/export`, { upload: { url, http_method: 'PUT' } }),
  };
  const refusal = /not allowed|blocked|invalid|Only allowed/i;

  for (const [name, send] of Object.entries(surfaces)) {
    it(`${name} rejects private addresses in every notation and other schemes`, async () => {
      for (const url of [...privateHosts.map((host) => `http://${host}:${openPort}/x`), ...otherKinds]) {
        const answer = await send(url);
        assert.ok([400, 422].includes(answer.status), `${url}: ${answer.status} ${answer.text}`);
        assert.match(answer.text, refusal, url);
      }
      assert.deepEqual(touched, []);
    });
  }

  /** Retries failed imports immediately instead of waiting. */
  const hurry = async () => {
    await server.db.write((trx) =>
      trx
        .updateTable('jobs')
        .set({ run_at: 1 })
        .where('kind', '=', 'imports.run')
        .where('state', '=', 'pending')
        .execute(),
    );
    server.running.services.signals.notify('queue');
  };

  /** Submits a URL and waits for the result. */
  const tried = async (name: string, url: string): Promise<string> => {
    const answer = await surfaces[name]?.(url);
    assert.ok(answer);
    if (answer.status >= 300) return answer.text;
    if (name === 'a push mirror') {
      const mirror = `/projects/${projectId}/remote_mirrors/${answer.body.id}`;
      await server.must(`POST ${mirror}/sync`, { token: owner.token });
      const shown = () => server.must(`GET ${mirror}`, { token: owner.token });
      await until(async () => (await shown()).last_error !== null);
      const { last_error } = await shown();
      await server.must(`DELETE ${mirror}`, { token: owner.token });
      return last_error;
    }
    const place = name === 'a pull mirror' ? 'mirror/pull' : 'import';
    const shown = () => server.must(`GET /projects/${answer.body.id}/${place}`, { token: owner.token });
    const error = async () => (await shown()).last_error ?? (await shown()).import_error ?? null;
    await until(async () => {
      await hurry();
      return (await error()) !== null;
    });
    return error();
  };
  const running = Object.keys(surfaces).filter((name) => name !== 'an export upload');

  for (const name of running) {
    it(`${name} does not follow a redirect to a private address`, async () => {
      redirects = `http://${shut}:${openPort}`;
      const before = asked.length;
      const said = await tried(name, `http://${open}:${openPort}/a/b.git`);
      redirects = '';
      assert.ok(asked.length > before, 'the first server was requested');
      assert.notEqual(said, '');
      assert.deepEqual(touched, []);
    });

    it(`${name} does not follow a host name that resolves to a private address later`, async () => {
      answers.set('rebind.example', [open, shut]);
      const said = await tried(name, `http://rebind.example:${openPort}/a/b.git`);
      assert.match(said, refusal);
      assert.deepEqual(touched, []);
    });
  }

  /** Number of lookups before git starts: on creation and at run time. */
  const lookUps = { 'a push mirror': 2, 'a pull mirror': 2, 'an import by URL': 3 };
  for (const [name, times] of Object.entries(lookUps)) {
    it(`${name} connects to the checked address even if the name resolves differently later`, async () => {
      // git itself would look up the name once more.
      answers.set('pinned.example', [...Array<string>(times).fill(open), shut]);
      const before = asked.length;
      await tried(name, `http://pinned.example:${openPort}/a/b.git`);
      assert.ok(asked.length > before);
      assert.deepEqual(touched, []);
    });
  }

  /** The result of a webhook delivery to a URL. */
  const delivered = async (host: string, path: string, then: string[]): Promise<string> => {
    const url = `http://${host}:${openPort}/${path}`;
    answers.set(host, [open]);
    const hooks = `/projects/${projectId}/hooks`;
    const { id } = await server.must(`POST ${hooks}`, { token: owner.token, json: { url, push_events: true } });
    answers.set(host, then);
    const trial = await server.api(`POST ${hooks}/${id}/test/push_events`, { token: owner.token });
    const events = await server.must(`GET ${hooks}/${id}/events`, { token: owner.token });
    await server.must(`DELETE ${hooks}/${id}`, { token: owner.token });
    return `${trial.text} ${JSON.stringify(events)}`;
  };

  it('a webhook does not follow a host name that resolves to a private address after saving', async () => {
    const before = asked.length;
    assert.match(await delivered('hook-rebind.example', 'hook', [shut]), refusal);
    assert.deepEqual([touched, asked.length], [[], before]);
  });

  it('a webhook connects to the checked address even if the name resolves differently later', async () => {
    // A second lookup would return the forbidden address.
    await delivered('hook-pinned.example', 'pinned-hook', [open, shut]);
    assert.deepEqual(touched, []);
    assert.ok(asked.includes('/pinned-hook'));
  });

  it('a credential in a URL is never returned', async () => {
    for (const name of ['a push mirror', 'a pull mirror', 'an import by URL']) {
      const said = await tried(name, `http://joe:s3cret-word@${open}:${openPort}/a/b.git`);
      assert.doesNotMatch(said, /s3cret-word/);
    }
  });
});
