import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import type { HostCall, HostReply } from '../../support/json-host.ts';
import { assertSameRows, projectRows, tableReferences } from '../../support/project-rows.ts';
import { addPerson } from '../../support/scene.ts';
import { startTestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { startHosta, token } from './world.ts';

/** `npm run soak:imports` brings a repository of the size of a team's; the tests a small one. */
const large = process.env.HEARTH_SOAK === '1';
const size = large ? { plainIssues: 2000, plainPulls: 500 } : { plainIssues: 24, plainPulls: 8 };
/** How many answers go well before one does not. */
const apart = large ? 100 : 5;

/** Everything that a host does wrong, one after the other, never twice in a row to the same question. */
function troubles(url: () => string): { answer: (call: HostCall) => HostReply | undefined; met: Set<string> } {
  const met = new Set<string>();
  const kinds: Record<string, (call: HostCall) => HostReply> = {
    'server error': () => ({ status: 500, json: { message: 'oops' } }),
    'no gateway': () => ({ status: 502, json: 'Bad Gateway' }),
    truncated: () => (response) => response.writeHead(200, { 'content-length': '9999' }).end('[{"id": 1, "na'),
    'cut off': () => (response) => response.destroy(),
    'not JSON': () => (response) => response.writeHead(200).end('<html>'),
    'not a list': () => ({ json: { message: 'strange' } }),
    limited: () => ({ status: 429, headers: { 'retry-after': '1' }, json: { message: 'slow down' } }),
    'limited for the second time': () => ({
      status: 403,
      headers: { 'retry-after': '1' },
      json: { message: 'You have exceeded a secondary rate limit' },
    }),
    moved: ({ path, query }) => ({
      status: 301,
      headers: { location: `${url()}${path}?${query}${query.size === 0 ? '' : '&'}moved=1` },
      json: {},
    }),
  };
  const names = Object.keys(kinds);
  let asked = 0;
  let next = 0;
  let last = '';
  const answer = (call: HostCall) => {
    const key = `${call.path}?${call.query}`;
    if (!call.path.startsWith('/repos/o/r/') || key === last || call.query.has('moved')) return undefined;
    asked += 1;
    if (asked % apart !== 0) return undefined;
    last = key;
    const name = names[next % names.length] ?? '';
    next += 1;
    met.add(name);
    return kinds[name]?.(call);
  };
  return { answer, met };
}

forEachEngine((engine) => {
  it('an import from a host in trouble ends like one from a host that is well', async () => {
    const since = Date.now();
    const world = await startHosta(size);
    const server = await startTestServer(engine, ['--allow-local-egress', '--hosta-url', world.url]);
    const owner = await addPerson(server, 'owner');
    await server.must('POST /groups', { token: owner.token, json: { name: 'Team', path: 'team' } });
    const fetched: number[] = [];
    const bring = async (new_name: string) => {
      const json = { personal_access_token: token, repo_id: 77, target_namespace: 'team', new_name };
      const limit = { pagination_limit: large ? 100 : 5 };
      const { id } = await server.must('POST /import/hosta', { token: owner.token, json: { ...json, ...limit } });
      const status = () => server.must(`GET /projects/${id}/import`, { token: owner.token });
      const watched = async () => {
        const { import_status, stats } = await status();
        fetched.push(stats?.fetched.note ?? 0);
        return !['scheduled', 'started'].includes(import_status);
      };
      while (!(await watched())) await until(async () => (await watched()) || fetched.at(-1) !== fetched.at(-2));
      const { import_status, import_error, stats, failed_relations } = await status();
      assert.equal(import_status, 'finished', import_error);
      assert.deepEqual(failed_relations, []);
      return { id, stats };
    };
    const trouble = troubles(() => world.url);
    world.intercept = trouble.answer;
    const rough = await bring('rough-one');
    world.intercept = undefined;
    assert.equal(trouble.met.size, 9, [...trouble.met].join());
    assert.ok(new Set(fetched).size > 3, 'its progress could be watched');
    const calm = await bring('calm-one');
    assert.equal(calm.stats.imported.issue, size.plainIssues + 2);
    assert.equal(calm.stats.imported.pull_request, size.plainPulls + 3);
    assert.deepEqual(rough.stats, calm.stats);
    await server.running.services.queue.drain();
    const references = await tableReferences();
    const rows = (id: number) => projectRows(server.db, references, id, since);
    assertSameRows(await rows(rough.id), await rows(calm.id));
  });
});
