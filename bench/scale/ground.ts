import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, type Started, startHearth, stop } from '../processes.ts';
import { token } from '../seed.ts';
import { callers, type GroundSize, ids, seedGround } from './ground-seed.ts';
import { flatnessTable, measureFlatness, type Question } from './measure.ts';

// node bench/scale/ground.ts [--users 100000] [--groups 20000] [--projects 200000] [--memberships 1000000] [--postgres]
const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    groups: { type: 'string', default: '20000' },
    projects: { type: 'string', default: '200000' },
    memberships: { type: 'string', default: '1000000' },
    postgres: { type: 'boolean', default: false },
  },
});
const large: GroundSize = {
  users: Number(values.users),
  groups: Number(values.groups),
  projects: Number(values.projects),
  memberships: Number(values.memberships),
};
const small: GroundSize = { users: 1000, groups: 1000, projects: 1000, memberships: 5000 };

/** Every list of people and places. Searches are for words of few things, however many there are. */
const lists: readonly { readonly path: string; readonly keyset?: string; readonly only?: 'admin' }[] = [
  { path: '/users', keyset: 'order_by=id' },
  { path: '/users?search=person%2012%20of' },
  { path: '/groups', keyset: 'order_by=name' },
  { path: '/groups?all_available=true' },
  { path: '/groups?search=q12q' },
  { path: `/groups/${ids.group}/projects?include_subgroups=true` },
  { path: `/groups/${ids.group}/descendant_groups`, only: 'admin' },
  { path: `/groups/${ids.deepGroup}/members/all`, only: 'admin' },
  { path: '/projects', keyset: 'order_by=id' },
  { path: '/projects?membership=true' },
  { path: '/projects?order_by=last_activity_at&sort=desc' },
  { path: '/projects?search=q12q' },
  { path: `/projects/${ids.project}/members`, only: 'admin' },
  { path: `/projects/${ids.project}/members/all`, only: 'admin' },
  { path: `/users/${ids.member}/projects` },
  { path: `/users/${ids.member}/keys` },
  { path: '/namespaces' },
  { path: '/namespaces?search=q12q' },
  { path: '/events' },
  { path: `/projects/${ids.project}/events`, only: 'admin' },
  { path: '/personal_access_tokens' },
  { path: '/search?scope=projects&search=q12q' },
  { path: '/search?scope=users&search=person%2012%20of' },
];

const join2 = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** The addresses of the next pages, as each server names them. */
async function nextPages(apis: readonly string[], secret: string, path: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const api of apis) {
    const response = await fetch(`${api}${path}`, { headers: { 'private-token': secret } });
    await response.arrayBuffer();
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    if (next !== undefined) found.set(api, `${api}${next.slice(next.indexOf('/api/v4') + '/api/v4'.length)}`);
  }
  return found;
}

async function questionsOf(apis: readonly string[], who: string, secret: string): Promise<Question[]> {
  const questions: Question[] = [];
  for (const { path, keyset, only } of lists) {
    if (only !== undefined && only !== who) continue;
    questions.push({ name: `${path}, page 1`, paths: (at) => [`${at}${path}`] });
    questions.push({ name: `${path}, page 40`, paths: (at) => [`${at}${join2(path, 'page=40')}`] });
    if (keyset === undefined) continue;
    const next = await nextPages(apis, secret, join2(path, `pagination=keyset&per_page=20&${keyset}`));
    if (next.size === apis.length)
      questions.push({ name: `${path}, next by key`, paths: (at) => [next.get(at) ?? at] });
  }
  return questions;
}

interface Side {
  readonly data: string;
  readonly server: Started;
  readonly postgres: Awaited<ReturnType<typeof startPostgres>> | undefined;
}

async function start(name: string, size: GroundSize): Promise<Side> {
  const data = await mkdtemp(join(tmpdir(), 'hearth-ground-'));
  const postgres = values.postgres ? await startPostgres() : undefined;
  const place = postgres ? { url: postgres.url } : { file: join(data, 'hearth.db') };
  const flags = postgres ? ['--database-url', postgres.url] : [];
  const port = await freePort();
  await stop(await startHearth(data, port, token, flags));
  const from = performance.now();
  await seedGround(place, size);
  console.log(`${name}: ${JSON.stringify(size)}, seeded in ${Math.round((performance.now() - from) / 1000)} s`);
  return { data, postgres, server: await startHearth(data, port, token, flags) };
}

const sides: Side[] = [];
try {
  for (const [name, size] of [
    ['small', small],
    ['large', large],
  ] as const)
    sides.push(await start(name, size));
  const [few = '', many = ''] = sides.map(({ server }) => `${server.url}/api/v4`);
  for (const [who, secret] of Object.entries({ admin: token, ...callers })) {
    const questions = await questionsOf([few, many], who, secret);
    console.log(`\nAs ${who}\n`);
    console.log(flatnessTable(await measureFlatness('', secret, { small: few, large: many }, questions)));
  }
} finally {
  for (const { server, data, postgres } of sides) {
    await stop(server);
    await postgres?.stop();
    await rm(data, { recursive: true, force: true });
  }
}
