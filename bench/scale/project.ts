import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, type Started, startHearth, stop } from '../processes.ts';
import { post, token } from '../seed.ts';
import { flatnessOptions, printFlatness } from './measure.ts';
import { type Numbers, requestsFor } from './project-requests.ts';
import { type Place, seedProject } from './project-seed.ts';
import { onPostgres, type Serving, serving } from './serving.ts';

// node bench/scale/project.ts [--rows 200000] [--small 10000] [--postgres] [--only TEXT] [--above RATIO] [--data DIR
// [--url URL]]: --only is a part of a request's name, --data a directory to keep and reuse, --url its PostgreSQL
// database
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    ...flatnessOptions,
  },
});
const sizes = { small: Number(values.small), large: Number(values.rows) };

/** Creates a group with one project, a member, a merge request and a webhook. */
async function createPlace(api: string, name: string): Promise<Place> {
  const group = await post(`${api}/groups`, { name, path: name, visibility: 'private' });
  const params = { name: 'it', namespace_id: group.id, visibility: 'private', initialize_with_readme: true };
  const project = await post(`${api}/projects`, params);
  const own = `${api}/projects/${project.id}`;
  const account = {
    username: `of-${name}`,
    name,
    email: `${name}@example.com`,
    password: 'kept for nobody else',
    skip_confirmation: true,
  };
  const user = await post(`${api}/users`, account);
  await post(`${own}/members`, { user_id: user.id, access_level: 40 });
  const file = { branch: 'topic', start_branch: 'main', content: 'new', commit_message: 'Begin' };
  await post(`${own}/repository/files/new`, file);
  const request = await post(`${own}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Begin',
  });
  const hook = await post(`${own}/hooks`, { url: 'https://hooks.example.com', push_events: true });
  return { group: group.id, project: project.id, user: user.id, request: request.id, hook: hook.id };
}

async function numbersOf({ app }: Serving, name: string): Promise<Numbers> {
  const get = async (path: string) => {
    const answer = await app.inject({ url: `/api/v4${path}`, headers: { 'private-token': token } });
    return answer.json<{ id: number }[] & { id: number }>();
  };
  const own = `/projects/${name}%2Fit`;
  const [[hook], [firstPackage], [firstRepository], group, project] = await Promise.all([
    get(`${own}/hooks`),
    get(`${own}/packages?order_by=created_at&sort=asc&status=hidden&include_versionless=true`),
    get(`${own}/registry/repositories`),
    get(`/groups/${name}`),
    get(own),
  ]);
  return {
    group: group.id,
    project: project.id,
    hook: hook?.id ?? 0,
    firstPackage: firstPackage?.id ?? 0,
    firstRepository: firstRepository?.id ?? 0,
  };
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
    for (const size of ['small', 'large'] as const) await seedProject(where, furnished[size], sizes[size]);
    if (postgres) await onPostgres(postgres.url, (client) => client.query('vacuum analyze'));
  }
  const side = await serving(data, postgres?.url);
  const asked = {
    small: requestsFor('small', await numbersOf(side, 'small'), sizes.small),
    large: requestsFor('large', await numbersOf(side, 'large'), sizes.large),
  };
  const questions = Object.keys(asked.large)
    .filter((name) => name.includes(values.only))
    .map((name) => ({ name, path: { small: asked.small[name] ?? '', large: asked.large[name] ?? '' } }));
  console.log(`${sizes.small} of each beside ${sizes.large}, in milliseconds of a processor\n`);
  await printFlatness(token, { small: side, large: side }, questions, values.above);
  await side.close();
} finally {
  if (server) await stop(server);
  await postgres?.stop();
  if (values.data === undefined) await rm(data, { recursive: true, force: true });
}
