import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, it } from 'node:test';
import { atEnd } from '../../support/at-end.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

// Independent of the database engine.
describe('include:cache', () => {
  let server: TestServer;
  let url: string;
  let project: number;
  let requests = 0;
  let status = 200;

  const jobsOf = async (include: string) => {
    const content = `include: ${include}\nown: {script: make}\n`;
    return server.must(`POST /projects/${project}/ci/lint`, { json: { content, include_jobs: true } });
  };

  before(async () => {
    const host = createServer((_, response) => {
      requests += 1;
      response.writeHead(status).end(`remote-${requests}: {script: make}\n`);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    atEnd(() => new Promise<void>((resolve) => host.close(() => resolve())));
    url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    server = await startTestServer('sqlite', ['--allow-local-egress']);
    project = (await server.must('POST /projects', { json: { name: 'kept', initialize_with_readme: true } })).id;
  });

  const names = ({ jobs }: { jobs: { name: string }[] }) => jobs.map(({ name }) => name).sort();

  it('caches remote files when requested', async () => {
    const cached = `{remote: '${url}/a.yml', cache: 5 minutes}`;
    assert.deepEqual(names(await jobsOf(cached)), ['own', 'remote-1']);
    assert.deepEqual(names(await jobsOf(cached)), ['own', 'remote-1']);
    assert.deepEqual(names(await jobsOf(`{remote: '${url}/a.yml', cache: true}`)), ['own', 'remote-1']);
    assert.deepEqual(names(await jobsOf(`{remote: '${url}/a.yml'}`)), ['own', 'remote-2']);
    assert.deepEqual(names(await jobsOf(`{remote: '${url}/a.yml', cache: false}`)), ['own', 'remote-3']);
    assert.deepEqual(names(await jobsOf(`{remote: '${url}/b.yml', cache: true}`)), ['own', 'remote-4']);
  });

  it('does not cache failures', async () => {
    const cached = `{remote: '${url}/c.yml', cache: true}`;
    status = 500;
    assert.equal((await jobsOf(cached)).valid, false);
    status = 200;
    assert.equal((await jobsOf(cached)).valid, true);
  });

  for (const [include, error] of [
    [
      `{remote: 'https://example.com/a.yml', cache: soon}`,
      'cache should be a boolean or a duration of at least 1 minute',
    ],
    [
      `{remote: 'https://example.com/a.yml', cache: 30 seconds}`,
      'cache should be a boolean or a duration of at least 1 minute',
    ],
    [
      `{remote: 'https://example.com/a.yml', cache: [1]}`,
      'cache should be a boolean or a duration of at least 1 minute',
    ],
    [`{local: a.yml, cache: true}`, 'cache can only be used with remote'],
  ] as const) {
    it(`rejects ${include}`, async () => {
      assert.ok((await jobsOf(include)).errors.includes(`include ${error}`));
    });
  }
});
