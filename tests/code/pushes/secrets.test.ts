import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

// Assembled at run time, because other hosts would reject this file otherwise.
const secret = `glpat-${'aB3'.repeat(7).slice(0, 20)}`;
const other = `ghp_${'xY9'.repeat(12)}`;

interface Event {
  readonly author_id: number;
  readonly details: { readonly event_name: string; readonly custom_message: string };
}

forEachEngine((engine) => {
  describe('secret push protection', () => {
    let server: TestServer;
    let ann: Person;
    let project: { id: number; path_with_namespace: string };
    let client: GitClient;
    let url: string;
    let number = 0;

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
    });

    beforeEach(async () => {
      number += 1;
      project = await server.must('POST /projects', { token: ann.token, json: { name: `guarded-${number}` } });
      url = withCredentials(server.url, project.path_with_namespace, ann.user.username, ann.token);
      client = new GitClient();
      await client.init();
      await client.commit({ 'a.txt': `old ${other}\n` }, 'Begin');
      await push('main');
      await protect(true);
    });

    const protect = (secret_push_protection_enabled: boolean) =>
      server.must(`PUT /projects/${project.id}/security_settings`, {
        token: ann.token,
        json: { secret_push_protection_enabled },
      });
    const push = (ref: string, ...options: string[]) => client.run('push', '-q', ...options, url, ref);
    const refused = async (ref = 'main'): Promise<string> => {
      const { code, stderr } = await push(ref);
      assert.notEqual(code, 0);
      assert.match(stderr, /PUSH BLOCKED: Secrets detected in code changes/);
      assert.ok(!stderr.includes(secret), 'the secret itself is not repeated');
      return stderr;
    };
    const commit = (content: string, message = 'Say it') =>
      server.api(`POST /projects/${project.id}/repository/commits`, {
        token: ann.token,
        json: {
          branch: 'main',
          commit_message: message,
          actions: [{ action: 'create', file_path: 'web.txt', content }],
        },
      });

    it('rejects a push with secrets and reports their location', async () => {
      const oid = await client.commit({ 'deep/b.txt': `one\ntwo ${secret}\n` });
      const said = await refused();
      assert.ok(said.includes(`-- deep/b.txt:2 Personal, project or group access token (commit ${oid})`), said);
      await protect(false);
      assert.equal((await push('main')).code, 0);
    });

    it('finds a secret in a commit even if a later commit removes it', async () => {
      const oid = await client.commit({ 'b.txt': secret });
      await client.commit({ 'b.txt': 'nothing' });
      assert.ok((await refused()).includes(oid));
    });

    it('checks new branches and the first push', async () => {
      await client.git('checkout', '-q', '-b', 'topic');
      await client.commit({ 'b.txt': secret });
      await refused('topic');
      await client.git('checkout', '-q', '--orphan', 'alone');
      await client.commit({ 'c.txt': secret });
      await refused('alone');
    });

    it('ignores secrets that were already in the file', async () => {
      await client.commit({ 'a.txt': `moved down\nold ${other}\n` });
      const { code, stderr } = await push('main');
      assert.equal(code, 0, stderr);
      await client.commit({ 'a.txt': `old ${other}\nnew ${secret}\n` });
      assert.match(await refused(), /-- a\.txt:2 Personal/);
      await client.git('rm', '-q', 'a.txt');
      await client.git('commit', '-q', '--amend', '-m', 'Take it out');
      assert.equal((await push('main')).code, 0);
    });

    it('is skipped by a push option or a commit message', async () => {
      await client.commit({ 'b.txt': secret });
      await refused();
      assert.equal((await push('main', '-o', 'secret_push_protection.skip_all')).code, 0);
      await client.commit({ 'c.txt': secret });
      await refused();
      await client.commit({ 'd.txt': 'x' }, 'Go on\n\n[skip secret push protection]');
      assert.equal((await push('main')).code, 0);
      const events = await server.must(`GET /projects/${project.id}/audit_events`, { token: ann.token });
      assert.deepEqual(
        events
          .filter(({ details }: Event) => details.event_name === 'skip_secret_push_protection')
          .map(({ author_id, details }: Event) => [author_id === ann.user.id, details.custom_message]),
        [
          [true, 'Secret push protection skipped via commit message on main'],
          [true, 'Secret push protection skipped via push option on main'],
        ],
      );
    });

    it('checks the changes of a merge commit itself but not the merged history', async () => {
      await client.git('checkout', '-q', '-b', 'topic');
      await client.commit({ 'own.txt': 'own' });
      assert.equal((await push('topic')).code, 0);
      await client.git('checkout', '-q', 'main');
      await client.commit({ 'b.txt': `${secret}\nline\n` });
      assert.equal((await push('main', '-o', 'secret_push_protection.skip_all')).code, 0);
      await client.git('checkout', '-q', 'topic');
      await client.git('merge', '-q', '--no-commit', 'main');
      await client.commit({ 'b.txt': `${secret}\nanother line\n` }, 'Merge what is there');
      const { code, stderr } = await push('topic');
      assert.equal(code, 0, stderr);
      await client.git('checkout', '-q', '-b', 'late', 'main~1');
      await client.commit({ 'late.txt': 'x' });
      await client.git('merge', '-q', '--no-commit', 'topic');
      await client.commit({ 'hidden.txt': `glpat-${'cD4'.repeat(7).slice(0, 20)}\n` }, 'Merge, and something besides');
      assert.match(await refused('late'), /-- hidden\.txt:1 Personal/);
    });

    it('skips binary and large files', async () => {
      const large = `${'data '.repeat(250_000)}\n${secret}\n`;
      await client.commit({ 'b.png': Buffer.concat([Buffer.alloc(1), Buffer.from(secret)]), 'large.csv': large });
      assert.equal((await push('main')).code, 0);
    });

    it('rejects API commits, too', async () => {
      const { status, body } = await commit(`one ${secret}`);
      assert.equal(status, 400);
      assert.match(body.message, /web\.txt:1 Personal/);
      assert.equal((await commit('nothing')).status, 201);
      const marked = await server.api(`POST /projects/${project.id}/repository/files/c.txt`, {
        token: ann.token,
        json: { branch: 'main', content: secret, commit_message: 'A sample [skip secret push protection]' },
      });
      assert.equal(marked.status, 201);
    });

    it('does not block merging or rebasing commits that were pushed before', async () => {
      await client.git('checkout', '-q', '-b', 'topic');
      await client.commit({ 'b.txt': secret });
      assert.equal((await push('topic', '-o', 'secret_push_protection.skip_all')).code, 0);
      await commit('meanwhile');
      const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
      const { iid } = await server.must(`POST /projects/${project.id}/merge_requests`, { token: ann.token, json });
      const one = `/projects/${project.id}/merge_requests/${iid}`;
      await server.must(`PUT ${one}/rebase`, { token: ann.token, json: {} });
      await server.running.services.queue.drain();
      const { merge_error } = await server.must(`GET ${one}`, ann);
      assert.equal(merge_error, null);
      assert.equal((await server.must(`PUT ${one}/merge`, { token: ann.token, json: {} })).state, 'merged');
    });

    it('can be disabled for the instance', async () => {
      await client.commit({ 'b.txt': secret });
      await server.must('PUT /application/settings', { json: { secret_push_protection_available: false } });
      assert.equal((await push('main')).code, 0);
      await server.must('PUT /application/settings', { json: { secret_push_protection_available: true } });
    });

    it('lets developers read and maintainers change the setting', async () => {
      const [dev, reporter, stranger] = await Promise.all(
        ['dev', 'rep', 'far'].map((name) => addPerson(server, `${name}-${number}`)),
      );
      const row = await server.db.read
        .selectFrom('projects')
        .selectAll()
        .where('id', '=', project.id)
        .executeTakeFirstOrThrow();
      await addMember(server, row, dev as Person, 30);
      await addMember(server, row, reporter as Person, 20);
      const path = `/projects/${project.id}/security_settings`;
      const status = async (call: string, who: Person | undefined, json?: object) =>
        (await server.api(`${call} ${path}`, { token: who?.token ?? null, ...(json && { json }) })).status;
      const off = { secret_push_protection_enabled: false };
      assert.deepEqual(
        [await status('GET', dev), await status('GET', reporter), await status('GET', stranger)],
        [200, 403, 404],
      );
      assert.deepEqual(
        [await status('PUT', dev, off), await status('PUT', stranger, off), await status('PUT', undefined, off)],
        [403, 404, 401],
      );
      const shown = await server.must(`GET ${path}`, ann);
      assert.deepEqual([shown.project_id, shown.secret_push_protection_enabled], [project.id, true]);
      const empty = await server.api(`PUT ${path}`, { token: ann.token, json: {} });
      assert.match(empty.body.error, /are missing, at least one parameter must be provided/);
      const wrong = await server.api(`PUT ${path}`, {
        token: ann.token,
        json: { secret_push_protection_enabled: 'x' },
      });
      assert.equal(wrong.status, 400);
      const old = { pre_receive_secret_detection_enabled: false };
      assert.equal(await status('PUT', ann, old), 200);
      const seen = await server.must(`GET /projects/${project.id}`, ann);
      assert.deepEqual(
        [seen.secret_push_protection_enabled, seen.pre_receive_secret_detection_enabled],
        [false, false],
      );
    });

    it('can be enabled for a group with excluded projects', async () => {
      const group = await server.must('POST /groups', {
        token: ann.token,
        json: { name: `club-${number}`, path: `club-${number}` },
      });
      const below = await server.must('POST /groups', {
        token: ann.token,
        json: { name: 'below', path: 'below', parent_id: group.id },
      });
      const make = (namespace_id: number, name: string) =>
        server.must('POST /projects', { token: ann.token, json: { name, namespace_id } });
      const [one, two, three] = [
        await make(group.id, 'one'),
        await make(below.id, 'two'),
        await make(below.id, 'three'),
      ];
      const call = `PUT /groups/${group.id}/security_settings`;
      const json = { secret_push_protection_enabled: true, projects_to_exclude: [three.id] };
      const answer = await server.must(call, { token: ann.token, json });
      assert.deepEqual(answer, { secret_push_protection_enabled: true, errors: [] });
      await server.running.services.queue.drain();
      const states = await Promise.all(
        [one, two, three].map(
          async ({ id }) => (await server.must(`GET /projects/${id}`, ann)).secret_push_protection_enabled,
        ),
      );
      assert.deepEqual(states, [true, true, false]);
      const dev = await addPerson(server, `dev-of-${number}`);
      assert.equal((await server.api(call, { token: dev.token, json })).status, 404);
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: dev.user.id, access_level: 30 } });
      assert.equal((await server.api(call, { token: dev.token, json })).status, 403);
      assert.equal((await server.api(call, { token: ann.token, json: {} })).status, 400);
    });
  });
});
