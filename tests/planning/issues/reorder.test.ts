import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('manual order of issues', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let issues: { id: number; iid: number }[];

    const move = (iid: number, json: object, person = owner) =>
      server.api(`PUT /projects/${project.id}/issues/${iid}/reorder`, { json, token: person.token });
    const order = async () => {
      const listed = await server.must(
        `GET /projects/${project.id}/issues?order_by=relative_position&sort=asc&per_page=100`,
        { token: owner.token },
      );
      return listed.map(({ iid }: { iid: number }) => iid);
    };
    const idOf = (iid: number) => issues[iid - 1]?.id;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      project = await addProject(server, owner, 'ordered');
      issues = [];
      for (let n = 0; n < 4; n++)
        issues.push(
          await server.must(`POST /projects/${project.id}/issues`, { json: { title: `${n}` }, token: owner.token }),
        );
    });

    it('moves issues before and after others', async () => {
      assert.equal((await move(1, { move_before_id: idOf(2) })).status, 200);
      assert.equal((await move(3, { move_before_id: idOf(1) })).status, 200);
      assert.equal((await move(4, { move_after_id: idOf(2) })).status, 200);
      assert.deepEqual(await order(), [4, 2, 1, 3]);
      assert.equal((await move(3, { move_before_id: idOf(4), move_after_id: idOf(2) })).body.iid, 3);
      assert.deepEqual(await order(), [4, 3, 2, 1]);
    });

    it('finds room for repeated moves to the same position', async () => {
      for (let n = 0; n < 30; n++) {
        const [first, second] = n % 2 === 0 ? [2, 1] : [1, 2];
        assert.equal((await move(second, { move_before_id: idOf(3), move_after_id: idOf(first) })).status, 200);
      }
      assert.deepEqual(await order(), [4, 3, 2, 1]);
      await atOnce(6, (n) => move((n % 3) + 2, { move_before_id: idOf(1) }));
      assert.deepEqual([...(await order())].sort(), [1, 2, 3, 4]);
    });

    it('keeps the order of issues without a position', async () => {
      const other = await addProject(server, owner, 'untouched');
      const made: { id: number; iid: number }[] = [];
      for (let n = 0; n < 6; n++)
        made.push(
          await server.must(`POST /projects/${other.id}/issues`, { json: { title: `${n}` }, token: owner.token }),
        );
      const json = { move_before_id: made[2]?.id, move_after_id: made[3]?.id };
      await server.must(`PUT /projects/${other.id}/issues/6/reorder`, { json, token: owner.token });
      const listed = await server.must(`GET /projects/${other.id}/issues?order_by=relative_position&sort=asc`, {
        token: owner.token,
      });
      assert.deepEqual(
        listed.map(({ iid }: { iid: number }) => iid),
        [1, 2, 3, 6, 4, 5],
      );
    });

    it('rejects impossible positions and callers without permission', async () => {
      assert.equal((await move(1, {})).status, 400);
      assert.equal((await move(99, { move_before_id: idOf(1) })).status, 404);
      assert.deepEqual((await move(1, { move_before_id: 999_999 })).body, { message: '404 Issue Not Found' });
      assert.equal((await move(1, { move_before_id: idOf(1) })).status, 404);
      const [first = 0, , , last = 0] = await order();
      const crossed = { move_before_id: idOf(last), move_after_id: idOf(first) };
      const [, middle = 0] = await order();
      assert.deepEqual(
        [(await move(middle, crossed)).status, (await move(middle, crossed)).body],
        [422, { message: { error: 'Unprocessable Entity' } }],
      );
      const guest = await addPerson(server, 'guest');
      assert.equal((await move(1, { move_before_id: idOf(2) }, guest)).status, 404);
      await addMember(server, project, guest, 10);
      assert.equal((await move(1, { move_before_id: idOf(2) }, guest)).status, 403);
    });
  });
});
