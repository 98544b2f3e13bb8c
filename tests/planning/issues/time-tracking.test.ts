import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('time tracking and subscriptions of an issue', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let project: Project;
    let path: string;
    const call = (what: string, json: Record<string, unknown> = {}, person = owner) =>
      server.api(`POST ${path}/${what}`, { token: person.token, json });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      project = await addProject(server, owner, 'timed', 'public');
      await addMember(server, project, guest, Role.guest);
      const { iid } = await server.must(`POST /projects/${project.id}/issues?title=Timed`, { token: guest.token });
      path = `/projects/${project.id}/issues/${iid}`;
    });

    it('formats durations in hours if the instance is configured so', async () => {
      await server.must('PUT /application/settings', { json: { time_tracking_limit_to_hours: true } });
      assert.equal((await call('time_estimate', { duration: '1w' })).body.human_time_estimate, '40h');
      assert.equal((await server.must(`GET ${path}`)).time_stats.human_time_estimate, '40h');
      const body = '/spend 2d 30m';
      const response = await server.must(`POST ${path}/notes`, { token: owner.token, json: { body } });
      assert.deepEqual(response.summary, ['Added 16h 30m spent time.']);
      const notes = await server.must(`GET ${path}/notes?activity_filter=only_activity&sort=asc`);
      const texts = notes.map(({ body: text }: { body: string }) => text.replace(/ at .*/, ''));
      assert.deepEqual(texts.slice(-2), ['added time estimate of 40h', 'added 16h 30m of time spent']);
      await server.must('PUT /application/settings', { json: { time_tracking_limit_to_hours: false } });
      assert.equal((await server.must(`GET ${path}/time_stats`)).human_total_time_spent, '2d 30m');
      await call('reset_time_estimate');
      await call('reset_spent_time');
    });

    it('sets and resets the estimate, and adds, subtracts and resets time spent', async () => {
      const estimated = await call('time_estimate', { duration: '3h30m' });
      assert.deepEqual(
        [estimated.status, estimated.body],
        [
          200,
          { time_estimate: 12600, total_time_spent: 0, human_time_estimate: '3h 30m', human_total_time_spent: null },
        ],
      );
      assert.equal((await call('add_spent_time', { duration: '1h', summary: 'thinking' })).body.total_time_spent, 3600);
      assert.equal((await call('add_spent_time', { duration: '-30m' })).body.human_total_time_spent, '30m');
      const stats = await server.must(`GET ${path}/time_stats`, { token: guest.token });
      assert.deepEqual([stats.time_estimate, stats.total_time_spent], [12600, 1800]);
      assert.equal((await call('reset_time_estimate')).body.time_estimate, 0);
      assert.equal((await call('reset_spent_time')).body.total_time_spent, 0);
    });

    for (const [what, json, message] of [
      [
        'time_estimate',
        { duration: 'soon' },
        '400 Bad request - {:reason=>"Time estimate must have a valid format and be greater than or equal to zero."}',
      ],
      ['add_spent_time', { duration: 'x' }, { 'timelogs.time_spent': ["can't be blank"] }],
      ['add_spent_time', { duration: '-1h' }, { base: ['Time to subtract exceeds the total time spent'] }],
      ['add_spent_time', { duration: '20y' }, { 'timelogs.base': ['Total time spent cannot exceed a year.'] }],
    ] as const) {
      it(`rejects ${what} of ${json.duration}`, async () => {
        const { status, body } = await call(what, json);
        assert.deepEqual([status, body], [400, { message }]);
      });
    }

    it('requires planners, and rejects authors without the role', async () => {
      assert.equal((await call('time_estimate', { duration: '1h' }, guest)).status, 403);
    });

    it('responds with 304 if the subscription does not change', async () => {
      assert.equal((await call('subscribe', {}, guest)).status, 304);
      const left = await call('unsubscribe', {}, guest);
      assert.deepEqual([left.status, left.body.subscribed], [200, false]);
      assert.equal((await call('unsubscribe', {}, guest)).status, 304);
      assert.equal((await call('subscribe', {}, guest)).body.subscribed, true);
    });

    it('lists the participants', async () => {
      await server.must(`POST ${path}/notes?body=Hello`, { token: owner.token });
      const people = await server.must(`GET ${path}/participants`);
      assert.deepEqual(
        people.map((user: { id: number }) => user.id),
        [guest.user.id, owner.user.id],
      );
    });
  });
});
