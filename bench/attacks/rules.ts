import { once } from 'node:events';
import { connect } from 'node:net';
import { token } from '../seed.ts';
import { type Attack, statuses, type Target } from './attack.ts';

let projects = 0;
function newProject(target: Target, settings: Record<string, unknown> = {}): Promise<{ id: number }> {
  projects += 1;
  return target.make('/api/v4/projects', { name: `rules ${projects}`, initialize_with_readme: true, ...settings });
}

/** Findings about responses rather than resource usage. */
export const ruleAttacks: readonly Attack[] = [
  {
    item: 5,
    name: 'a fork of members-only code',
    async run(target) {
      const { id } = await newProject(target, { visibility: 'public', repository_access_level: 'private' });
      const path = `fork-${id}`;
      const fork = await target.asRoot(`POST /api/v4/projects/${id}/fork`, { path, name: path, visibility: 'public' });
      const { id: forked } = JSON.parse(fork.text) as { id: number };
      return `anonymous reads of the fork: ${statuses(
        [await target.ask(`GET /api/v4/projects/${forked}/repository/tree`)],
        404,
        403,
      )}`;
    },
  },
  {
    item: 7,
    name: 'a first commit in a project with the repository disabled',
    async run(target) {
      const settings = { name: 'no code', initialize_with_readme: true, repository_access_level: 'disabled' };
      return statuses([await target.asRoot('POST /api/v4/projects', settings)], 201, 400);
    },
  },
  {
    item: 8,
    name: 'a .gitmodules that runs a command, through the API',
    async run(target) {
      const { id } = await newProject(target);
      const content = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/x\n';
      const commit = { branch: 'main', commit_message: 'x', content };
      return statuses([await target.asRoot(`POST /api/v4/projects/${id}/repository/files/.gitmodules`, commit)], 400);
    },
  },
  {
    item: 9,
    name: 'HTML served as a raw file',
    async run(target) {
      const { id } = await newProject(target, { visibility: 'public' });
      const commit = { branch: 'main', commit_message: 'x', content: '<script>alert(1)</script>' };
      await target.make(`/api/v4/projects/${id}/repository/files/x.html`, commit);
      const { headers } = await target.ask(`GET /api/v4/projects/${id}/repository/files/x.html/raw?ref=main`);
      const type = headers.get('content-type') ?? '';
      if (type.includes('html') || headers.get('x-content-type-options') !== 'nosniff') throw new Error(type);
      return type;
    },
  },
  {
    item: 10,
    name: 'a line break in the URL of a release link',
    async run(target) {
      const { id } = await newProject(target);
      const url = 'https://example.com/\r\nset-cookie: a=b';
      const links = [{ name: 'x', url, direct_asset_path: '/x\r\ny' }];
      const release = { tag_name: 'v1', ref: 'main', assets: { links } };
      return statuses([await target.asRoot(`POST /api/v4/projects/${id}/releases`, release)], 400, 422);
    },
  },
  {
    item: 16,
    name: 'sixty oversized requests, then a valid one',
    async run(target) {
      const { id } = await newProject(target);
      const headers = { 'private-token': token, 'content-type': 'application/json', 'content-length': '400000000' };
      const call = `POST /api/v4/projects/${id}/repository/commits`;
      for (let count = 0; count < 70; count += 1) {
        const refused = await rawHead(target, call, headers);
        if (!refused.includes(' 413 ')) throw new Error(refused);
      }
      const content = 'x'.repeat(21 * 1024 * 1024);
      const actions = [{ action: 'create', file_path: 'large', content }];
      return statuses([await target.asRoot(call, { branch: 'main', commit_message: 'x', actions })], 201);
    },
  },
  {
    item: 17,
    name: 'sixty concurrent commits to one branch',
    async run(target) {
      const { id } = await newProject(target);
      const commit = (n: number) =>
        target.asRoot(`POST /api/v4/projects/${id}/repository/files/f${n}`, {
          branch: 'main',
          commit_message: `${n}`,
          content: `${n}`,
        });
      return statuses(await Promise.all(Array.from({ length: 60 }, (_, n) => commit(n))), 201);
    },
  },
];

/** Sends only the head of a request and returns the status line of the response. */
async function rawHead(target: Target, call: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(target.server.url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${call} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().split('\r\n')[0] ?? '';
}
