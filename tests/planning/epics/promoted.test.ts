import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('promotion of an issue to an epic', () => {
    let server: TestServer;
    let owner: Person;
    let other: Person;
    let group: { readonly id: number };
    let project: Project;

    const must = (call: string, json?: object, person = owner) =>
      server.must(call, { token: person.token, ...(json && { json }) });
    const issue = (json: object = {}) => must(`POST /projects/${project.id}/issues`, { title: 'Large', ...json });
    const promote = (iid: number) =>
      server.api(`POST /projects/${project.id}/issues/${iid}/notes`, {
        token: owner.token,
        json: { body: '/promote' },
      });
    const epics = async (search: string) => must(`GET /groups/${group.id}/epics?search=${search}`);

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      other = await addPerson(server, 'other');
      group = await must('POST /groups', { name: 'Promoted', path: 'promoted', visibility: 'public' });
      project = await must('POST /projects', { name: 'p', namespace_id: group.id, visibility: 'public' });
    });

    it('is possible only once, until the epic is deleted', async () => {
      const { iid } = await issue({ title: 'Once' });
      assert.deepEqual((await promote(iid)).body.commands_changes, { promote_to_epic: true });
      const again = await promote(iid);
      assert.deepEqual(
        [again.status, again.body],
        [202, { commands_changes: {}, summary: ['Could not apply promote command.'] }],
      );
      const [epic, ...more] = await epics('Once');
      assert.deepEqual(more, []);
      await must(`DELETE /groups/${group.id}/epics/${epic.iid}`);
      assert.deepEqual((await promote(iid)).body.commands_changes, { promote_to_epic: true });
      assert.equal((await epics('Once')).length, 1);
    });

    it('happens only once with concurrent requests', async () => {
      await inRounds(async (round) => {
        const { iid } = await issue({ title: `Hurried${round}` });
        const answers = await atOnce(4, () => promote(iid));
        assert.deepEqual(
          answers.filter(({ status }) => status >= 500),
          [],
        );
        assert.equal(answers.filter(({ body }) => body.commands_changes?.promote_to_epic).length, 1);
        assert.equal((await epics(`Hurried${round}`)).length, 1);
      }, 3);
    });

    it('copies emoji reactions, subscribers and parent to the epic', async () => {
      const parent = await must(`POST /groups/${group.id}/epics`, { title: 'Parent' });
      const { iid } = await issue({ title: 'Liked', epic_id: parent.id });
      const at = `/projects/${project.id}/issues/${iid}`;
      await must(`POST ${at}/award_emoji`, { name: 'thumbsup' }, other);
      await must(`POST ${at}/award_emoji`, { name: 'tada' });
      await must(`POST ${at}/subscribe`, undefined, other);
      await promote(iid);
      const [{ iid: number }] = await epics('Liked');
      const path = `/groups/${group.id}/epics/${number}`;
      const epic = await must(`GET ${path}`, undefined, other);
      assert.deepEqual([epic.upvotes, epic.downvotes, epic.parent_id, epic.subscribed], [1, 0, parent.id, true]);
      const awards = await must(`GET ${path}/award_emoji`);
      assert.deepEqual(
        awards.map((award: { name: string; user: { id: number }; awardable_type: string }) => [
          award.name,
          award.user.id,
          award.awardable_type,
        ]),
        [
          ['thumbsup', other.user.id, 'Epic'],
          ['tada', owner.user.id, 'Epic'],
        ],
      );
      assert.equal((await must(`GET ${at}`)).upvotes, 1);
    });
  });
});
