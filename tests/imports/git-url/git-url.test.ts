import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { before, it } from 'node:test';
import { storeLfsObject } from '../../../src/code/lfs/public.ts';
import { formatLfsPointer } from '../../../src/platform/git/objects/lfs-pointer.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type BareRepository, startBareRepository } from '../../support/git-http-backend.ts';
import { pushAll } from '../../support/git-project.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let bare: BareRepository;
  const client = new GitClient();
  const bytes = Buffer.from('a large file');
  const oid = createHash('sha256').update(bytes).digest('hex');

  before(async () => {
    server = await startTestServer(engine, ['--allow-local-egress']);
    owner = await addPerson(server, 'owner');
    await client.init('trunk');
    await client.commit({ 'large.bin': formatLfsPointer({ oid, size: bytes.length }) }, 'first');
    await client.git('tag', 'v1');
    bare = await startBareRepository();
    bare.git('fetch', '-q', client.folder, 'trunk:refs/heads/trunk', 'refs/tags/*:refs/tags/*');
    bare.git('symbolic-ref', 'HEAD', 'refs/heads/trunk');
  });

  const create = (json: Record<string, unknown>) => server.api('POST /projects', { token: owner.token, json });
  const ended = async (id: number) => {
    const shown = async () => (await server.api(`GET /projects/${id}`, { token: owner.token })).body;
    await until(async () => !['scheduled', 'started'].includes((await shown()).import_status));
    return shown();
  };

  it('imports a new project from a URL without exposing its credentials', async () => {
    const made = await create({ name: 'copy', import_url: bare.url });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.import_status, 'scheduled');
    const project = await ended(made.body.id);
    assert.equal(project.import_status, 'finished', project.import_error);
    assert.equal(project.import_type, 'git');
    assert.equal(project.default_branch, 'trunk');
    assert.equal(project.import_url, bare.url.replace(/\/\/[^@]*@/, '//'));
    const tags = await server.api(`GET /projects/${project.id}/repository/tags`, { token: owner.token });
    assert.equal(tags.body[0].name, 'v1');
    const rows = await server.db.read.selectFrom('project_imports').selectAll().execute();
    assert.ok(rows.every(({ encrypted_data }) => encrypted_data === null));
  });

  it('imports LFS objects from another server', async () => {
    const second = await startTestServer(engine);
    const keeper = await addPerson(second, 'keeper');
    const source = await addProject(second, keeper, 'source');
    await storeLfsObject(second.running.services, source.id, { oid, size: bytes.length }, Readable.from([bytes]));
    await pushAll(second, keeper, source, client, 'trunk');
    const import_url = withCredentials(second.url, `${keeper.user.username}/source`, 'x', keeper.token);
    const project = await ended((await create({ name: 'second', import_url })).body.id);
    assert.equal(project.import_status, 'finished', project.import_error);
    const raw = `GET /projects/${project.id}/repository/files/large.bin/raw?lfs=true`;
    assert.equal((await server.api(raw, { token: owner.token })).text, 'a large file');
  });

  it('rejects blocked URLs without creating a project', async () => {
    for (const import_url of ['file:///etc', 'ext::sh -c id', 'ssh://git@127.0.0.1/x', 'http://169.254.169.254/x']) {
      const answer = await create({ name: 'never', import_url });
      assert.equal(answer.status, 400, import_url);
      assert.match(answer.body.message.import_url[0], /^is blocked: /);
    }
    const found = await server.api(`GET /projects/${encodeURIComponent(`${owner.user.username}/never`)}`, {
      token: owner.token,
    });
    assert.equal(found.status, 404);
  });

  it('fails without exposing the password', async () => {
    const import_url = bare.url.replace(/:[^:@/]*@/, ':wrong-password@');
    const made = await create({ name: 'denied', import_url });
    const { import_status } = await ended(made.body.id);
    assert.equal(import_status, 'failed');
    const { body } = await server.api(`GET /projects/${made.body.id}/import`, { token: owner.token });
    assert.match(body.import_error, /Authentication failed|could not read|401/i);
    assert.doesNotMatch(JSON.stringify(body), /wrong-password/);
  });

  it('can be retried by Maintainers after failing without content, once for concurrent requests', async () => {
    const wrong = bare.url.replace(/:[^:@/]*@/, ':wrong-password@');
    const outsider = await addPerson(server, 'outsider');
    await inRounds(async (round) => {
      const made = await create({ name: `again-${round}`, import_url: wrong, visibility: 'public' });
      const { id } = made.body;
      const retry = (import_url: string, token: string | null = owner.token) =>
        server.api(`POST /projects/${id}/import/retry`, { token, json: { import_url } });
      await ended(id);
      assert.equal((await retry(bare.url, null)).status, 401);
      assert.equal((await retry(bare.url, outsider.token)).status, 403);
      assert.equal((await retry('')).status, 400);
      assert.equal((await retry('file:///etc')).status, 400);
      const answers = await atOnce(4, () => retry(bare.url));
      assert.deepEqual(statuses(answers), { 201: 1, 400: 3 });
      assert.equal((await ended(id)).import_status, 'finished');
      const late = await retry(bare.url);
      assert.equal(late.status, 400);
      assert.equal(late.body.message, 'Only an import that has failed and brought nothing can be tried again');
      const over = await server.api(`POST /projects/${id}/import/cancel`, { token: owner.token });
      assert.equal(over.status, 400);
      assert.match(over.body.message, /cannot be canceled because it is finished/);
      const theirs = await server.api(`POST /projects/${id}/import/cancel`, { token: outsider.token });
      assert.equal(theirs.status, 403);
    }, 3);
    const plain = (await create({ name: 'no-import' })).body.id;
    const json = { import_url: bare.url };
    const none = await server.api(`POST /projects/${plain}/import/retry`, { token: owner.token, json });
    assert.equal(none.status, 400);
  });
});
