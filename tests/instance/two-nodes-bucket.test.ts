import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ssh2 from 'ssh2';
import { createLogger } from '../../src/platform/log.ts';
import { startServer } from '../../src/server.ts';
import { basic, RegistryClient, sha256 } from '../ci/registry/registry-client.ts';
import { RunnerClient } from '../ci/runner-client.ts';
import { atEnd } from '../support/at-end.ts';
import { Browser } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { s3Account, startS3Server } from '../support/s3-server.ts';
import { appCode, codePage, longAgo, switchOn } from '../support/second-factor.ts';
import { ApiClient, rootToken, TestServer } from '../support/server.ts';
import { ServerPlace } from '../support/server-process.ts';
import { sshKeyPair } from '../support/ssh-keys.ts';
import { until } from '../support/until.ts';

const authorization = `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}`;

/** Authenticates over SSH and returns the server's host key. */
async function hostKeyFor(port: number, privateKey: string): Promise<string> {
  let shown = '';
  const client = new ssh2.Client();
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', reject);
    const hostVerifier = (key: Buffer) => {
      shown = key.toString('base64');
      return true;
    };
    client.connect({ host: '127.0.0.1', port, username: 'git', privateKey, hostVerifier });
  });
  client.end();
  return shown;
}

/** Makes the job that is enqueued next the first to be due. */
async function postponeAllJobs({ running }: TestServer): Promise<void> {
  const later = Date.now() + 3_600_000;
  await running.services.db.write(async (trx) => {
    await trx.updateTable('jobs').set({ run_at: later }).where('state', '=', 'pending').execute();
    await trx.updateTable('recurring_jobs').set({ next_run_at: later }).execute();
  });
}

