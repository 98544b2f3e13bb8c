import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, type Started, startHearth, stop } from '../processes.ts';
import { post, token } from '../seed.ts';
import { seedPeople } from './issues-seed.ts';
import { flatnessOptions, printFlatness } from './measure.ts';
import { requestsFor } from './merge-requests-requests.ts';
import { counts, type Place, seedRequests } from './merge-requests-seed.ts';
import { onPostgres, serving } from './serving.ts';

// node bench/scale/merge-requests.ts [--requests 100000] [--small 10000] [--postgres] [--only TEXT] [--above RATIO]
// [--data DIR [--url URL]]: --only is a part of a request's name, --data a directory to keep and reuse, --url its
// PostgreSQL database
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    ...flatnessOptions,
  },
});
const sizes = { small: Number(values.small), large: Number(values.requests) };

async function firstOf(count: number, make: (number: number) => Promise<{ id: number }>): Promise<number> {
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await make(number)).id);
  return Math.min(...ids);
}

/** Creates a group with one project, and what its merge requests refer to. */
async function createPlace(api: string, name: string): Promise<Omit<Place, 'firstUser'>> {
  const group = await post(`${api}/groups`, { name, path: name, visibility: 'private' });
  const project = await post(`${api}/projects`, { name: 'it', namespace_id: group.id, visibility: 'private' });
  const own = `${api}/projects/${project.id}`;
  const firstLabel = await firstOf(counts.labels, (n) =>
    post(`${own}/labels`, { name: `label${n}`, color: '#336699', ...(n < 10 ? { priority: n } : {}) }),
  );
  const firstMilestone = await firstOf(counts.milestones, (n) => {
    const start = new Date(Date.now() + (n - 10) * 7 * 86_400_000).toISOString().slice(0, 10);
    const due = new Date(Date.now() + (n - 8) * 7 * 86_400_000).toISOString().slice(0, 10);
    return post(`${own}/milestones`, { title: `milestone${n}`, start_date: start, due_date: due });
  });
  return { project: project.id, firstLabel, firstMilestone };
}

const port = await freePort();
const data = values.data ?? (await mkdtemp(join(tmpdir(), 'hearth-scale-')));
const seeded = existsSync(join(data, 'secret-keys'));
const kept = values.url === undefined ? undefined : { url: values.url, stop: async () => undefined };
const postgres = kept ?? (values.postgres ? await startPostgres() : undefined);
const where = postgres ? { url: postgres.url } : { file: join(data, 'hearth.db') };
const flags = postgres ? ['--database-url', postgres.url] : [];
let server: Started | undefined;
try {
  if (!seeded) {
    server = await startHearth(data, port, token, flags);
    const api = `${server.url}/api/v4`;
    const furnished = { small: await createPlace(api, 'small'), large: await createPlace(api, 'large') };
    await stop(server);
    server = undefined;
    const firstUser = await seedPeople(where);
    for (const size of ['small', 'large'] as const) {
      await seedRequests(where, { ...furnished[size], firstUser }, sizes[size]);
    }
    if (postgres) await onPostgres(postgres.url, (client) => client.query('vacuum analyze'));
  }
  const side = await serving(data, postgres?.url);
  const found = await side.app.inject({ url: '/api/v4/users?username=writer0', headers: { 'private-token': token } });
  const [writer] = found.json<{ id: number }[]>();
  const questions = requestsFor(writer?.id ?? 0, sizes)
    .filter(({ name }) => name.includes(values.only))
    .map(({ name, paths }) => {
      const path = (size: string) => paths(size, 1)[0] ?? '';
      return { name, path: { small: path('small'), large: path('large') } };
    });
  console.log(`${sizes.small} merge requests beside ${sizes.large}, in milliseconds of a processor\n`);
  await printFlatness(token, { small: side, large: side }, questions, values.above);
  await side.close();
} finally {
  if (server) await stop(server);
  await postgres?.stop();
  if (values.data === undefined) await rm(data, { recursive: true, force: true });
}
