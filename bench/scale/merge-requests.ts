import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { openDatabase, type Writer } from '../../src/platform/database/database.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, startHearth, stop } from '../processes.ts';
import { post, token } from '../seed.ts';
import { flatnessTable, measureFlatness, type Question } from './measure.ts';

// node bench/scale/merge-requests.ts [--requests 100000] [--postgres]
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, postgres: { type: 'boolean', default: false } },
});
const few = 1000;
const many = Number(values.requests);
const minute = 60_000;

/** Merge requests of a project, a third of them open, with labels, assignees, reviewers, milestones and approvals. */
async function insertRequests(
  trx: Writer,
  project: number,
  author: number,
  milestone: number,
  label: number,
  count: number,
): Promise<void> {
  const now = Date.now();
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, title, description,
      draft, state, merge_status, author_id, merge_user_id, merged_at, closed_at, milestone_id, prepared_at, created_at,
      updated_at, refs_cleaned)
    select i, ${project}, ${project}, 'topic-' || i, case when i % 20 = 0 then 'stable' else 'main' end,
      case when i % 9 = 0 then 'Draft: ' else '' end || 'Change number ' || i || ' of ' || (i % 997),
      'What it is about: ' || (i % 311), case when i % 9 = 0 then 1 else 0 end,
      case i % 3 when 0 then 'opened' when 1 then 'merged' else 'closed' end, 'can_be_merged', ${author},
      case when i % 3 = 1 then cast(${author} as bigint) end, case when i % 3 = 1 then ${now} - i * ${minute} end,
      case when i % 3 = 2 then ${now} - i * ${minute} end,
      case when i % 7 = 0 then cast(${milestone} as bigint) end, ${now}, ${now} - i * ${minute}, ${now} - (i * 31 % ${count}) * ${minute}, 1
    from n`.execute(trx);
  const some = (table: string, columns: string, chosen: string) =>
    sql.raw(`insert into ${table} (${columns}) select ${chosen} from merge_requests where project_id = ${project}`);
  await sql`${some('merge_request_assignees', 'merge_request_id, user_id', `id, ${author}`)} and iid % 4 = 0`.execute(
    trx,
  );
  await sql`${some('merge_request_reviewers', 'merge_request_id, user_id, created_at', `id, ${author}, 1`)}
    and iid % 5 = 0`.execute(trx);
  await sql`${some('merge_request_approvals', 'merge_request_id, user_id, created_at', `id, ${author}, 1`)}
    and iid % 6 = 0`.execute(trx);
  await sql`${some('merge_request_labels', 'merge_request_id, label_id', `id, ${label}`)} and iid % 8 = 0`.execute(trx);
}

const orders = [
  'created_at',
  'updated_at',
  'merged_at',
  'title',
  'priority',
  'label_priority',
  'milestone_due',
  'popularity',
];
const states = ['opened', 'merged', 'all'];

function questionsFor(author: number): Question[] {
  const filtered = (name: string, query: string): Question => ({
    name,
    paths: (at) => states.map((state) => `${at}?state=${state}&${query}`),
  });
  return [
    ...orders.map((order) => filtered(`by ${order}`, `order_by=${order}`)),
    ...['asc'].map((sort) => filtered(`by updated_at, ${sort}`, `order_by=updated_at&sort=${sort}`)),
    filtered('page 5', 'page=5'),
    filtered('of an author', `author_id=${author}`),
    filtered('assigned to somebody', `assignee_id=${author}`),
    filtered('assigned to nobody', 'assignee_id=None'),
    filtered('with a reviewer', `reviewer_id=${author}`),
    filtered('approved by somebody', `approved_by_ids[]=${author}`),
    filtered('with a label', 'labels=bench'),
    filtered('without a label', 'not[labels]=bench'),
    filtered('of a milestone', 'milestone=bench'),
    filtered('drafts', 'wip=yes'),
    filtered('into a branch', 'target_branch=stable'),
    { name: 'from a branch', paths: (at, round) => [1, 2, 3].map((n) => `${at}?source_branch=topic-${round * 9 + n}`) },
    filtered('of a time', 'created_after=2020-01-01T00:00:00Z'),
    filtered('deployed somewhere', 'environment=nowhere'),
    {
      name: 'that hold words',
      paths: (at, round) => [1, 2, 3].map((n) => `${at}?search=number%20${round * 7 + n}%20of`),
    },
    { name: 'simple view', paths: (at) => states.map((state) => `${at}?state=${state}&view=simple&per_page=100`) },
    { name: 'one', paths: (at, round) => [1, 2, 3].map((n) => `${at}/${round * 9 + n}`) },
  ];
}

const port = await freePort();
const data = await mkdtemp(join(tmpdir(), 'hearth-scale-'));
const postgres = values.postgres ? await startPostgres() : undefined;
const place = postgres ? { url: postgres.url } : { file: join(data, 'hearth.db') };
const flags = postgres ? ['--database-url', postgres.url] : [];
let server = await startHearth(data, port, token, flags);
try {
  const api = `${server.url}/api/v4`;
  const projects: { id: number; milestone: number; label: number }[] = [];
  for (const name of ['small', 'large']) {
    const { id } = await post(`${api}/projects`, { name });
    const milestone = await post(`${api}/projects/${id}/milestones`, { title: 'bench' });
    const label = await post(`${api}/projects/${id}/labels`, { name: 'bench', color: '#ff0000' });
    projects.push({ id, milestone: milestone.id, label: label.id });
  }
  const answer = await fetch(`${api}/user`, { headers: { 'private-token': token } });
  const { id: author } = (await answer.json()) as { id: number };
  await stop(server);
  const db = await openDatabase(place);
  for (const [at, { id, milestone, label }] of projects.entries()) {
    await db.write((trx) => insertRequests(trx, id, author, milestone, label, at === 0 ? few : many));
  }
  await db.write((trx) => sql`analyze`.execute(trx));
  await db.close();
  server = await startHearth(data, port, token, flags);
  const [small, large] = projects.map(({ id }) => `/projects/${id}/merge_requests`);
  const places = { small: small ?? '', large: large ?? '' };
  console.log(`${few} merge requests beside ${many}`);
  console.log(flatnessTable(await measureFlatness(api, token, places, questionsFor(author))));
} finally {
  await stop(server);
  await postgres?.stop();
  await rm(data, { recursive: true, force: true });
}
