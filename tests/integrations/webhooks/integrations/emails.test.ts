import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { authorOf } from '../../../../src/integrations/webhooks/emails/compose.ts';
import { pushText } from '../../../../src/integrations/webhooks/emails/push.ts';
import { recipientsOf, recipientsProblem } from '../../../../src/integrations/webhooks/emails/recipients.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

describe('recipient lists', () => {
  for (const [list, addresses] of [
    ['', []],
    ['a@x.org', ['a@x.org']],
    [' a@x.org\nb@x.org,c@x.org; A@x.org ', ['A@x.org', 'b@x.org', 'c@x.org']],
  ] as const) {
    it(`parse ${JSON.stringify(list)}`, () => assert.deepEqual(recipientsOf(list), addresses));
  }
  it('reject invalid addresses, and too many', () => {
    assert.match(recipientsProblem('a@x.org nobody') ?? '', /nobody/);
    const many = Array.from({ length: 751 }, (_, at) => `a${at}@x.org`);
    assert.match(recipientsProblem(many.join(' ')) ?? '', /750/);
    assert.equal(recipientsProblem(many.slice(1).join(' ')), undefined);
  });
});

describe('push e-mails', () => {
  const project = { path_with_namespace: 'team/app', web_url: 'https://forge.test/team/app', default_branch: 'main' };
  const [old, head, zeros] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)];
  const commit = { id: head, title: 'Mend', message: 'Mend\n\nIt broke.', url: '', author: { name: 'Ada' } };
  const push = { ref: 'refs/heads/main', before: old, after: head, user_name: 'Ada', project, commits: [commit] };
  for (const [name, told, subject] of [
    ['one commit', { ...push, total_commits_count: 1 }, '[Git][team/app][main] Mend'],
    ['many commits', { ...push, total_commits_count: 30 }, '[Git][team/app][main] 30 commits: Mend'],
    ['a new branch', { ...push, before: zeros }, '[Git][team/app] Pushed new branch main'],
    ['a new tag', { ...push, before: zeros, ref: 'refs/tags/v1' }, '[Git][team/app] Pushed new tag v1'],
    ['a removal', { ...push, after: zeros, commits: [] }, '[Git][team/app] Deleted branch main'],
  ] as const) {
    it(`describe ${name}`, () => assert.equal(pushText(told, { names: [] }).subject, subject));
  }
  it('use the author as sender only within the domain of the server', () => {
    type Person = Parameters<typeof authorOf>[0];
    const ada = {
      kind: 'human',
      confirmed_at: 1,
      name: 'Ada',
      email: 'ada@forge.test',
    } as unknown as NonNullable<Person>;
    assert.deepEqual(authorOf(ada, 'https://forge.test'), { name: 'Ada', address: 'ada@forge.test' });
    assert.deepEqual(authorOf(ada, 'https://git.forge.test')?.address, 'ada@forge.test');
    assert.equal(authorOf(ada, 'https://notforge.test'), undefined);
    assert.equal(authorOf({ ...ada, email: 'ada@test' }, 'https://forge.test'), undefined);
    assert.equal(authorOf({ ...ada, confirmed_at: null }, 'https://forge.test'), undefined);
    assert.equal(authorOf(undefined, 'https://forge.test'), undefined);
  });
});

