import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { variablesOfJob } from '../../../src/ci/variables/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, rootToken, startTestServer, type TestServer } from '../../support/server.ts';

const configuration = `
variables: {FROM_FILE: file, LEVEL: file, CHAIN: "$LEVEL-$NOBODY", RAW: {value: $LEVEL, expand: false}}
plain:
  script: make
  rules: [{if: '$SECRET_RULE == null'}]
deploy:
  script: make deploy
  environment: {name: review/app, url: 'https://$CI_COMMIT_REF_SLUG.example.com'}
  parallel: 2
gated:
  script: 'true'
  rules: [{if: '$ALLOWED == "yes"'}]
`;

forEachEngine((engine) => {
  describe('CI/CD variables', () => {
    let server: TestServer;
    let owner: Person;
    let other: Person;
    let projectId: number;
    let groups: { id: number; full_path: string }[];
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const call = (text: string, json?: object, token: string | null = owner.token) =>
      server.api(text, json === undefined ? { token } : { token, json });
    const at = (rest = '') => `/projects/${projectId}/variables${rest}`;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      other = await addPerson(server, 'other');
      const top = (await call('POST /groups', { name: 'top', path: 'top' })).body;
      const sub = (await call('POST /groups', { name: 'sub', path: 'sub', parent_id: top.id })).body;
      groups = [top, sub];
      const project = (await call('POST /projects', { name: 'app', path: 'app', namespace_id: sub.id })).body;
      projectId = project.id;
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root');
      const url = `${server.url.replace('://', `://${owner.user.username}:${owner.token}@`)}/top/sub/app.git`;
      await source.git('push', '-q', url, 'main');
      await server.running.services.queue.drain();
    });

    it('are created, read, updated and deleted', async () => {
      const created = await call(`POST ${at()}`, { key: 'NEW', value: 'v', description: 'what for' });
      assert.equal(created.status, 201);
      const expected = {
        variable_type: 'env_var',
        key: 'NEW',
        value: 'v',
        hidden: false,
        protected: false,
        masked: false,
        raw: false,
        environment_scope: '*',
        description: 'what for',
      };
      assert.deepEqual(created.body, expected);
      assert.deepEqual((await call(`GET ${at('/NEW')}`)).body, expected);
      assert.deepEqual((await call(`GET ${at()}`)).body, [expected]);
      const changed = await call(`PUT ${at('/NEW')}`, { value: 'w', raw: true, variable_type: 'file' });
      assert.deepEqual(changed.body, { ...expected, value: 'w', raw: true, variable_type: 'file' });
      const silent = await call(`PUT ${at('/NEW')}`, { description: null });
      assert.deepEqual(silent.body, { ...changed.body, description: null });
      assert.deepEqual(says(await call(`POST ${at()}`, { key: 'NEW', value: 'x' })), [
        400,
        { key: ['(NEW) has already been taken'] },
      ]);
      const row = await server.db.read.selectFrom('ci_variables').select('value').executeTakeFirstOrThrow();
      assert.match(row.value, /^v1\./);
      assert.equal((await call(`DELETE ${at('/NEW')}`)).status, 204);
      assert.deepEqual(says(await call(`GET ${at('/NEW')}`)), [404, '404 Variable Not Found']);
      assert.deepEqual(says(await call(`POST ${at()}`, { key: 'NEW' })), [400, 'value is missing']);
      assert.deepEqual(says(await call(`POST ${at()}`, { key: 'N', value: '', variable_type: 'x' })), [
        400,
        'variable_type does not have a valid value',
      ]);
    });

    it('are listed in creation order', async () => {
      for (const key of ['ZULU', 'ALPHA']) await call(`POST ${at()}`, { key, value: 'v' });
      const keys = (await call(`GET ${at()}`)).body.map(({ key }: { key: string }) => key);
      assert.deepEqual(keys.slice(-2), ['ZULU', 'ALPHA']);
      for (const key of ['ZULU', 'ALPHA']) await call(`DELETE ${at(`/${key}`)}`);
    });

    it('with the same key are distinguished by environment scope', async () => {
      await call(`POST ${at()}`, { key: 'TWICE', value: '1' });
      const second = { key: 'TWICE', value: '2', environment_scope: 'review/*' };
      assert.equal((await call(`POST ${at()}`, second)).status, 201);
      const text = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const json = method === 'PUT' ? { value: '3' } : undefined;
        assert.deepEqual(says(await call(`${method} ${at('/TWICE')}`, json)), [409, text]);
      }
      const filtered = `${at('/TWICE')}?filter[environment_scope]=review/*`;
      assert.equal((await call(`GET ${filtered}`)).body.value, '2');
      const taken = { environment_scope: '*', filter: { environment_scope: 'review/*' } };
      assert.deepEqual(says(await call(`PUT ${at('/TWICE')}`, taken)), [
        400,
        { key: ['(TWICE) has already been taken'] },
      ]);
      assert.equal((await call(`DELETE ${filtered}`)).status, 204);
      assert.equal((await call(`GET ${at('/TWICE')}`)).body.value, '1');
      await call(`DELETE ${at('/TWICE')}`);
    });

    it('stay hidden once they are hidden', async () => {
      const created = await call(`POST ${at()}`, { key: 'HID', value: 'top-secret-1', masked_and_hidden: true });
      assert.deepEqual([created.body.value, created.body.hidden, created.body.masked], [null, true, true]);
      assert.equal((await call(`GET ${at('/HID')}`)).body.value, null);
      const text = 'The visibility setting cannot be changed for masked and hidden variables.';
      assert.deepEqual(says(await call(`PUT ${at('/HID')}`, { masked: false })), [400, { base: [text] }]);
      assert.equal((await call(`PUT ${at('/HID')}`, { value: 'other-secret' })).body.value, null);
      assert.deepEqual(says(await call(`PUT ${at('/HID')}`, { value: 'short' })), [400, { value: ['is invalid'] }]);
      await call(`DELETE ${at('/HID')}`);
    });

    it('can only be managed by Maintainers, group Owners and administrators', async () => {
      await call(`POST /projects/${projectId}/members`, { user_id: other.user.id, access_level: 30 });
      assert.deepEqual(says(await call(`GET ${at()}`, undefined, other.token)), [403, '403 Forbidden']);
      assert.equal((await call(`GET ${at()}`, undefined, null)).status, 401);
      const stranger = await addPerson(server, 'stranger');
      assert.equal((await call(`GET ${at()}`, undefined, stranger.token)).status, 404);
      assert.equal((await call(`GET /groups/${groups[0]?.id}/variables`, undefined, stranger.token)).status, 404);
      assert.equal((await call('GET /admin/ci/variables')).status, 403);
      const instance = await call('POST /admin/ci/variables', { key: 'EVERYWHERE', value: 'i' }, rootToken);
      assert.equal(instance.status, 201);
      assert.deepEqual(Object.keys(instance.body).sort(), [
        'description',
        'key',
        'masked',
        'protected',
        'raw',
        'value',
        'variable_type',
      ]);
      const missing = await call('GET /admin/ci/variables/NONE', undefined, rootToken);
      assert.deepEqual(says(missing), [404, '404 InstanceVariable Not Found']);
      assert.equal((await call('DELETE /admin/ci/variables/EVERYWHERE', undefined, rootToken)).status, 204);
    });

    it('are exposed to rules and jobs by precedence and environment scope', async () => {
      const [top, sub] = groups;
      await call('POST /admin/ci/variables', { key: 'LEVEL', value: 'instance' }, rootToken);
      await call('POST /admin/ci/variables', { key: 'ONLY_INSTANCE', value: '$LEVEL' }, rootToken);
      await call(`POST /groups/${top?.id}/variables`, { key: 'LEVEL', value: 'top' });
      await call(`POST /groups/${top?.id}/variables`, { key: 'GROUPED', value: 'top', masked: false });
      await call(`POST /groups/${sub?.id}/variables`, { key: 'GROUPED', value: 'sub' });
      await call(`POST ${at()}`, { key: 'SECRET_FILE', value: 'contents $LEVEL $SECRET_FILE', variable_type: 'file' });
      await call(`POST ${at()}`, { key: 'RAW_FILE', value: '$LEVEL', variable_type: 'file', raw: true });
      await call(`POST ${at()}`, { key: 'TOKEN', value: 'masked-value', masked: true });
      await call(`POST ${at()}`, { key: 'SCOPED', value: 'any' });
      await call(`POST ${at()}`, { key: 'SCOPED', value: 'review', environment_scope: 'review/*' });
      await call(`POST ${at()}`, { key: 'GUARDED', value: 'guarded', protected: true });
      await call(`POST ${at()}`, { key: 'ALLOWED', value: 'yes' });
      const { body: pipeline, status } = await call(`POST /projects/${projectId}/pipeline`, {
        ref: 'main',
        variables: [{ key: 'GIVEN', value: 'now' }],
      });
      assert.equal(status, 201);
      const rows = await server.db.read
        .selectFrom('ci_jobs')
        .selectAll()
        .where('pipeline_id', '=', pipeline.id)
        .orderBy('id')
        .execute();
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['plain', 'deploy 1/2', 'deploy 2/2', 'gated'],
      );
      const run = { token: 'glcbt-x', runner: { id: 7, description: 'r', tag_list: '["a"]' } };
      const variablesOf = async (index: number) => {
        const row = rows[index];
        assert.ok(row);
        const list = await variablesOfJob(server.running.services, server.db.read, row, run);
        assert.equal(new Set(list.map(({ key }) => key)).size, list.length);
        return (key: string) => list.find((one) => one.key === key);
      };
      const plain = await variablesOf(0);
      const value = (key: string) => plain(key)?.value;
      assert.equal(value('LEVEL'), 'top');
      assert.equal(value('ONLY_INSTANCE'), 'top');
      assert.equal(value('GROUPED'), 'sub');
      assert.equal(value('FROM_FILE'), 'file');
      assert.equal(value('CHAIN'), 'top-$NOBODY');
      assert.equal(value('RAW'), '$LEVEL');
      assert.equal(value('SCOPED'), 'any');
      assert.equal(value('GIVEN'), 'now');
      assert.equal(value('GUARDED'), 'guarded');
      assert.equal(value('CI_JOB_NAME'), 'plain');
      assert.equal(value('CI_PIPELINE_IID'), `${pipeline.iid}`);
      assert.equal(value('GITLAB_USER_LOGIN'), owner.user.username);
      assert.equal(value('CI_RUNNER_TAGS'), '["a"]');
      assert.match(value('CI_REPOSITORY_URL') ?? '', /^http:\/\/gitlab-ci-token:glcbt-x@.*\/top\/sub\/app\.git$/);
      assert.deepEqual(plain('SECRET_FILE'), {
        ...{ key: 'SECRET_FILE', value: 'contents top $SECRET_FILE', public: false, masked: false },
        ...{ file: true, raw: false },
      });
      assert.equal(value('RAW_FILE'), '$LEVEL');
      assert.deepEqual([plain('TOKEN')?.masked, plain('TOKEN')?.public], [true, false]);
      assert.deepEqual([plain('CI_JOB_TOKEN')?.masked, plain('CI_JOB_TOKEN')?.public], [true, false]);
      assert.equal(plain('CI_COMMIT_SHA')?.public, true);
      assert.match(value('CI_COMMIT_TIMESTAMP') ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
      const deploy = await variablesOf(2);
      assert.equal(deploy('SCOPED')?.value, 'review');
      assert.equal(deploy('CI_ENVIRONMENT_NAME')?.value, 'review/app');
      assert.equal(deploy('CI_ENVIRONMENT_URL')?.value, 'https://main.example.com');
      assert.equal(deploy('CI_NODE_INDEX')?.value, '2');
      const job = rows[0];
      assert.ok(job);
      const unprotected = { ...job, protected: 0 };
      const elsewhere = await variablesOfJob(server.running.services, server.db.read, unprotected);
      assert.equal(
        elsewhere.find(({ key }) => key === 'GUARDED'),
        undefined,
      );
      assert.equal(
        elsewhere.find(({ key }) => key === 'CI_JOB_TOKEN'),
        undefined,
      );
    });

    it('are limited to 25 for the instance', async () => {
      const { body } = await call('GET /admin/ci/variables?per_page=100', undefined, rootToken);
      const room = 25 - body.length;
      const answers = await Promise.all(
        Array.from({ length: room + 3 }, (_, index) =>
          call('POST /admin/ci/variables', { key: `ROOM_${index}`, value: '' }, rootToken),
        ),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, room);
      const refusal = answers.find(({ status }) => status === 400);
      assert.match(JSON.stringify(refusal?.body), /Maximum number of instance level CI variables \(25\) exceeded/);
    });
  });
});
