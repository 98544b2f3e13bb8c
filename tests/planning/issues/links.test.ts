import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issue links', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let hidden: Project;

    const open = async (query = '', into = project): Promise<number> =>
      (await server.must(`POST /projects/${into.id}/issues?title=Linked${query}`, { token: owner.token })).iid;
    const link = (iid: number, target: number, type?: string, person = guest, into = project) =>
      server.api(`POST /projects/${project.id}/issues/${iid}/links`, {
        token: person.token,
        json: { target_project_id: into.id, target_issue_iid: target, ...(type && { link_type: type }) },
      });
    const links = (iid: number, person = owner) =>
      server.must(`GET /projects/${project.id}/issues/${iid}/links`, { token: person.token });
    const issue = (iid: number) => server.must(`GET /projects/${project.id}/issues/${iid}`, { token: owner.token });
    const records = async (iid: number) =>
      (await server.must(`GET /projects/${project.id}/issues/${iid}/notes?sort=asc`, { token: owner.token })).map(
        ({ body }: { body: string }) => body,
      );

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'linked', 'public');
      hidden = await addProject(server, owner, 'hidden', 'private');
      await addMember(server, project, guest, Role.guest);
    });

    it('treat a null target project as the same project, as sent by glab', async () => {
      const [one, two] = [await open(), await open()];
      const toNull = (json: object) =>
        server.api(`POST /projects/${project.id}/issues/${one}/links`, { token: guest.token, json });
      const missing = await toNull({ target_issue_iid: `${two}` });
      assert.deepEqual([missing.status, missing.body], [400, { error: 'target_project_id is missing' }]);
      const made = await toNull({ target_project_id: null, target_issue_iid: `${two}`, link_type: 'blocks' });
      assert.deepEqual([made.status, made.body.target_issue.iid, made.body.link_type], [201, two, 'blocks']);
    });

    it('can be created, shown from both ends, and deleted', async () => {
      const [one, two] = [await open(), await open()];
      const { status, body } = await link(one, two);
      assert.deepEqual(
        [status, body.source_issue.iid, body.target_issue.iid, body.link_type],
        [201, one, two, 'relates_to'],
      );
      const [seen] = await links(two);
      assert.deepEqual([seen.iid, seen.issue_link_id, seen.link_type], [one, body.id, 'relates_to']);
      assert.ok(!('subscribed' in seen));
      const path = `/projects/${project.id}/issues/${two}/links/${body.id}`;
      assert.deepEqual((await server.must(`GET ${path}`, { token: owner.token })).id, body.id);
      const refused = await server.api(`DELETE ${path}`, { token: outsider.token });
      assert.deepEqual([refused.status, refused.body], [404, { message: 'No Issue Link found' }]);
      const deleted = await server.api(`DELETE ${path}`, { token: guest.token });
      assert.deepEqual([deleted.status, deleted.body.id], [200, body.id]);
      assert.deepEqual(await links(one), []);
      assert.deepEqual(await records(one), [
        `marked this issue as related to #${two}`,
        `removed the relation with #${two}`,
      ]);
    });

    it('count blocked issues while they are open', async () => {
      const [one, two] = [await open(), await open()];
      await link(two, one, 'is_blocked_by');
      assert.equal((await links(two))[0].link_type, 'is_blocked_by');
      assert.equal((await links(one))[0].link_type, 'blocks');
      assert.equal((await issue(one)).blocking_issues_count, 1);
      assert.deepEqual(await records(two), [`marked this issue as blocked by #${one}`]);
      await server.must(`PUT /projects/${project.id}/issues/${two}?state_event=close`, { token: owner.token });
      assert.equal((await issue(one)).blocking_issues_count, 0);
      await server.must(`PUT /projects/${project.id}/issues/${two}?state_event=reopen`, { token: owner.token });
      assert.equal((await issue(one)).blocking_issues_count, 1);
      await server.must(`DELETE /projects/${project.id}/issues/${two}`, { token: owner.token });
      assert.equal((await issue(one)).blocking_issues_count, 0);
    });

    it('are created and deleted once, whichever issue they are requested from', async () => {
      await inRounds(async () => {
        const [one, two] = [await open(), await open()];
        const created = await atOnce(4, (index) => (index % 2 === 0 ? link(one, two) : link(two, one)));
        assert.deepEqual(statuses(created), { 201: 1, 409: 3 });
        const [{ issue_link_id }] = await links(one);
        const path = `/projects/${project.id}/issues/${one}/links/${issue_link_id}`;
        const deleted = await atOnce(3, () => server.api(`DELETE ${path}`, { token: guest.token }));
        assert.deepEqual(statuses(deleted), { 200: 1, 404: 2 });
        assert.deepEqual(await records(two), [
          `marked this issue as related to #${one}`,
          `removed the relation with #${one}`,
        ]);
      });
    });

    it('reject duplicates, self links, and non-members', async () => {
      const [one, two] = [await open(), await open()];
      await link(one, two);
      const again = await link(two, one);
      assert.deepEqual([again.status, again.body], [409, { message: 'Issue(s) already assigned' }]);
      const self = await link(one, one);
      assert.deepEqual(
        [self.status, self.body],
        [422, { message: `#${one} cannot be added: cannot be related to itself` }],
      );
      const foreign = await link(one, await open(), undefined, outsider);
      assert.deepEqual(
        [foreign.status, foreign.body],
        [403, { message: "Couldn't link issues. You must have at least the Guest role in both projects." }],
      );
      const secret = await open('', hidden);
      const unseen = await link(one, secret, undefined, guest, hidden);
      assert.deepEqual([unseen.status, unseen.body], [404, { message: '404 Project Not Found' }]);
      assert.deepEqual((await link(one, 9999)).body, { message: '404 Not found' });
      assert.deepEqual((await link(one, two, 'owns')).body, { error: 'link_type does not have a valid value' });
    });

    it('show only issues that the reader can see', async () => {
      const one = await open();
      assert.equal((await link(one, await open('', hidden), undefined, owner, hidden)).status, 201);
      assert.equal((await link(one, await open('&confidential=true'), undefined, owner)).status, 201);
      assert.equal((await links(one)).length, 2);
      assert.deepEqual(await links(one, guest), []);
    });

    it('can be created by quick actions', async () => {
      const [one, two, three] = [await open(), await open(), await open()];
      const { body } = await server.api(`POST /projects/${project.id}/issues/${one}/notes`, {
        token: owner.token,
        json: { body: `/relate #${two}\n/blocks #${three}` },
      });
      assert.deepEqual(body.summary, [
        `Added #${two} as a linked item related to this issue. Added #${three} as a linked item blocked by this issue.`,
      ]);
      assert.deepEqual(
        (await links(one)).map(({ link_type }: { link_type: string }) => link_type),
        ['relates_to', 'blocks'],
      );
      const duplicate = await server.api(`POST /projects/${project.id}/issues/${two}/notes`, {
        token: owner.token,
        json: { body: `/unlink #${one}\n/duplicate #${three}` },
      });
      assert.equal(duplicate.status, 202);
      const closed = await issue(two);
      assert.equal(closed.state, 'closed');
      assert.match(closed._links.closed_as_duplicate_of, new RegExp(`/issues/${three}$`));
      assert.ok((await records(three)).includes(`marked #${two} as a duplicate of this issue`));
    });
  });
});
