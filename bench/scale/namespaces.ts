import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { freePort, startHearth, stop } from '../processes.ts';
import { token } from '../seed.ts';
import { printFlatness } from './measure.ts';
import { callers, type NamespacesSize } from './namespaces-parts.ts';
import { lists } from './namespaces-requests.ts';
import { seedNamespaces } from './namespaces-seed.ts';
import { onPostgres, type Serving, serving } from './serving.ts';

// node bench/scale/namespaces.ts [--users 100000] [--groups 20000] [--projects 200000] [--memberships 1000000]
// [--postgres | --url URL] [--keep FILE] [--only TEXT] [--as WHO] [--above RATIO]: --url names a running PostgreSQL. With
// --keep (and --url on PostgreSQL) the seeded data is kept, as noted in the file, and reused by the next run.
const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    groups: { type: 'string', default: '20000' },
    projects: { type: 'string', default: '200000' },
    memberships: { type: 'string', default: '1000000' },
    postgres: { type: 'boolean', default: false },
    url: { type: 'string' },
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
    as: { type: 'string', default: '' },
    /** Only higher ratios are printed. */
    above: { type: 'string', default: '0' },
  },
});
const large: NamespacesSize = {
  users: Number(values.users),
  groups: Number(values.groups),
  projects: Number(values.projects),
  memberships: Number(values.memberships),
};
const small: NamespacesSize = { users: 1000, groups: 1000, projects: 1000, memberships: 5000 };

const join2 = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

const sizes = ['small', 'large'] as const;
type Sides = Readonly<Record<(typeof sizes)[number], Serving>>;

/** Returns the URL of the next page from the `Link` header. */
async function nextPage({ app }: Serving, secret: string, path: string): Promise<string | undefined> {
  const answer = await app.inject({ url: `/api/v4${path}`, headers: { 'private-token': secret } });
  const next = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
  return next?.slice(next.indexOf('/api/v4') + '/api/v4'.length);
}

const defaultSize = 20;
const deepPage = 40;

/**
 * The page size and the last full page that both instances have, as far as the server counts: a page of twenty beside
 * one of three would measure serialization.
 */
async function commonPages(sides: Sides, secret: string, path: string): Promise<{ perPage: number; deep: number }> {
  const totals = sizes.map(async (size) => {
    const { headers } = await sides[size].app.inject({ url: `/api/v4${path}`, headers: { 'private-token': secret } });
    return Number(headers['x-total'] ?? Number.POSITIVE_INFINITY);
  });
  const [ofSmall = 0, ofLarge = 0] = await Promise.all(totals);
  const shorter = Math.min(ofSmall, ofLarge);
  const perPage = ofSmall === ofLarge ? defaultSize : Math.max(1, Math.min(defaultSize, shorter));
  return { perPage, deep: Math.min(deepPage, Math.floor(shorter / perPage)) };
}

async function questionsOf(sides: Sides, who: string, secret: string) {
  const questions: { name: string; path: { small: string; large: string } }[] = [];
  const both = (path: string) => ({ small: path, large: path });
  for (const { path, keyset, only } of lists) {
    if ((only !== undefined && only !== who) || !path.includes(values.only)) continue;
    const { perPage, deep } = await commonPages(sides, secret, path);
    const sized = perPage === defaultSize ? path : join2(path, `per_page=${perPage}`);
    questions.push({ name: `${sized}, page 1`, path: both(sized) });
    if (deep > 1) questions.push({ name: `${path}, page ${deep}`, path: both(join2(path, `page=${deep}`)) });
    if (keyset === undefined) continue;
    const first = join2(path, `pagination=keyset&per_page=${perPage}&${keyset}`);
    const [small, large] = await Promise.all(sizes.map((size) => nextPage(sides[size], secret, first)));
    if (small && large) questions.push({ name: `${path}, next by key`, path: { small, large } });
  }
  return questions;
}

interface Place {
  readonly data: string;
  /** URL of the PostgreSQL database. */
  readonly url?: string;
}

/** Creates and seeds a data directory. */
async function seeded(name: string, size: NamespacesSize, server: string | undefined): Promise<Place> {
  const data = await mkdtemp(join(tmpdir(), 'hearth-ground-'));
  const url = server && (await createDatabase(server, `ground_${name}`));
  const place = { data, ...(url !== undefined && { url }) };
  await stop(await startHearth(data, await freePort(), token, flagsOf(place)));
  const from = performance.now();
  await seedNamespaces(url === undefined ? { file: join(data, 'hearth.db') } : { url }, size);
  if (url !== undefined) await onPostgres(url, (client) => client.query('vacuum analyze'));
  console.log(`${name}: ${JSON.stringify(size)}, seeded in ${Math.round((performance.now() - from) / 1000)} s`);
  return place;
}

async function createDatabase(server: string, name: string): Promise<string> {
  await onPostgres(server, (client) => client.query(`create database ${name}`));
  return server.replace('/postgres?', `/${name}?`);
}

const flagsOf = ({ url }: Place) => (url === undefined ? [] : ['--database-url', url]);

async function kept(): Promise<Record<'small' | 'large', Place> | undefined> {
  if (values.keep === undefined) return undefined;
  return readFile(values.keep, 'utf8').then(JSON.parse, () => undefined);
}

const known = await kept();
const postgres = values.postgres ? await startPostgres() : undefined;
const server = values.url ?? postgres?.url;
const places = known ?? {
  small: await seeded('small', small, server),
  large: await seeded('large', large, server),
};
if (values.keep !== undefined && known === undefined) await writeFile(values.keep, JSON.stringify(places));
const sides = {
  small: await serving(places.small.data, places.small.url),
  large: await serving(places.large.data, places.large.url),
};
try {
  for (const [who, secret] of Object.entries({ admin: token, ...callers })) {
    if (!who.includes(values.as)) continue;
    console.log(`\nAs ${who}, in milliseconds of a processor\n`);
    await printFlatness(secret, sides, await questionsOf(sides, who, secret), values.above);
  }
} finally {
  for (const size of sizes) await sides[size].close();
}
await postgres?.stop();
if (values.keep === undefined) {
  for (const { data } of Object.values(places)) await rm(data, { recursive: true, force: true });
}
