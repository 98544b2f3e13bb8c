import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { address, emailWith, message, post } from './post.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('issues by e-mail', () => {
    let server: TestServer;
    let project: { id: number };
    let member: Person;
    let email: string;

    const addressOf = async (token: string, id = project.id): Promise<string> =>
      (await server.must(`GET /projects/${id}/new_issue_address`, { token })).address;
    const issues = (id = project.id) => server.must(`GET /projects/${id}/issues?sort=asc`);

    before(async () => {
      server = await startTestServer(engine, ['--incoming-mail-address', address]);
      project = await server.must('POST /projects', { json: { name: 'A Project', visibility: 'private' } });
      member = await addUser(server, 'member');
      email = `${member.username}@example.com`;
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: member.id, access_level: 20 } });
    });

    it('are created by the owner of the address', async () => {
      const to = await addressOf(member.token);
      assert.match(to, new RegExp(`^incoming\\+root-a-p[a-z-]*-${project.id}-[a-z2-7]+-issue@mail\\.example\\.com$`));
      assert.ok((to.split('@')[0] ?? '').length <= 64, to);
      const body = 'It leaks.\n\n-----Original Message-----\nFrom: Carl\n\nHelp\n\n/label ~urgent\n\n-- \nMember';
      await post(server, message(to, body, { Subject: '=?utf-8?B?R3LDtsOfZQ==?= of the leak' }));
      const [issue] = await issues();
      assert.equal(issue.title, 'Größe of the leak');
      assert.equal(issue.description, 'It leaks.\n\n-----Original Message-----\nFrom: Carl\n\nHelp');
      assert.equal(issue.author.id, member.id);
      await post(server, message(to, '', { Subject: 'x'.repeat(300) }));
      const [, long] = await issues();
      assert.equal(long.title, `${'x'.repeat(254)}…`);
      assert.equal(long.description, '');
    });

    it('are rejected without a subject, or if the owner may not create issues', async () => {
      await post(server, message(await addressOf(member.token), 'No title', { Subject: '' }));
      await emailWith(server, email, 'no subject');
      const other = await server.must('POST /projects', { json: { name: 'Other', visibility: 'private' } });
      const [before = '', after = ''] = (await addressOf(member.token)).split(`-${project.id}-`);
      await post(server, message(`${before}-${other.id}-${after}`, 'Elsewhere'));
      await emailWith(server, email, 'you no longer have access to it');
      const open = await server.must('POST /projects', {
        json: { name: 'No issues', visibility: 'public', issues_access_level: 'disabled' },
      });
      await post(server, message(`${before}-${open.id}-${after}`, 'Closed'));
      await emailWith(server, email, 'You are not allowed to do this');
      assert.equal((await issues(other.id)).length + (await issues()).length, 2);
    });

    it('have an address that requires a write scope and can be rotated', async () => {
      const stranger = await addUser(server, 'stranger');
      const path = `GET /projects/${project.id}/new_issue_address`;
      assert.equal((await server.api(path, { token: stranger.token })).status, 404);
      assert.equal((await server.api(path, { token: null })).status, 401);
      const { token } = await server.must(`POST /users/${member.id}/personal_access_tokens`, {
        json: { name: 'reads', scopes: ['read_api'] },
      });
      for (const call of [path, 'GET /user/incoming_email_token', 'POST /user/incoming_email_token/rotate']) {
        const { status, body } = await server.api(call, { token });
        assert.deepEqual([status, body.error], [403, 'insufficient_scope'], call);
      }
      const own = await server.must('GET /user/incoming_email_token', { token: member.token });
      const old = await addressOf(member.token);
      assert.ok(old.includes(`-${own.incoming_email_token}-issue@`));
      const rotated = await server.must('POST /user/incoming_email_token/rotate', { token: member.token });
      assert.notEqual(rotated.incoming_email_token, own.incoming_email_token);
      await post(server, message(old, 'Too late', { From: 'late@elsewhere.example' }));
      await emailWith(server, 'late@elsewhere.example', 'its token has been rotated');
      await post(server, message(await addressOf(member.token), 'In time', { Subject: 'In time' }));
      const titles = (await issues()).map(({ title }: { title: string }) => title);
      assert.deepEqual(titles.slice(2), ['In time']);
    });
  });
});
