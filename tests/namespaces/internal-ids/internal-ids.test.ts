import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { nextInternalId, reserveInternalId } from '../../../src/namespaces/internal-ids/public.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let project: Project;
  const next = (kind: 'issues' | 'epics') =>
    server.db.write((trx) => nextInternalId(trx, { project_id: project.id }, kind));

  before(async () => {
    server = await startTestServer(engine);
    project = await addProject(server, await addPerson(server, 'ann'), 'numbered');
  });

  it('assigns 200 consecutive numbers to 200 concurrent transactions', async () => {
    const numbers = await atOnce(200, () => next('issues'));
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
  });

  it('assigns a number again after a rollback', async () => {
    const taken = server.db.write(async (trx) => {
      await nextInternalId(trx, { project_id: project.id }, 'epics');
      throw new Error('rolled back');
    });
    await assert.rejects(taken, /rolled back/);
    assert.equal(await next('epics'), 1);
  });

  it('continues after a reserved number and never goes back', async () => {
    const reserve = (taken: number) =>
      server.db.write((trx) => reserveInternalId(trx, { project_id: project.id }, 'epics', taken));
    await reserve(40);
    await reserve(7);
    assert.equal(await next('epics'), 41);
  });
});
