import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { forEachEngine } from '../../support/engines.ts';
import { forgedZip } from '../artifacts/hostile-zip.ts';
import { zipOf } from '../artifacts/zip.ts';
import { PagesPlace } from './place.ts';

const pages = 'pages: {script: make, artifacts: {paths: [public]}}';

forEachEngine((engine) => {
  describe('publishing a Pages site', () => {
    let place: PagesPlace;
    const deployments = async (project: Project) =>
      (await place.pages(project)).deployments.map((one: { path_prefix: string }) => one.path_prefix);
    const shown = async (project: Project, path = '/') => {
      const { url } = await place.pages(project);
      return (await place.visit(url + path)).text;
    };
    const problemOf = async (project: Project) => {
      const query = place.server.db.read.selectFrom('pages_sites').select('problem');
      return (await query.where('project_id', '=', project.id).executeTakeFirst())?.problem;
    };
    const stored = async (project: Project) =>
      place.server.db.read.selectFrom('pages_deployments').selectAll().where('project_id', '=', project.id).execute();

    before(async () => {
      place = await PagesPlace.start(engine);
    });

    it('replaces the previous site and removes its archive', async () => {
      const project = await place.project('twice', pages, { visibility: 'public' });
      await place.run({ 'public/index.html': 'first' });
      assert.equal(await shown(project), 'first');
      const [first] = await stored(project);
      await place.again(project);
      await place.run({ 'public/index.html': 'second' });
      assert.equal(await shown(project), 'second');
      assert.deepEqual(await deployments(project), ['']);
      const { services } = place.server.running;
      assert.notEqual(await services.storage.stat(first?.storage_key ?? ''), undefined);
      await services.db.write((trx) =>
        trx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'pages.delete-files').execute(),
      );
      await place.settled();
      assert.equal(await services.storage.stat(first?.storage_key ?? ''), undefined);
      assert.deepEqual(await place.server.db.read.selectFrom('deleted_pages_files').selectAll().execute(), []);
    });

    it('keeps the site of the newer pipeline, whichever finishes first', async () => {
      const project = await place.project('racing', pages, { visibility: 'public' });
      await place.again(project);
      const [older, newer] = [await place.runner.take(), await place.runner.take()];
      await place.finish(newer, await zipOf({ 'public/index.html': 'newer' }));
      await place.finish(older, await zipOf({ 'public/index.html': 'older' }));
      assert.equal(await shown(project), 'newer');
      assert.equal((await stored(project)).length, 1);
    });

    it('yields one complete site after two concurrent jobs', async () => {
      const project = await place.project('at-once', pages, { visibility: 'public' });
      await place.again(project);
      const [one, two] = [await place.runner.take(), await place.runner.take()];
      await Promise.all([
        place.finish(one, await zipOf({ 'public/index.html': 'one' })),
        place.finish(two, await zipOf({ 'public/index.html': 'two' })),
      ]);
      await place.settled();
      assert.equal(await shown(project), 'two');
      assert.equal((await stored(project)).length, 1);
    });

    it('keeps the old site if publishing fails halfway', async () => {
      const project = await place.project('breaking', pages, { visibility: 'public' });
      await place.run({ 'public/index.html': 'old' });
      await place.again(project);
      const disarm = armFault('pages.copied', () => {
        throw new Error('broken off');
      });
      await place.run({ 'public/index.html': 'new' });
      assert.equal(await shown(project), 'old');
      disarm();
      const { db } = place.server.running.services;
      await db.write((trx) => trx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'pages.publish').execute());
      await place.settled();
      assert.equal(await shown(project), 'new');
    });

    it('supports another folder, with variables in its name', async () => {
      const configuration = `
build: {script: make, variables: {DIR: dist}, pages: {publish: "./$DIR/site"}, artifacts: {paths: [dist]}}`;
      const project = await place.project('folder', configuration, { visibility: 'public' });
      await place.run({ 'dist/site/index.html': 'elsewhere', 'public/index.html': 'not this' });
      assert.equal(await shown(project), 'elsewhere');
      assert.equal((await place.pages(project)).deployments[0].root_directory, 'dist/site');
    });

    it('keeps sites with a path prefix in parallel until they expire', async () => {
      const configuration = `
main: {script: make, pages: true, artifacts: {paths: [public]}}
review: {script: make, variables: {N: "7"}, pages: {path_prefix: "MR_$N/x$UNKNOWN", expire_in: 1 hour}, artifacts: {paths: [public]}}`;
      const project = await place.project('beside', configuration, { visibility: 'public' });
      await place.run({ 'public/index.html': 'main', 'public/a.txt': 'main a' });
      await place.run({ 'public/index.html': 'review', 'public/a.txt': 'review a' });
      assert.deepEqual(await deployments(project), ['', 'mr-7-x']);
      assert.equal(await shown(project, '/mr-7-x/a.txt'), 'review a');
      assert.equal(await shown(project, '/a.txt'), 'main a');
      const { url } = await place.pages(project);
      assert.equal((await place.visit(`${url}/mr-7-x`)).headers.location, '/mr-7-x/');
      const rows = await stored(project);
      assert.equal(rows.find(({ path_prefix }) => path_prefix === '')?.expires_at, null);
      const { db } = place.server.running.services;
      await db.write((trx) =>
        trx.updateTable('pages_deployments').set({ expires_at: 1 }).where('path_prefix', '<>', '').execute(),
      );
      assert.deepEqual(await deployments(project), ['']);
      assert.equal((await place.visit(`${url}/mr-7-x/a.txt`)).status, 404);
      await place.server.running.services.db.write((trx) =>
        trx.updateTable('recurring_jobs').set({ next_run_at: 0 }).where('name', '=', 'pages.expiry').execute(),
      );
      await place.settled();
      assert.equal((await stored(project)).length, 1);
    });

    it('removes the sites of a merge request with it', async () => {
      const configuration = `
main: {script: make, pages: true, rules: [{if: $CI_COMMIT_BRANCH == "main"}]}
review: {script: make, pages: {path_prefix: "mr-$CI_MERGE_REQUEST_IID"}, rules: [{if: $CI_MERGE_REQUEST_IID}]}`;
      const project = await place.project('reviewed', configuration, { visibility: 'public' });
      await place.run({ 'public/index.html': 'main' });
      const { token } = place.owner;
      const file = { branch: 'topic', start_branch: 'main', content: 'x', commit_message: 'x' };
      await place.server.must(`POST /projects/${project.id}/repository/files/x`, { token, json: file });
      const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
      const request = await place.server.must(`POST /projects/${project.id}/merge_requests`, { token, json });
      await place.settled();
      await place.run({ 'public/index.html': 'review' });
      assert.deepEqual(await deployments(project), ['', `mr-${request.iid}`]);
      const at = `/projects/${project.id}/merge_requests/${request.iid}`;
      await place.server.must(`PUT ${at}`, { token, json: { state_event: 'close' } });
      assert.deepEqual(await deployments(project), ['']);
    });

    it('is skipped for disabled, failed and unrelated jobs', async () => {
      const configuration = `
pages: {script: make, pages: false, artifacts: {paths: [public]}}
other: {script: make, artifacts: {paths: [public]}}`;
      const project = await place.project('unwanted', configuration, { visibility: 'public' });
      await place.run({ 'public/index.html': 'no' });
      await place.run({ 'public/index.html': 'no' });
      assert.deepEqual(await deployments(project), []);
      const failing = await place.project('failing', pages, { visibility: 'public' });
      const job = await place.runner.take();
      await place.runner.report(job, { state: 'failed' });
      await place.settled();
      assert.deepEqual(await deployments(failing), []);
      const closed = await place.project('switched-off', pages, { pages_access_level: 'disabled' });
      await place.run({ 'public/index.html': 'no' });
      assert.deepEqual(await stored(closed), []);
    });

    it('rejects missing and oversized content and records the reason', async () => {
      const project = await place.project('refused', pages, { visibility: 'public' });
      await place.run({ 'public/index.html': 'good' });
      const attempt = async (archive: Buffer) => {
        await place.again(project);
        await place.run(archive);
        assert.equal(await shown(project), 'good');
        return problemOf(project);
      };
      assert.match((await attempt(await zipOf({ 'other/index.html': 'x' }))) ?? '', /no file in the folder public/);
      await place.server.must('PUT /application/settings', { json: { max_pages_size: 1 } });
      const large = await zipOf({ 'public/index.html': 'bad', 'public/zeros': Buffer.alloc(2 * 1024 * 1024) });
      assert.equal(await attempt(large), 'the site is larger than 1 MiB');
      await place.server.must('PUT /application/settings', { json: { max_pages_size: 100 } });
      await place.again(project);
      await place.run({ 'public/index.html': 'better' });
      assert.equal(await problemOf(project), null);
      assert.equal(await shown(project), 'better');
    });

    it('does not serve links, encrypted entries or deceptive names', async () => {
      const project = await place.project('hostile', pages, { visibility: 'public' });
      const link = { content: Buffer.from('/etc/passwd'), mode: 0o120777 };
      const entries = [
        { path: 'public/index.html', content: Buffer.from('fine') },
        { path: 'public/passwd', ...link },
        { path: 'public/folder/index.html', ...link },
        { path: 'public/../outside.txt', content: Buffer.from('outside') },
        { path: 'outside.txt', content: Buffer.from('outside') },
        { path: 'public//double.txt', content: Buffer.from('double') },
        { path: 'public/locked.txt', content: Buffer.from('locked and more'), size: 3, encrypted: true },
      ];
      await place.run(forgedZip(entries));
      const { url } = await place.pages(project);
      assert.equal((await place.visit(`${url}/`)).text, 'fine');
      for (const path of ['passwd', 'folder/', 'outside.txt', '../outside.txt', 'double.txt', 'locked.txt']) {
        assert.equal((await place.visit(`${url}/${path}`)).status, 404, path);
      }
    });

    it('is undone when the project is deleted', async () => {
      const project = await place.project('going', pages, { visibility: 'public' });
      await place.run({ 'public/index.html': 'here' });
      const [row] = await stored(project);
      const { url } = await place.pages(project);
      await place.server.must(`DELETE /projects/${project.id}`, { token: place.owner.token });
      assert.equal((await place.visit(`${url}/`)).status, 302);
      const { services } = place.server.running;
      const full = (await place.server.must(`GET /projects/${project.id}`)).path_with_namespace;
      await place.server.must(
        `DELETE /projects/${project.id}?permanently_remove=true&full_path=${encodeURIComponent(full)}`,
      );
      await place.settled();
      assert.deepEqual(await stored(project), []);
      await services.db.write((trx) =>
        trx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'pages.delete-files').execute(),
      );
      await place.settled();
      assert.equal(await services.storage.stat(row?.storage_key ?? ''), undefined);
    });

    it('sets predefined variables with the address of the site', async () => {
      const configuration = `
one: {script: make}
two: {script: make, pages: {path_prefix: "$CI_COMMIT_BRANCH"}, artifacts: {paths: [public]}}`;
      const project = await place.project('told', configuration, { visibility: 'public' });
      const { url } = await place.pages(project);
      const variables = async () => {
        const job = await place.runner.take();
        await place.finish(job, undefined);
        const list: { key: string; value: string }[] = (job as unknown as { variables: [] }).variables;
        const named = ['CI_PAGES_DOMAIN', 'CI_PAGES_HOSTNAME', 'CI_PAGES_URL'];
        return named.map((name) => list.find(({ key }) => key === name)?.value);
      };
      assert.deepEqual(await variables(), ['pages.localhost', new URL(url).hostname, url]);
      assert.deepEqual(await variables(), ['pages.localhost', new URL(url).hostname, `${url}/main`]);
      assert.match((await problemOf(project)) ?? '', /left no artifacts/);
    });
  });
});
