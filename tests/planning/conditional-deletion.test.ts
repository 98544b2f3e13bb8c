import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('deletion with If-Unmodified-Since', () => {
    let server: TestServer;
    let group: string;
    let project: string;
    const must = (call: string, json: object) => server.must(call, { json });

    before(async () => {
      server = await startTestServer(engine);
      const { id } = await must('POST /groups', { name: 'Group', path: 'group' });
      group = `/groups/${id}`;
      project = `/projects/${(await must('POST /projects', { name: 'p', namespace_id: id })).id}`;
    });

    const file = { title: 'Snippet', file_name: 'a.txt', content: 'a', visibility: 'private' };
    const discussion = async () => {
      const { iid } = await must(`POST ${project}/issues`, { title: 'Issue' });
      const thread = await must(`POST ${project}/issues/${iid}/discussions`, { body: 'Thread' });
      return `${project}/issues/${iid}/discussions/${thread.id}/notes/${thread.notes[0].id}`;
    };
    const hook = { url: 'https://receiver.example.com/' };
    const list = async () => {
      const { id } = await must(`POST ${project}/labels`, { name: 'listed', color: 'red' });
      return at(`${await at(`${project}/boards`, { name: 'Lists' })}/lists`, { label_id: id });
    };
    const at = async (list: string, json: object, key = 'id') => `${list}/${(await must(`POST ${list}`, json))[key]}`;
    const member = async (place: string) => {
      const name = `member-of${place.replaceAll('/', '-')}`;
      const account = { username: name, name, email: `${name}@example.com`, password: 'correct horse battery' };
      const { id } = await must('POST /users', { ...account, skip_confirmation: true });
      await must(`POST ${place}/members`, { user_id: id, access_level: 20 });
      return `${place}/members/${id}`;
    };
    const invitation = async (place: string) => {
      const email = `invited-${place.replaceAll('/', '-')}@example.com`;
      await must(`POST ${place}/invitations`, { email, access_level: 20 });
      return `${place}/invitations/${encodeURIComponent(email)}`;
    };
    const protection = (name: string) => ({ name, deploy_access_levels: [{ access_level: 40 }] });
    const places: [string, () => Promise<string>][] = [
      ['an issue', () => at(`${project}/issues`, { title: 'Issue' }, 'iid')],
      ['a label', () => at(`${project}/labels`, { name: 'own', color: 'red' })],
      ['a group label', () => at(`${group}/labels`, { name: 'shared', color: 'red' })],
      ['a milestone', () => at(`${project}/milestones`, { title: 'One' })],
      ['a group milestone', () => at(`${group}/milestones`, { title: 'Two' })],
      ['an epic', () => at(`${group}/epics`, { title: 'Epic' }, 'iid')],
      ['a personal snippet', () => at('/snippets', file)],
      ['a project snippet', () => at(`${project}/snippets`, file)],
      ['a note', async () => at(`${await at(`${project}/issues`, { title: 'Noted' }, 'iid')}/notes`, { body: 'Note' })],
      ['a note of a thread', discussion],
      [
        'an emoji',
        async () => at(`${await at(`${project}/issues`, { title: 'Loved' }, 'iid')}/award_emoji`, { name: 'tada' }),
      ],
      ['a board', () => at(`${project}/boards`, { name: 'Board' })],
      ['a group board', () => at(`${group}/boards`, { name: 'Board' })],
      ['an epic board', () => at(`${group}/epic_boards`, { name: 'Board' })],
      ['a board list', list],
      ['a variable', () => at(`${project}/variables`, { key: 'KEY', value: 'a' }, 'key')],
      ['a group variable', () => at(`${group}/variables`, { key: 'KEY', value: 'a' }, 'key')],
      ['a variable of the instance', () => at('/admin/ci/variables', { key: 'KEY', value: 'a' }, 'key')],
      ['a webhook', () => at(`${project}/hooks`, hook)],
      ['a group webhook', () => at(`${group}/hooks`, hook)],
      ['a system hook', () => at('/hooks', hook)],
      ['a member', () => member(project)],
      ['a group member', () => member(group)],
      ['an invitation', () => invitation(project)],
      ['an invitation to a group', () => invitation(group)],
      ['a protected environment', () => at(`${project}/protected_environments`, protection('one'), 'name')],
      ['a protected tier of a group', () => at(`${group}/protected_environments`, protection('staging'), 'name')],
    ];
    for (const [name, make] of places) {
      it(`of ${name} is refused if it has changed since`, async () => {
        const path = await make();
        const remove = (since: number) =>
          server.api(`DELETE ${path}`, { headers: { 'if-unmodified-since': new Date(since).toUTCString() } });
        const refused = await remove(0);
        assert.deepEqual([refused.status, refused.body], [412, { message: '412 Precondition Failed' }]);
        assert.equal((await remove(Date.now() + 60_000)).status, 204);
        assert.equal((await server.api(`DELETE ${path}`)).status, 404);
      });
    }

    it('of members and invitations considers changes of their role', async () => {
      const first = await must('POST /projects', { name: 'roles' });
      const place = `/projects/${first.id}`;
      for (const path of [await member(place), await invitation(place)]) {
        await server.db.write(async (trx) => {
          await trx.updateTable('members').set({ created_at: 0 }).where('project_id', '=', first.id).execute();
          await trx
            .updateTable('member_invitations')
            .set({ created_at: 0 })
            .where('project_id', '=', first.id)
            .execute();
        });
        const headers = { 'if-unmodified-since': new Date(1_000_000_000_000).toUTCString() };
        await server.must(`PUT ${path}`, { json: { access_level: 30 } });
        assert.equal((await server.api(`DELETE ${path}`, { headers })).status, 412, path);
        assert.equal((await server.api(`DELETE ${path}`)).status, 204, path);
      }
    });
  });
});
