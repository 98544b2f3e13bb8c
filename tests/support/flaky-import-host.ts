import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Engine } from '../../src/platform/database/database.ts';
import { type HostCall, type HostReply, type JsonHost, sendReply } from './json-host.ts';
import { assertSameRows, projectRows, tableReferences } from './project-rows.ts';
import { startTestServer } from './server.ts';
import { until } from './until.ts';

/** `npm run soak:imports` imports repositories of realistic size; regular tests use small ones. */
export const large = process.env.HEARTH_SOAK === '1';

/** An import from an unreliable host. */
export interface FlakyImportHost {
  readonly engine: Engine;
  readonly world: JsonHost & { intercept: ((call: HostCall) => HostReply | undefined) | undefined };
  readonly flags: readonly string[];
  /** Path prefix of the calls that may fail. */
  readonly within: string;
  /** Number of successful responses between failures. */
  readonly apart: number;
  /** Path and parameters of an import into the group `team`. */
  readonly wanted: (newName: string) => { readonly path: string; readonly json: object };
  /** Expected number of imported rows by table. */
  readonly expected: Readonly<Record<string, number>>;
}

/**
 * All kinds of failures of a host in turn, never twice in a row for the same request. `look` is awaited before each of
 * them, while the import is paused.
 */
function troubles(
  url: () => string,
  { within, apart }: FlakyImportHost,
  look: () => Promise<void>,
): { answer: (call: HostCall) => HostReply | undefined; met: Set<string> } {
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
    if (!call.path.startsWith(within) || key === last || call.query.has('moved')) return undefined;
    asked += 1;
    if (asked % apart !== 0) return undefined;
    last = key;
    const name = names[next % names.length] ?? '';
    next += 1;
    met.add(name);
    const reply = kinds[name]?.(call) ?? { json: {} };
    return (response: ServerResponse) => {
      look().then(
        () => sendReply(response, reply),
        (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
      );
    };
  };
  return { answer, met };
}

/** Imports from a failing host and again from the same host without failures, and compares the results. */
export async function importRoughly(rough: FlakyImportHost): Promise<void> {
  const { engine, world, flags, wanted, expected } = rough;
  const since = Date.now();
  const server = await startTestServer(engine, ['--allow-local-egress', ...flags]);
  await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
  const shown = new Set<number>();
  const look = async () => {
    const { status, body } = await server.api('GET /projects/team%2Frough-one/import');
    const fetched: Record<string, number> = status === 200 ? (body.stats?.fetched ?? {}) : {};
    shown.add(Object.values(fetched).reduce((sum, count) => sum + count, 0));
  };
  const trouble = troubles(() => world.url, rough, look);
  const bring = async (newName: string) => {
    const { path, json } = wanted(newName);
    const { id } = await server.must(`POST ${path}`, { json });
    const status = () => server.must(`GET /projects/${id}/import`);
    const counted: number[] = [];
    const watched = async () => {
      const { import_status } = await status();
      counted.push(world.calls.length);
      return !['scheduled', 'started'].includes(import_status);
    };
    // Wait as long as there is progress.
    while (!(await watched())) await until(async () => (await watched()) || counted.at(-1) !== counted.at(-2));
    const { import_status, import_error, stats, failed_relations } = await status();
    assert.equal(import_status, 'finished', import_error);
    assert.deepEqual(failed_relations, []);
    return { id, stats };
  };
  world.intercept = trouble.answer;
  const met = await bring('rough-one');
  world.intercept = undefined;
  assert.ok(met.stats === null || shown.size > 3, 'its progress was visible');
  assert.equal(trouble.met.size, 9, [...trouble.met].join());
  const calm = await bring('calm-one');
  assert.deepEqual(met.stats, calm.stats);
  await server.running.services.queue.drain();
  const references = await tableReferences();
  const rows = (id: number) => projectRows(server.db, references, id, since);
  const came = await rows(calm.id);
  assertSameRows(await rows(met.id), came);
  const counts = Object.keys(expected).map((table) => [table, came[table]?.length]);
  assert.deepEqual(Object.fromEntries(counts), expected);
}
