import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { openDatabase, type Writer } from '../../src/platform/database/database.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, startHearth, stop } from '../processes.ts';
import { post, put, token } from '../seed.ts';
import { type BenchRequest, flatnessTable, measureFlatness } from './measure.ts';

// node bench/scale/errors.ts [--groups 100000] [--events 10000000] [--postgres]
const { values } = parseArgs({
  options: {
    groups: { type: 'string', default: '100000' },
    events: { type: 'string', default: '10000000' },
    postgres: { type: 'boolean', default: false },
  },
});
const many = { groups: Number(values.groups), events: Number(values.events) };
const few = { groups: 1000, events: 100_000 };
const partOfEvents = 500_000;
const day = 86_400_000;

/** Inserts errors over ninety days, some resolved, with about the same number of events each. */
async function insertErrors(trx: Writer, project: number, groups: number, now: number): Promise<void> {
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${groups})
    insert into error_tracking_errors (project_id, fingerprint, grouping_version, title, message, culprit, platform,
      level, status, first_seen, last_seen, event_count, user_count, kept_events, created_at)
    select ${project}, cast(i as text), 1, 'TypeError: value ' || i || ' of ' || (i % 997) || ' is not a function',
      'message ' || i, 'app/module' || (i % 311) || '.ts in run', 'node', 'error',
      case when i % 10 = 0 then 'resolved' when i % 17 = 0 then 'ignored' else 'unresolved' end,
      ${now} - 90 * cast(${day} as bigint) + i, ${now} - (i * cast(7919 as bigint)) % (90 * cast(${day} as bigint)),
      1 + (i * 31) % 5000, i % 300, 100, ${now}
    from n`.execute(trx);
}

async function insertEvents(
  trx: Writer,
  range: { first: number; groups: number; from: number; to: number; project: number; now: number },
): Promise<void> {
  const { first, groups, from, to, project, now } = range;
  await sql`with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i < ${to})
    insert into error_tracking_events (project_id, error_id, event_id, occurred_at, received_at, level, message,
      environment, release, batch_id, position, length)
    select ${project}, ${first} + i % ${groups}, 'e' || i, ${now} - (i * 31) % (90 * cast(${day} as bigint)),
      ${now} - (i * 31) % (90 * cast(${day} as bigint)), 'error', 'message ' || (i % 1000), 'production', '1.0',
      i / 100, 0, 100
    from n`.execute(trx);
}

async function seedProject(place: { url?: string; file?: string }, project: number, size: typeof few): Promise<void> {
  const db = await openDatabase(place);
  const now = Date.now();
  await db.write((trx) => insertErrors(trx, project, size.groups, now));
  const first = await db.read
    .selectFrom('error_tracking_errors')
    .select((eb) => eb.fn.min('id').as('id'))
    .where('project_id', '=', project)
    .executeTakeFirstOrThrow();
  for (let from = 1; from <= size.events; from += partOfEvents) {
    const to = Math.min(from + partOfEvents - 1, size.events);
    await db.write((trx) =>
      insertEvents(trx, { first: Number(first.id), groups: size.groups, from, to, project, now }),
    );
  }
  if (values.postgres) await sql`analyze`.execute(db.read);
  await db.close();
}

const statuses = ['unresolved', 'resolved', 'ignored'];
const sorts = ['last_seen', 'first_seen', 'frequency'];
const listed: BenchRequest[] = [
  ...sorts.map((sort) => ({
    name: `errors by ${sort}, page 1`,
    paths: (at: string) => statuses.map((status) => `${at}/errors?sort=${sort}&status=${status}`),
  })),
  {
    name: 'errors, page 5',
    paths: (at) => sorts.map((sort) => `${at}/errors?sort=${sort}&page=5`),
  },
  {
    name: 'errors that hold a word',
    paths: (at, round) => [1, 2, 3].map((n) => `${at}/errors?search=value%20${round * 100 + n}%20of`),
  },
];

const port = await freePort();
const data = await mkdtemp(join(tmpdir(), 'hearth-scale-'));
const postgres = values.postgres ? await startPostgres() : undefined;
const place = postgres ? { url: postgres.url } : { file: join(data, 'hearth.db') };
const flags = postgres ? ['--database-url', postgres.url] : [];
let server = await startHearth(data, port, token, flags);
try {
  const api = `${server.url}/api/v4`;
  const projects = [];
  for (const name of ['small', 'large']) {
    const { id } = await post(`${api}/projects`, { name });
    await put(`${api}/projects/${id}/error_tracking/settings`, { active: true, integrated: true });
    projects.push(id);
  }
  await stop(server);
  const [small = 0, large = 0] = projects;
  await seedProject(place, small, few);
  await seedProject(place, large, many);
  server = await startHearth(data, port, token, flags);
  const at = (id: number) => `/projects/${id}/error_tracking`;
  const places = { small: at(small), large: at(large) };
  const firstIds = new Map<string, number[]>();
  for (const path of Object.values(places)) {
    const response = await fetch(`${api}${path}/errors`, { headers: { 'private-token': token } });
    const found = (await response.json()) as { id: number }[];
    firstIds.set(
      path,
      found.map(({ id }) => id),
    );
  }
  const own = (path: string, round: number) => (firstIds.get(path) ?? []).slice(round * 3, round * 3 + 3);
  const questions: BenchRequest[] = [
    ...listed,
    { name: 'one error', paths: (path, round) => own(path, round).map((id) => `${path}/errors/${id}`) },
    { name: 'events of an error', paths: (path, round) => own(path, round).map((id) => `${path}/errors/${id}/events`) },
  ];
  console.log(`${few.groups} errors with ${few.events} events beside ${many.groups} with ${many.events}`);
  console.log(flatnessTable(await measureFlatness(api, token, places, questions)));
} finally {
  await stop(server);
  await postgres?.stop();
  await rm(data, { recursive: true, force: true });
}
