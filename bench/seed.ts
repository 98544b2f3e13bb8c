/** The administrator's token on the server under test. */
export const token = 'glpat-bench-root-token';

async function send<T extends object = { id: number }>(method: string, url: string, body: unknown): Promise<T> {
  const headers = { 'private-token': token, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates something on the server under test. */
export const post = (url: string, body: unknown) => send('POST', url, body);

/** Updates something on the server under test. */
export const put = (url: string, body: unknown) => send('PUT', url, body);

/**
 * The seeded projects, with those that are requested repeatedly and those that are requested for the first time, and
 * the tokens.
 */
export interface Seeded {
  readonly repeated: readonly string[];
  readonly unrequested: readonly string[];
  readonly tokens: readonly string[];
}

const projects = 120;
const labels = 25;
const issues = 25;
const people = 40;

/** Seeds a group of projects with labels and issues, and users with tokens, through the API. */
export async function seed(url: string): Promise<Seeded> {
  const api = `${url}/api/v4`;
  const group = await post(`${api}/groups`, { name: 'bench', path: 'bench', visibility: 'public' });
  const paths = await inTurns(projects, async (number) => {
    const name = `project-${number}`;
    const project = await post(`${api}/projects`, { name, namespace_id: group.id, visibility: 'public' });
    for (let label = 0; label < labels; label += 1) {
      const results = { name: `label ${label}`, color: '#336699', description: 'A label to be listed' };
      await post(`${api}/projects/${project.id}/labels`, results);
    }
    for (let issue = 0; issue < issues; issue += 1) {
      const title = `Issue ${issue} is to be read`;
      const own = `label ${issue % labels},label ${(issue * 7 + 1) % labels}`;
      await post(`${api}/projects/${project.id}/issues`, {
        title,
        labels: own,
        description: `${title}.\n\n`.repeat(5),
      });
    }
    return `bench%2F${name}`;
  });
  const tokens = await inTurns(people, async (number) => {
    const username = `person${number}`;
    const account = { username, name: username, email: `${username}@example.com`, password: 'a long password 9' };
    const user = await post(`${api}/users`, { ...account, skip_confirmation: true });
    const params = { name: 'bench', scopes: ['api'], expires_at: inAMonth() };
    return (await send<{ token: string }>('POST', `${api}/users/${user.id}/personal_access_tokens`, params)).token;
  });
  return { repeated: paths.slice(0, projects / 2), unrequested: paths.slice(projects / 2), tokens };
}

const inAMonth = () => new Date(Date.now() + 30 * 24 * 60 * 60_000).toISOString().slice(0, 10);

/** Runs `count` operations with limited concurrency. */
async function inTurns<T>(count: number, make: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let number = lane; number < count; number += 8) results[number] = await make(number);
  });
  await Promise.all(lanes);
  return results;
}
