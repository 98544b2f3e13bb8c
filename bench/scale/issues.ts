import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, startHearth, stop } from '../processes.ts';
import { post, token } from '../seed.ts';
import { requestsFor } from './issues-requests.ts';
import { counts, type Place, seedIssues, seedPeople, unevenLabels } from './issues-seed.ts';
import { flatnessOptions, printFlatness } from './measure.ts';
import { serving } from './serving.ts';

// node bench/scale/issues.ts [--issues 1000000] [--small 10000] [--postgres | --url URL] [--only TEXT] [--above RATIO]
// [--data DIR]: --url names a database to keep, --only a part of a request's name, --data a directory to keep and reuse
const { values } = parseArgs({
  options: {
    issues: { type: 'string', default: '1000000' },
    ...flatnessOptions,
  },
});
const sizes = { small: Number(values.small), large: Number(values.issues) };

const day = 86_400_000;
const dayFromNow = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: { 'private-token': token } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as T;
}

/** Creates several objects, one after another, and returns the ID of the first. */
async function firstOf(count: number, make: (number: number) => Promise<{ id: number }>): Promise<number> {
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await make(number)).id);
  return Math.min(...ids);
}

/** Creates a group with one project, and what its issues refer to. */
async function createPlace(api: string, name: string): Promise<Omit<Place, 'firstUser'>> {
  const group = await post(`${api}/groups`, { name, path: name, visibility: 'private' });
  const at = `${api}/groups/${group.id}`;
  const project = await post(`${api}/projects`, { name: 'it', namespace_id: group.id, visibility: 'private' });
  const own = `${api}/projects/${project.id}`;
  const firstLabel = await firstOf(counts.labels, (n) =>
    post(`${own}/labels`, { name: `label${n}`, color: '#336699', ...(n < 10 ? { priority: n } : {}) }),
  );
  for (const { name: uneven } of unevenLabels) await post(`${own}/labels`, { name: uneven, color: '#996633' });
  const firstMilestone = await firstOf(counts.milestones, (n) => {
    const due_date = dayFromNow(n * 7 - 70);
    return post(`${own}/milestones`, { title: `milestone${n}`, start_date: dayFromNow(n * 7 - 84), due_date });
  });
  const firstEpic = await firstOf(counts.epics, (n) => post(`${at}/epics`, { title: `epic ${n}` }));
  const cadence = { start_date: dayFromNow(-7), duration_in_weeks: 1, iterations_in_advance: counts.iterations };
  await post(`${at}/iteration_cadences`, { title: 'weekly', ...cadence });
  const iterations = await getJson<{ id: number }[]>(`${at}/iterations`);
  const firstIteration = Math.min(...iterations.map(({ id }) => id));
  return { project: project.id, firstLabel, firstMilestone, firstEpic, firstIteration };
}

const port = await freePort();
const data = values.data ?? (await mkdtemp(join(tmpdir(), 'hearth-scale-')));
const postgres = values.postgres ? await startPostgres() : undefined;
const url = values.url ?? postgres?.url;
const where = url ? { url } : { file: join(data, 'hearth.db') };
const flags = url ? ['--database-url', url] : [];

async function fill(api: string): Promise<void> {
  const furnished = { small: await createPlace(api, 'small'), large: await createPlace(api, 'large') };
  const account = { username: 'reader', name: 'reader', email: 'reader@example.com', password: 'a long password 9' };
  const reader = await post(`${api}/users`, { ...account, skip_confirmation: true });
  for (const name of ['small', 'large']) {
    await post(`${api}/groups/${name}/members`, { user_id: reader.id, access_level: 20 });
  }
  await stop(server);
  const firstUser = await seedPeople(where);
  for (const size of ['small', 'large'] as const) {
    const from = performance.now();
    await seedIssues(where, { ...furnished[size], firstUser }, sizes[size]);
    console.log(`${sizes[size]} issues seeded in ${Math.round((performance.now() - from) / 1000)} s`);
  }
}

/** Creates a token of a user who is a reporter in both groups. */
async function readersToken(api: string): Promise<string> {
  const [reader] = await getJson<{ id: number }[]>(`${api}/users?username=reader`);
  const params = { name: 'bench', scopes: ['api'], expires_at: dayFromNow(30) };
  const created: object = await post(`${api}/users/${reader?.id}/personal_access_tokens`, params);
  return 'token' in created && typeof created.token === 'string' ? created.token : '';
}

const server = await startHearth(data, port, token, flags);
try {
  const found = await fetch(`${server.url}/api/v4/groups/large`, { headers: { 'private-token': token } });
  if (found.status === 404) await fill(`${server.url}/api/v4`);
  else await stop(server);
  const side = await serving(data, url);
  const api = `${side.app.listeningOrigin}/api/v4`;
  const firstEpic = async (group: string) => {
    const [first] = await getJson<{ id: number }[]>(`${api}/groups/${group}/epics?order_by=created_at&sort=asc`);
    return first?.id ?? 0;
  };
  const epics = { small: await firstEpic('small'), large: await firstEpic('large') };
  const [writer] = await getJson<{ id: number }[]>(`${api}/users?username=writer0`);
  const questions = requestsFor({
    epics: (place) => (place === 'small' ? epics.small : epics.large),
    issues: (place) => (place === 'small' ? sizes.small : sizes.large),
    firstUser: writer?.id ?? 0,
  })
    .filter(({ name }) => name.includes(values.only))
    .map(({ name, paths }) => {
      const path = (size: string) => paths(size, 1)[0] ?? '';
      return { name, path: { small: path('small'), large: path('large') } };
    });
  console.log(
    `${sizes.small} issues beside ${sizes.large}, asked by a reporter of both groups, in milliseconds of a processor\n`,
  );
  await printFlatness(await readersToken(api), { small: side, large: side }, questions, values.above);
  await side.close();
} finally {
  await stop(server);
  await postgres?.stop();
  if (values.data === undefined) await rm(data, { recursive: true, force: true });
}
