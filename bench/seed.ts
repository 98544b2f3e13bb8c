/** The administrator's token on the server under test. */
export const token = 'glpat-bench-root-token';

async function send(method: string, url: string, body: unknown): Promise<{ id: number }> {
  const headers = { 'private-token': token, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: number };
}

/** Makes something on the server under test. */
export const post = (url: string, body: unknown) => send('POST', url, body);

/** Changes something on the server under test. */
export const put = (url: string, body: unknown) => send('PUT', url, body);

/** A group, a project with 250 labels, and 100 users: through the API, as people would make them. */
export async function seed(url: string): Promise<void> {
  const api = `${url}/api/v4`;
  const group = await post(`${api}/groups`, { name: 'bench', path: 'bench', visibility: 'public' });
  const project = await post(`${api}/projects`, { name: 'project', namespace_id: group.id, visibility: 'public' });
  for (let number = 0; number < 250; number += 1) {
    await post(`${api}/projects/${project.id}/labels`, {
      name: `label ${number}`,
      color: '#336699',
      description: 'A label to be listed',
    });
  }
  for (let number = 0; number < 100; number += 1) {
    const username = `person${number}`;
    await post(`${api}/users`, {
      username,
      name: username,
      email: `${username}@example.com`,
      password: 'a long password 9',
      skip_confirmation: true,
    });
  }
}
