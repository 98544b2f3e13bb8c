import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { removeInactive } from '../../../src/namespaces/projects/inactivity/sweep.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('inactive projects', () => {
    let server: TestServer;
    let ann: Person;
    const start = Date.UTC(2030, 4, 31, 12);
    const months = (count: number) => Date.UTC(2030, 4 + count, 1, 12);

    const quiet = async (name: string, since: number, bytes = 0) => {
      const { id } = await server.must('POST /projects', { json: { name }, token: ann.token });
      await server.running.services.db.write((trx) =>
        trx
          .updateTable('projects')
          .set({ last_activity_at: since, repository_size: bytes })
          .where('id', '=', id)
          .execute(),
      );
      return id as number;
    };
    const sweep = (now: number) => removeInactive(server.running.services, new AbortController().signal, now);
    const marked = async (id: number) => {
      const answer = await server.api(`GET /projects/${id}`, { token: ann.token });
      return answer.status === 404 ? 'gone' : answer.body.marked_for_deletion_at !== null;
    };
    const messages = async () => {
      await server.running.services.queue.drain();
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const all = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return all
        .flatMap((message) => /Subject: (\S+) \| Project was scheduled for deletion\s+because/.exec(message)?.[1] ?? [])
        .sort();
    };
    const set = (json: object) => server.api('PUT /application/settings', { json });

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
    });

    it('are kept unless deletion is enabled', async () => {
      const id = await quiet('old', months(-12));
      await sweep(start);
      assert.equal(await marked(id), false);
      assert.deepEqual(await messages(), []);
      await server.must(`DELETE /projects/${id}`, { token: ann.token });
    });

    it('require a warning before the deletion', async () => {
      const wrong = await set({ inactive_projects_send_warning_email_after_months: 2 });
      assert.deepEqual(
        [wrong.status, wrong.body],
        [400, { message: { inactive_projects_send_warning_email_after_months: ['must be less than 2'] } }],
      );
      assert.equal((await set({ inactive_projects_delete_after_months: 1 })).status, 400);
      const both = { inactive_projects_delete_after_months: 6, inactive_projects_send_warning_email_after_months: 3 };
      assert.equal(
        (await set({ ...both, delete_inactive_projects: true, inactive_projects_min_size_mb: 1 })).status,
        200,
      );
    });

    it('are warned about and then marked for deletion unless there is activity', async () => {
      const [small, quietOne, heeded, active] = [
        await quiet('small', months(-12), 1000),
        await quiet('quiet', months(-12), 2_000_000),
        await quiet('heeded', months(-12), 2_000_000),
        await quiet('active', months(-2), 2_000_000),
      ];
      await sweep(start);
      await sweep(start + 1000);
      await until(async () => (await messages()).length === 2);
      assert.deepEqual(await messages(), ['heeded', 'quiet']);
      await server.running.services.db.write((trx) =>
        trx
          .updateTable('projects')
          .set({ last_activity_at: months(1) })
          .where('id', '=', heeded)
          .execute(),
      );
      // Three months after the end of May is the end of August.
      await sweep(Date.UTC(2030, 7, 31, 11));
      assert.deepEqual(await Promise.all([quietOne, heeded].map(marked)), [false, false]);
      await sweep(Date.UTC(2030, 7, 31, 13));
      assert.deepEqual(await Promise.all([small, quietOne, heeded, active].map(marked)), [false, true, false, false]);
      const { path, name } = await server.must(`GET /projects/${quietOne}`, { token: ann.token });
      assert.deepEqual([path, name], [`quiet-deletion_scheduled-${quietOne}`, `quiet-deletion_scheduled-${quietOne}`]);

      const restored = await server.must(`POST /projects/${quietOne}/restore`, { token: ann.token });
      assert.equal(restored.path, 'quiet');
      await sweep(Date.UTC(2030, 8, 1, 13));
      assert.equal(await marked(quietOne), false, 'warned again first');
      assert.equal((await messages()).filter((each) => each === 'quiet').length, 2);
    });
  });
});
