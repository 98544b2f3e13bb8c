import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { Answer, TestServer } from '../../support/server.ts';
import { exportedFile, importedFrom } from './round-trip.ts';

type Entity = Answer['body'];

forEachEngine((engine) => {
  let scene: ReviewScene;
  let server: TestServer;
  let importer: Person;
  let copy: number;
  let failed: Entity[];
  const longName = `${'音楽'.repeat(120)}.txt`;

  const earlier = (path: string): Promise<Entity> =>
    server.must(`GET /projects/${scene.project.id}${path}`, { token: scene.owner.token });
  const after = (path: string): Promise<Entity> =>
    server.must(`GET /projects/${copy}${path}`, { token: importer.token });
  /** Compares a list before the export and after the import. */
  const same = async (path: string, keep: (one: Entity) => unknown) => {
    const [old, current] = [await earlier(path), await after(path)];
    assert.ok(old.length > 0, path);
    assert.deepEqual(current.map(keep), old.map(keep), path);
  };

  before(async () => {
    scene = await reviewScene(engine, 'public');
    ({ server } = scene);
    const { owner, project } = scene;
    const must = (call: string, json: object) =>
      server.must(call.replace(' /', ` /projects/${project.id}/`), { token: owner.token, json });
    await must('POST /protected_branches', {
      name: 'admins/*',
      push_access_level: 60,
      merge_access_level: 60,
      unprotect_access_level: 60,
    });
    await must('POST /protected_branches', { name: 'open/*', push_access_level: 30, unprotect_access_level: 30 });
    await must('POST /protected_tags', { name: 'v*', create_access_level: 60 });
    const form = new FormData();
    form.append('file', new Blob(['music']), longName);
    const { markdown } = await server.must(`POST /projects/${project.id}/uploads`, { token: owner.token, body: form });
    await must('POST /issues', { title: 'It has a file', description: markdown });

    importer = await addPerson(server, 'importer');
    await server.must('POST /groups', { token: importer.token, json: { name: 'Copies', path: 'copies' } });
    const file = await exportedFile(server, owner, project.id);
    ({ id: copy, failed } = await importedFrom(server, importer, file, { path: 'copy', namespace: 'copies' }));
  });

  it('imports everything that was exported', () => {
    assert.deepEqual(failed, []);
  });

  it('transfers who may push, merge, unprotect and create tags, administrators included', async () => {
    const levels = (list: Entity[]) => list.map(({ access_level }) => access_level);
    await same('/protected_branches', (rule) => [
      rule.name,
      levels(rule.push_access_levels),
      levels(rule.merge_access_levels),
      // The protection of a new default branch lets everybody unprotect it who may change it.
      rule.name === 'main' || levels(rule.unprotect_access_levels),
    ]);
    await same('/protected_tags', (rule) => [rule.name, levels(rule.create_access_levels)]);
    assert.deepEqual(levels((await after('/protected_branches/admins%2F*')).push_access_levels), [60]);
  });

  it('transfers uploaded files with names that are too long for the file system', async () => {
    const { description } = await after('/issues/1');
    const [, place] = /\((\/uploads\/[0-9a-f]{32}\/[^)]+)\)/.exec(description) ?? [];
    assert.ok(place?.endsWith(`/${longName}`), description);
    assert.equal(await after(place), 'music');
  });
});
