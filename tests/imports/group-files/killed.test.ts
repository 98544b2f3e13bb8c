import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { endLeases } from '../../support/interrupted-import.ts';
import { rootToken, TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';
import { until } from '../../support/until.ts';

const deaths = [
  'group-import.advanced',
  'group-import.stage.labels',
  'group-import.stage.epics',
  'group-import.made',
  'group-import.stage.wiki',
  'group-import.advanced',
];

forEachEngine((engine) => {
  it('a group import with a killed server ends like an undisturbed one', async () => {
    const place = await ServerPlace.make(engine, []);
    const headers = { 'private-token': rootToken };
    const withServer = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
      const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
      return work(server).finally(() => server.running.close());
    };
    const archive = await withServer(async (server) => {
      const { id } = await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
      const add = (where: string, json: object) => server.must(`POST /groups/${where}`, { json });
      const { id: inner } = await add('', { name: 'Inner', path: 'inner', parent_id: id });
      await add('', { name: 'Other', path: 'other', parent_id: id });
      for (const group of [id, inner]) {
        const names = [`a${group}`, `b${group}`];
        for (const name of names) await add(`${group}/labels`, { name, color: '#ff0000' });
        await add(`${group}/milestones`, { title: `one ${group}` });
        const { id: epic } = await add(`${group}/epics`, { title: 'Whole', labels: names[0] });
        await add(`${group}/epics`, { title: 'Part', parent_id: epic });
        await add(`${group}/epics/${epic}/notes`, { body: 'said' });
        await add(`${group}/wikis`, { title: 'home', content: 'Come in' });
      }
      await server.must(`POST /groups/${id}/export`);
      await server.running.services.queue.drain();
      const response = await fetch(`${server.url}/api/v4/groups/${id}/export/download`, { headers });
      return new Blob([await response.arrayBuffer()]);
    });
    const begin = async (url: string, path: string) => {
      const form = new FormData();
      form.set('name', path);
      form.set('path', path);
      form.set('file', archive, 'file.tar.gz');
      const { status } = await fetch(`${url}/api/v4/groups/import`, { method: 'POST', headers, body: form });
      assert.equal(status, 202);
    };
    for (const [at, death] of deaths.entries()) {
      const served = await place.serve(death);
      if (at === 0) {
        await begin(served.line, 'killed').catch((error: unknown) => {
          // The server can die before it responds; everything written by then continues.
          if (error instanceof assert.AssertionError) throw error;
        });
      }
      await served.ended;
      assert.equal(served.child.signalCode, 'SIGKILL', death);
      await endLeases(place);
    }
    await withServer(async (server) => {
      await begin(server.url, 'spared');
      for (const path of ['killed', 'spared']) {
        await until(async () => (await server.must(`GET /groups/${path}/import`)).import_status === 'finished');
      }
      const contentOf = async (path: string) => {
        assert.deepEqual((await server.must(`GET /groups/${path}/import`)).failed_relations, []);
        const below = (await server.must(`GET /groups/${path}/descendant_groups`)) as { full_path: string }[];
        const paths = [path, ...below.map(({ full_path }) => full_path).sort()];
        const reported = [];
        for (const one of paths) {
          const get = (what: string) => server.must(`GET /groups/${encodeURIComponent(one)}/${what}`);
          const epics = (await get('epics?include_descendant_groups=false&include_ancestor_groups=false')) as {
            id: number;
            title: string;
            parent_iid: number | null;
          }[];
          const notes = [];
          for (const { id } of epics) notes.push(...(await get(`epics/${id}/notes`)));
          reported.push({
            path: one.replace(path, ''),
            labels: (await get('labels?include_ancestor_groups=false')).map(({ name }: { name: string }) => name),
            milestones: (await get('milestones')).map(({ title }: { title: string }) => title),
            epics: epics.map(({ title, parent_iid }) => `${title} ${parent_iid}`).sort(),
            notes: notes.map(({ body }: { body: string }) => body).sort(),
            pages: (await get('wikis')).map(({ slug }: { slug: string }) => slug),
          });
        }
        return reported;
      };
      const spared = await contentOf('spared');
      assert.deepEqual(await contentOf('killed'), spared);
      assert.deepEqual(
        spared.map(({ path, labels, epics, pages }) => [path, labels.length, epics.length, pages.length]),
        [
          ['', 2, 2, 1],
          ['/inner', 2, 2, 1],
          ['/other', 0, 0, 0],
        ],
      );
    });
  });
});