forEachEngine((engine) => {
  describe('two servers sharing a database, a data directory and a bucket', () => {
    let place: ServerPlace;
    let first: TestServer;
    let second: TestServer;
    let project: string;

    const start = async () => new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));

    before(async () => {
      const { endpoint } = await startS3Server('forge');
      place = await ServerPlace.make(engine, [
        ...['--s3-bucket', 'forge', '--s3-endpoint', endpoint, '--ssh-port', '0', '--allow-local-egress'],
        ...['--s3-access-key-id', s3Account.accessKeyId, '--s3-secret-access-key', s3Account.secretAccessKey],
      ]);
      first = await start();
      second = await start();
      const { id } = await first.must('POST /projects', { json: { name: 'shared', initialize_with_readme: true } });
      project = `/projects/${id}`;
    });
    after(() => Promise.all([first.running.close(), second.running.close()]));

    it("serve each other's uploads, LFS objects, packages and avatars", async () => {
      const body = new FormData();
      body.append('file', new Blob(['an attachment']), 'note.txt');
      const { id } = await first.must(`POST ${project}/uploads`, { body });
      assert.equal((await second.api(`GET ${project}/uploads/${id}`)).text, 'an attachment');

      const bytes = Buffer.alloc(100_000, 7);
      const oid = createHash('sha256').update(bytes).digest('hex');
      const lfs = (to: TestServer) => `${to.url}/root/shared.git/gitlab-lfs/objects/${oid}`;
      const headers = { authorization, 'content-type': 'application/octet-stream' };
      const put = await fetch(`${lfs(second)}/${bytes.length}`, { method: 'PUT', headers, body: bytes });
      assert.equal(put.status, 200);
      const got = await fetch(lfs(first), { headers: { authorization } });
      assert.ok(Buffer.from(await got.arrayBuffer()).equals(bytes));

      const file = `${project}/packages/generic/tea/1.0/leaves.txt`;
      assert.equal((await first.api(`PUT ${file}`, { body: 'green' })).status, 201);
      assert.equal((await second.api(`GET ${file}`)).text, 'green');
      await second.must(`DELETE ${project}/packages/${(await second.must(`GET ${project}/packages`))[0].id}`);
      assert.equal((await first.api(`GET ${file}`)).status, 404);
      assert.deepEqual(await readdir(join(place.config().data, 'storage')).catch(() => []), []);
    });

    it('continue a registry upload started at the other', async () => {
      const [one, two] = [first, second].map(({ url }) => new RegistryClient(url, basic('root', rootToken)));
      assert.ok(one && two);
      const name = 'root/shared';
      const parts = [Buffer.alloc(70_000, 1), Buffer.alloc(50_000, 2)];
      const placeIn = ({ headers }: { headers: Headers }) => new URL(headers.get('location') ?? '', first.url).pathname;
      const started = await one.call(`POST /v2/${name}/blobs/uploads/`);
      const half = await one.call(`PATCH ${placeIn(started)}`, { body: new Uint8Array(parts[0] as Buffer) });
      assert.equal(half.status, 202, half.text);
      const whole = await two.call(`PATCH ${placeIn(half)}`, { body: new Uint8Array(parts[1] as Buffer) });
      assert.equal(whole.status, 202, whole.text);
      const digest = sha256(Buffer.concat(parts));
      assert.equal((await one.call(`PUT ${placeIn(whole)}?digest=${digest}`)).status, 201);
      assert.equal((await two.call(`HEAD /v2/${name}/blobs/${digest}`)).headers.get('content-length'), '120000');
    });

    it('assign a job to one runner only, and accept its log and artifacts at both', async () => {
      const jobs = Array.from({ length: 6 }, (_, at) => `job${at}: {script: x}`).join('\n');
      const json = { branch: 'main', commit_message: 'CI', content: jobs };
      await first.must(`POST ${project}/repository/files/.gitlab-ci.yml`, { json });
      await until(async () => (await first.must(`GET ${project}/jobs?scope[]=pending`)).length === 6);
      const runner = await RunnerClient.create(first, { runner_type: 'instance_type' });
      const beside = new RunnerClient(second, runner);
      const requests = await Promise.all(
        Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? runner : beside).ask({ system_id: `s_${at}` })),
      );
      const given = requests.filter(({ status }) => status === 201).map(({ body }) => body);
      assert.equal(new Set(given.map(({ id }) => id)).size, given.length, 'no job twice');
      while (given.length < 6) given.push(await beside.take());
      assert.equal((await runner.ask()).status, 204);

      const [job] = given;
      assert.equal((await runner.patch(job, 0, 'said here, ')).status, 202);
      assert.equal((await beside.patch(job, 11, 'and there')).status, 202);
      const body = new FormData();
      body.append('file', new Blob(['<testsuites/>']), 'junit.xml');
      const artifact = `/jobs/${job.id}/artifacts?artifact_type=junit&artifact_format=gzip`;
      await second.must(`POST ${artifact}`, { token: null, headers: { 'job-token': job.token }, body });
      assert.equal((await beside.report(job, { state: 'success' })).status, 200);
      await second.running.services.queue.drain();
      assert.equal((await first.api(`GET ${project}/jobs/${job.id}/trace`)).text, 'said here, and there');
    });

    it('accept an SSH key at both and use the same host key', async () => {
      const key = sshKeyPair();
      await first.must('POST /user/keys', { json: { title: 'laptop', key: key.public } });
      const ports = [first, second].map(({ running }) => running.services.config.sshPort as number);
      const [one, two] = await Promise.all(ports.map((port) => hostKeyFor(port, key.private)));
      assert.ok(one);
      assert.equal(one, two);
      const [kept] = await second.must('GET /user/keys');
      await second.must(`DELETE /user/keys/${kept.id}`);
      await assert.rejects(hostKeyFor(ports[0] as number, key.private));
    });

    it('accept a second-factor code only once in total', async () => {
      const password = 'long enough 4 you';
      const user = await addUser(first);
      const browser = new Browser(first);
      await browser.signIn(user.username, password);
      const { key } = await switchOn(browser, password);
      for (let round = 0; round < 3; round += 1) {
        await longAgo(first, user.id);
        const browsers = [first, second].map((server) => new Browser(server));
        for (const one of browsers) await one.signIn(user.username, password);
        const code = appCode(key);
        const entered = await Promise.all(browsers.map((one) => one.post(codePage, { 'user[otp_attempt]': code })));
        const inside = await Promise.all(
          browsers.map(async (one) => (await one.open('/-/user_settings/profile')).status),
        );
        assert.equal(inside.filter((status) => status === 200).length, 1, `${entered.map(({ status }) => status)}`);
      }
    });

    it('deliver a webhook once that a crashed server had claimed', async () => {
      const deliveries: string[] = [];
      const listener = createServer((request, response) => {
        request.resume().on('end', () => {
          deliveries.push(`${request.headers['x-gitlab-event']}`);
          response.end();
        });
      });
      await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready));
      atEnd(async () => void listener.close());
      const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
      await first.must(`POST ${project}/hooks`, { json: { url, issues_events: true, push_events: false } });
      await Promise.all([first, second].map(({ running }) => running.services.queue.stop()));
      await postponeAllJobs(second);
      const dying = await place.serve('queue.leased');
      await new ApiClient(dying.line)
        .api(`POST ${project}/issues`, { json: { title: 'Told once' } })
        .catch(() => undefined);
      await dying.ended;
      const { db, queue } = second.running.services;
      await queue.drain();
      assert.deepEqual(deliveries, [], 'the lease of the other server has not expired');
      await db.write((trx) => trx.updateTable('jobs').set({ lease_until: 1 }).where('state', '=', 'running').execute());
      await Promise.all([first, second].map(({ running }) => running.services.queue.drain()));
      assert.deepEqual(deliveries, ['Issue Hook']);
    });
  });
});
