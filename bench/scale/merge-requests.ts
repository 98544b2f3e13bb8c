import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, startHearth, stop } from '../processes.ts';
import { post, token } from '../seed.ts';
import { seedPeople } from './issues-seed.ts';
import { flatnessTable, measureFlatness } from './measure.ts';
import { questionsAbout } from './merge-requests-questions.ts';
import { counts, type Place, seedRequests } from './merge-requests-seed.ts';

// node bench/scale/merge-requests.ts [--requests 100000] [--small 10000] [--postgres] [--only words of a question] [--above ratio] [--data a directory that is kept and used again]
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    small: { type: 'string', default: '10000' },
    postgres: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    above: { type: 'string', default: '0' },
    data: { type: 'string' },
  },
});
const sizes = { small: Number(values.small), large: Number(values.requests) };

async function firstOf(count: number, make: (number: number) => Promise<{ id: number }>): Promise<number> {
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await make(number)).id);
  return Math.min(...ids);
}

/** A group with one project, and all that its merge requests will hang on. */
async function furnish(api: string, name: string): Promise<Omit<Place, 'firstUser'>> {
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
const seeded = existsSync(join(data, 'hearth.db'));
const postgres = values.postgres ? await startPostgres() : undefined;
const where = postgres ? { url: postgres.url } : { file: join(data, 'hearth.db') };
const flags = postgres ? ['--database-url', postgres.url] : [];
let server = await startHearth(data, port, token, flags);
try {
  const api = `${server.url}/api/v4`;
  if (!seeded) {
    const furnished = { small: await furnish(api, 'small'), large: await furnish(api, 'large') };
    await stop(server);
    const firstUser = await seedPeople(where);
    for (const size of ['small', 'large'] as const) {
      await seedRequests(where, { ...furnished[size], firstUser }, sizes[size]);
    }
    server = await startHearth(data, port, token, flags);
  }
  const answer = await fetch(`${api}/users?username=writer0`, { headers: { 'private-token': token } });
  const [writer] = (await answer.json()) as { id: number }[];
  const questions = questionsAbout(writer?.id ?? 0).filter(({ name }) => name.includes(values.only));
  console.log(`${sizes.small} merge requests beside ${sizes.large}`);
  const rows = await measureFlatness(api, token, { small: 'small', large: 'large' }, questions);
  console.log(flatnessTable(rows.filter(({ small, large }) => large / small >= Number(values.above))));
} finally {
  await stop(server);
  await postgres?.stop();
  if (values.data === undefined) await rm(data, { recursive: true, force: true });
}
