import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { endStale } from '../../../src/imports/relation-imports/jobs.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { Answer, Sending, TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('relation imports', () => {
    let scene: ReviewScene;
    let server: TestServer;
    let archive: Buffer;
    let base: string;
    let fullPath: string;
    let markdown: string;

    const as = (person: Person | null, call: string, sending: Sending = {}) =>
      server.api(call, { token: person?.token ?? null, ...sending });
    const must = (call: string, json?: unknown, person = scene.owner) =>
      server.must(call, { token: person.token, ...(json === undefined ? {} : { json }) });
    const send = (person: Person | null, fields: Record<string, string>, bytes = archive): Promise<Answer> => {
      const form = new FormData();
      const all = { path: fullPath, relation: 'issues', ...fields };
      for (const [name, value] of Object.entries(all)) form.append(name, value);
      form.append('file', new Blob([new Uint8Array(bytes)]), 'export.tar.gz');
      return as(person, 'POST /projects/import-relation', { body: form });
    };
    const drained = () => server.running.services.queue.drain();
    const states = async () =>
      (await must(`GET ${base}/relation-imports`)).map((one: { status: string }) => one.status);
    const brought = async (relation: string, bytes = archive) => {
      const { status, body, text } = await send(scene.owner, { relation }, bytes);
      assert.equal(status, 201, text);
      assert.deepEqual([body.project_path, body.relation, body.status], [fullPath, relation, 'created']);
      await drained();
      return (await states()).at(-1);
    };

    before(async () => {
      scene = await reviewScene(engine, 'private');
      ({ server } = scene);
      base = `/projects/${scene.project.id}`;
      ({ path_with_namespace: fullPath } = await must(`GET ${base}`));
      const form = new FormData();
      form.append('file', new Blob(['a picture']), 'shot.png');
      ({ markdown } = await server.must(`POST ${base}/uploads`, { token: scene.owner.token, body: form }));
      await must(`POST ${base}/milestones`, { title: 'one' });
      const { id: milestone_id } = await must(`POST ${base}/milestones`, { title: 'two' });
      await must(`POST ${base}/issues`, { title: 'first', labels: 'bug', milestone_id, description: markdown });
      await must(`POST ${base}/issues`, { title: 'second' });
      await must(`POST ${base}/issues/1/notes`, { body: 'a note' });
      await scene.branch('topic', 'README.md', 'one\nTWO\nthree\n');
      await scene.open(scene.developer, 'topic', { title: 'A request' });
      await must(`POST ${base}/merge_requests/1/notes`, { body: 'looked at' });
      const { id: sha } = await must(`GET ${base}/repository/commits/main`);
      await must(`POST ${base}/statuses/${sha}`, { state: 'success', name: 'elsewhere', ref: 'main' });
      await must(`POST ${base}/export`);
      await drained();
      const response = await fetch(`${server.url}/api/v4${base}/export/download`, {
        headers: { 'private-token': scene.owner.token },
      });
      archive = Buffer.from(await response.arrayBuffer());
    });

    it('import missing objects and leave existing ones unchanged', async () => {
      await must(`PUT ${base}/issues/2`, { title: 'changed since' });
      await must(`DELETE ${base}/issues/1`);
      assert.equal(await brought('issues'), 'finished');
      const issues = await must(`GET ${base}/issues?order_by=created_at&sort=asc`);
      assert.deepEqual(
        issues.map((one: Answer['body']) => [one.iid, one.title, one.labels, one.milestone?.title, one.description]),
        [
          [1, 'first', ['bug'], 'two', markdown],
          [2, 'changed since', [], undefined, null],
        ],
      );
      const notes = await must(`GET ${base}/issues/1/notes?activity_filter=only_comments`);
      assert.deepEqual(
        notes.map(({ body }: { body: string }) => body),
        ['a note'],
      );
      assert.equal(await brought('issues'), 'finished', 'once more');
      assert.equal((await must(`GET ${base}/issues`)).length, 2);
      assert.equal((await must(`GET ${base}/issues/1/notes?activity_filter=only_comments`)).length, 1);
    });

    it('support milestones, merge requests and pipelines', async () => {
      const [{ id: milestone }] = await must(`GET ${base}/milestones?title=one`);
      await must(`DELETE ${base}/milestones/${milestone}`);
      await must(`DELETE ${base}/merge_requests/1`);
      const [{ id: pipeline, iid, sha }] = await must(`GET ${base}/pipelines`);
      await must(`DELETE ${base}/pipelines/${pipeline}`);
      for (const relation of ['milestones', 'merge_requests', 'ci_pipelines']) {
        assert.equal(await brought(relation), 'finished', relation);
      }
      const titles = (await must(`GET ${base}/milestones`)).map(({ title }: { title: string }) => title).sort();
      assert.deepEqual(titles, ['one', 'two']);
      const request = await must(`GET ${base}/merge_requests/1`);
      assert.deepEqual([request.title, request.state, request.source_branch], ['A request', 'opened', 'topic']);
      const [note] = await must(`GET ${base}/merge_requests/1/notes?activity_filter=only_comments`);
      assert.equal(note.body, 'looked at');
      const [again] = await must(`GET ${base}/pipelines`);
      assert.deepEqual([again.iid, again.sha, again.status], [iid, sha, 'success']);
    });

    it('do not recreate branches of existing merge requests', async () => {
      await must(`DELETE ${base}/repository/branches/topic`);
      assert.equal(await brought('merge_requests'), 'finished');
      assert.equal((await as(scene.owner, `GET ${base}/repository/branches/topic`)).status, 404);
    });

    it('fail for invalid archives without leftovers', async () => {
      assert.equal(await brought('issues', Buffer.from('no archive')), 'failed');
      assert.equal(await brought('issues', gzipSync('no tar')), 'failed');
      const { config } = server.running.services;
      assert.deepEqual(await readdir(join(config.data, 'tmp', 'imports')).catch(() => []), []);
    });

    it('require permission to change the project', async () => {
      const stranger = await addPerson(server, 'stranger');
      const cases: readonly (readonly [Person | null, Record<string, string>, number, RegExp])[] = [
        [null, {}, 401, /401/],
        [stranger, {}, 404, /404 Project Not Found/],
        [scene.developer, {}, 403, /403/],
        [scene.owner, { path: 'no/where' }, 404, /404 Project Not Found/],
        [scene.owner, { relation: 'labels' }, 400, /relation does not have a valid value/],
      ];
      for (const [person, fields, status, text] of cases) {
        const answer = await send(person, fields);
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.text, text);
      }
      await must(`POST ${base}/archive`);
      assert.equal((await send(scene.owner, {})).status, 403, 'archived');
      await must(`POST ${base}/unarchive`);
      const missing = await as(scene.owner, 'POST /projects/import-relation', { body: new FormData() });
      assert.equal(missing.status, 400, missing.text);
      const lists: readonly (readonly [Person | null, number])[] = [
        [null, 401],
        [stranger, 404],
        [scene.developer, 403],
        [scene.owner, 200],
      ];
      for (const [person, status] of lists) {
        assert.equal((await as(person, `GET ${base}/relation-imports`)).status, status);
      }
      await server.must('PUT /application/settings', { json: { import_sources: [] } });
      assert.equal((await send(scene.owner, {})).status, 403);
      await server.must('PUT /application/settings', { json: { import_sources: ['gitlab_project'] } });
    });

    it('run one at a time and become stale if stuck', async () => {
      const { services } = server.running;
      await drained();
      await services.queue.stop();
      const answers = await Promise.all(Array.from({ length: 4 }, () => send(scene.owner, {})));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
      await endStale(services, Date.now() + 25 * 60 * 60_000);
      assert.equal((await states()).at(-1), 'stale');
      assert.equal((await send(scene.owner, {})).status, 201);
    });
  });
});