forEachEngine((engine) => {
  describe('e-mail integrations', () => {
    let server: TestServer;
    let project: { id: number };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      project = await server.must('POST /projects', { json: { name: 'App', initialize_with_readme: true } });
    });

    const at = (slug: string) => `/projects/${project.id}/integrations/${slug}`;
    const messages = async (address: string) => {
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const all = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return all.filter((message) => message.includes(`To: ${address}`));
    };
    const commit = (message: string, branch = 'main', more: object = {}) =>
      server.must(`POST /projects/${project.id}/repository/commits`, {
        json: {
          branch,
          commit_message: message,
          actions: [{ action: 'create', file_path: `file-${++count}`, content: `line <${count}>\n` }],
          ...more,
        },
      });

    /** Returns pending pushes. */
    const waiting = async () => {
      const jobs = server.running.services.db.read.selectFrom('jobs').select('id');
      return (await jobs.where('kind', 'in', ['webhooks.pushed', 'webhooks.deliver']).execute()).length;
    };

    it('send pushes with diffs to each address', async () => {
      const created = await server.must(`PUT ${at('emails-on-push')}`, { json: { recipients: 'a@x.org b@x.org' } });
      assert.deepEqual(
        [created.active, created.push_events, created.tag_push_events, created.issues_events],
        [true, true, true, false],
      );
      assert.deepEqual(created.properties, {
        recipients: 'a@x.org b@x.org',
        disable_diffs: false,
        send_from_committer_email: false,
        branches_to_be_notified: 'all',
      });
      await commit('Mend <it>');
      await until(async () => (await messages('a@x.org')).length === 1 && (await messages('b@x.org')).length === 1);
      const [message = ''] = await messages('a@x.org');
      assert.match(message, /Subject: \[Git\]\[.*\/app\]\[main\] Mend <it>/);
      assert.match(message, /\+line <1>/);
      assert.match(message, /\+line &lt;1&gt;/);
      assert.match(message, /Changed files:\r\n- file-1/);
      await server.must(`PUT ${at('emails-on-push')}`, { json: { recipients: 'c@x.org', disable_diffs: true } });
      await commit('Second');
      await until(async () => (await messages('c@x.org')).length === 1);
      assert.equal((await messages('c@x.org'))[0]?.includes('+line'), false);
      await server.must(`POST /projects/${project.id}/repository/tags`, { json: { tag_name: 'v1', ref: 'main' } });
      await until(async () => (await messages('c@x.org')).some((each) => /Pushed new tag v1/.test(each)));
      await server.must(`DELETE ${at('emails-on-push')}`);
    });

    it('respect the branch filter and disabled e-mails', async () => {
      const set = (json: object) => server.must(`PUT ${at('emails-on-push')}`, { json });
      await set({ recipients: 'd@x.org', branches_to_be_notified: 'default' });
      await commit('Aside', 'side', { start_branch: 'main' });
      await server.must(`PUT /projects/${project.id}`, { json: { emails_enabled: false } });
      await commit('Silent');
      await until(async () => (await waiting()) === 0);
      const tried = await server.api(`POST ${at('emails-on-push')}/test`);
      assert.equal(tried.status, 422);
      await server.must(`PUT /projects/${project.id}`, { json: { emails_enabled: true } });
      await commit('Heard');
      await until(async () => (await messages('d@x.org')).length > 0);
      const subjects = (await messages('d@x.org')).map((message) => /Subject: .*\] (.*)\r/.exec(message)?.[1]);
      assert.deepEqual(subjects, ['Heard']);
      assert.equal((await server.api(`POST ${at('emails-on-push')}/test`)).status, 201);
      await until(async () => (await messages('d@x.org')).length === 2);
      await server.must(`DELETE ${at('emails-on-push')}`);
    });

    it('send failed pipelines and, if configured, successful ones', async () => {
      await server.must(`PUT ${at('pipelines-email')}`, { json: { recipients: 'e@x.org' } });
      const finish = async (state: string, sha: string) => {
        await server.must(`POST /projects/${project.id}/statuses/${sha}`, { json: { state, name: 'check' } });
      };
      const failing = await commit('Break');
      await finish('failed', failing.id);
      await until(async () => (await messages('e@x.org')).length === 1);
      const [message = ''] = await messages('e@x.org');
      assert.match(message, /Subject: .*\/app \| Failed pipeline for main \| [0-9a-f]{8}/);
      await finish('success', (await commit('Pass unheard')).id);
      await server.must(`PUT ${at('pipelines-email')}`, { json: { notify_only_broken_pipelines: false } });
      await finish('success', (await commit('Pass')).id);
      await until(async () => (await messages('e@x.org')).some((each) => /Successful pipeline/.test(each)));
      assert.equal((await messages('e@x.org')).length, 2);
      await server.must(`PUT ${at('pipelines-email')}`, { json: { notify_only_default_branch: false } });
      assert.equal((await server.must(`GET ${at('pipelines-email')}`)).properties.branches_to_be_notified, 'all');
      await server.must(`DELETE ${at('pipelines-email')}`);
    });

    it('are rate limited per address and in total, across projects', async () => {
      const limited = await startTestServer(engine, [
        ...['--integration-mail-rate', '5/1h', '--mail-address-rate', '3/1h'],
      ]);
      const sent = async () => {
        const folder = join(limited.running.services.config.data, 'mail');
        const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
        const all = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
        return all.map((message) => /^To: (.*)\r$/m.exec(message)?.[1]).sort();
      };
      const idle = async () => {
        const jobs = limited.running.services.db.read.selectFrom('jobs').select('id');
        const kinds = ['webhooks.pushed', 'webhooks.deliver', 'mail.send'];
        return (await jobs.where('kind', 'in', kinds).execute()).length === 0;
      };
      const begin = async (name: string, recipients: string) => {
        const created = await limited.must('POST /projects', { json: { name, initialize_with_readme: true } });
        await limited.must(`PUT /projects/${created.id}/integrations/emails-on-push`, { json: { recipients } });
        return created.id as number;
      };
      const push = async (id: number, times: number) => {
        for (let time = 0; time < times; time += 1) {
          const tag_name = `t${time}`;
          await limited.must(`POST /projects/${id}/repository/tags`, { json: { tag_name, ref: 'main' } });
        }
        await until(idle);
      };
      const first = await begin('First', 'one@x.org');
      await push(first, 5);
      assert.deepEqual(await sent(), ['one@x.org', 'one@x.org', 'one@x.org']);
      const second = await begin('Second', 'ONE@x.org a@x.org b@x.org c@x.org');
      await push(second, 1);
      assert.deepEqual(await sent(), ['a@x.org', 'b@x.org', 'one@x.org', 'one@x.org', 'one@x.org']);
      const tried = await limited.api(`POST /projects/${second}/integrations/emails-on-push/test`);
      assert.equal(tried.status, 422);
      assert.match(JSON.stringify(tried.body), /hourly email limit/);
      // The limit does not affect others.
      const group = await limited.must('POST /groups', { json: { name: 'Others', path: 'others' } });
      await limited.must(`PUT /groups/${group.id}/integrations/emails-on-push`, { json: { recipients: 'one@x.org' } });
      const theirs = await limited.must('POST /projects', {
        json: { name: 'Third', namespace_id: group.id, initialize_with_readme: true },
      });
      await until(idle);
      const before = (await sent()).length;
      await push(theirs.id, 1);
      assert.equal((await sent()).length, before + 1);
    });

    it('reject invalid recipient lists', async () => {
      for (const [recipients, body] of [
        [undefined, { error: 'recipients is missing' }],
        ['', { error: 'recipients is missing' }],
        ['nobody', { message: { recipients: ['contains an invalid address: nobody'] } }],
        ['a@x.org <b@x.org>', undefined],
        [`a@x.org\r\nBcc: b@x.org`, undefined],
        [Array.from({ length: 751 }, (_, each) => `a${each}@x.org`).join(' '), undefined],
        ['a'.repeat(70_000), undefined],
      ] as const) {
        const answer = await server.api(`PUT ${at('emails-on-push')}`, { json: { recipients } });
        assert.equal(answer.status, 400, `${recipients?.slice(0, 50)}: ${JSON.stringify(answer.body)}`);
        if (body) assert.deepEqual(answer.body, body);
      }
    });
  });
});
