import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { repositoryPath } from '../../src/platform/git/repository.ts';
import { ifMissing } from '../../src/platform/missing.ts';
import { token } from '../seed.ts';
import { type Answer, type Attack, statuses, type Target } from './attack.ts';

/** Endpoints that process input without authentication. */
const fine = [200, 201, 204, 302, 303, 400, 401, 403, 404, 405, 406, 413, 415, 422, 429] as const;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };
const lfs = { 'content-type': 'application/vnd.git-lfs+json', accept: 'application/vnd.git-lfs+json' };
const zipped = { 'content-encoding': 'gzip' };
const most = 60_000;

const repeated = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);
const atOnce = (times: number, work: () => Promise<Answer>) => Promise.all(Array.from({ length: times }, work));

let tracked: Promise<string> | undefined;

/** Creates a project with error tracking; its client key is public by design. */
function trackedProject(target: Target): Promise<string> {
  tracked ??= (async () => {
    const { id } = await target.make('/api/v4/projects', { name: 'tracked', visibility: 'public' });
    const at = `/api/v4/projects/${id}/error_tracking`;
    await target.asRoot(`PUT ${at}/settings`, { active: true, integrated: true });
    const [key] = JSON.parse((await target.asRoot(`GET ${at}/client_keys`)).text) as [{ public_key: string }];
    return `/api/${id}/{}/?sentry_key=${key.public_key}`;
  })();
  return tracked;
}

const event = (rest: string) => `{"event_id":"${'a'.repeat(32)}","level":"error","message":"x",${rest}}`;
const envelope = (payload: string) => `{}\n{"type":"event"}\n${payload}\n`;

function errors(name: string, make: () => string, headers: Record<string, string> = {}): Attack {
  let [payload, address]: [string | Uint8Array<ArrayBuffer>, string] = ['', ''];
  return {
    item: 1,
    name: `an error tracking event: ${name}`,
    anonymous: true,
    async prepare(target) {
      address = await trackedProject(target);
      const text = make();
      payload = 'content-encoding' in headers ? gzipSync(text) : text;
      await target.ask(`POST ${address.replace('{}', 'envelope')}`, { body: envelope(event('"extra":{}')) });
    },
    async run(target) {
      const send = (kind: string) =>
        target.ask(`POST ${address.replace('{}', kind)}`, { headers: { ...json, ...headers }, body: payload });
      return statuses([...(await atOnce(3, () => send('envelope'))), await send('store')], ...fine);
    },
  };
}

const entry = (name: string, call: string, headers: Record<string, string>, body: () => string, times = 4): Attack => ({
  item: 1,
  name,
  anonymous: true,
  async prepare(target) {
    await target.ask(call, { headers, body: '' });
  },
  async run(target) {
    const text = body();
    return statuses(await atOnce(times, () => target.ask(call, { headers, body: text })), ...fine);
  },
});

/** A pathological Markdown file on the pages of a public project. */
function readme(name: string, content: () => string): Attack {
  let path = '';
  return {
    item: 1,
    name: `a README of ${name}`,
    anonymous: true,
    async prepare(target) {
      const branch = `readme-${name.replaceAll(' ', '-')}`;
      const actions = [{ action: 'create', file_path: 'docs/README.md', content: content() }];
      await target.make('/api/v4/projects/root%2Fopen/repository/commits', {
        ...{ branch, start_branch: 'main', commit_message: 'x', actions },
      });
      path = `/root/open/-/tree/${branch}/docs`;
      await target.ask('GET /root/open');
    },
    run: async (target) => statuses([await target.ask(`GET ${path}`), await target.ask(`GET ${path}`)], 200, 413, 503),
  };
}

const objects = Array.from({ length: 500 }, (_, n) => ({ oid: n.toString(16).padStart(64, '0'), size: n }));

export const entryAttacks: readonly Attack[] = [
  errors('100 MB in 100 KB of gzip', () => envelope(event(`"extra":"${'x'.repeat(100_000_000)}"`)), zipped),
  errors('brackets, 200,000 deep', () => envelope(event(`"extra":${'['.repeat(200_000)}${']'.repeat(200_000)}`))),
  errors('100,000 fields', () =>
    envelope(event(`"extra":{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join(',')}}`)),
  ),
  errors('30,000 items', () => `{}\n${'{"type":"x","length":0}\n\n'.repeat(30_000)}`),
  errors('a megabyte of stack', () => {
    const frames = repeated('{"function":"f","filename":"a.js","lineno":1},', 900_000);
    const whole = frames.slice(0, frames.lastIndexOf('},') + 1);
    return envelope(event(`"exception":{"values":[{"type":"E","stacktrace":{"frames":[${whole}]}}]}`));
  }),
  entry('eight concurrent sign-ins', 'POST /users/sign_in', form, () => `user%5Blogin%5D=root&user%5Bpassword%5D=x`, 8),
  entry('a sign-in form of thousands of fields', 'POST /users/sign_in', form, () => repeated('a=1&', most)),
  entry('an OAuth token request of 60 KB', 'POST /oauth/token', json, () => `{"code":"${'x'.repeat(most)}"}`),
  entry('a job request of 60 KB', 'POST /api/v4/jobs/request', json, () => {
    return JSON.stringify({ token: 'x', info: { name: 'x'.repeat(most - 200) } });
  }),
  entry('a runner with thousands of tags', 'POST /api/v4/runners', json, () => {
    return JSON.stringify({ token: 'x', tag_list: repeated('a,', most - 200) });
  }),
  entry('an LFS batch of 500 objects', 'POST /root/open.git/info/lfs/objects/batch', lfs, () => {
    return JSON.stringify({ operation: 'download', objects });
  }),
  entry('unauthenticated Markdown', 'POST /api/v4/markdown', json, () =>
    JSON.stringify({ text: '['.repeat(most - 100) }),
  ),
  readme('brackets', () => '['.repeat(100_000)),
  readme('stars', () => repeated('*a_ **b', 100_000)),
  readme('quotes in quotes', () => `${'> '.repeat(2000)}x\n`.repeat(20)),
  readme('tables', () => `|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n${`|${'b|'.repeat(500)}\n`.repeat(80)}`),
  readme('code', () => `\`\`\`js\n${repeated('/a/.b[c]`d`', 100_000)}\n\`\`\`\n`),
];

/** Waits until the repository's commit-graph is up to date, as on a server that has been running for a while. */
async function tidiedUp(target: Target, project: number): Promise<void> {
  const repository = repositoryPath(join(target.home, 'data', 'repositories'), project);
  const chain = join(repository, 'objects', 'info', 'commit-graphs', 'commit-graph-chain');
  const from = Date.now();
  while (((await stat(chain).catch(ifMissing))?.mtimeMs ?? 0) < from) {
    if (Date.now() > from + 60_000) throw new Error('housekeeping wrote no commit-graph in a minute');
    const response = await target.asRoot(`POST /api/v4/projects/${project}/housekeeping`);
    // 409: housekeeping was requested already and is still running.
    statuses([response], 201, 409);
    await setTimeout(100);
  }
}

/** Item 18: first reads of many files with a long history; the first one must not be much slower than the others. */
export const firstReadAttack: Attack = {
  item: 18,
  name: 'first reads of sixty files with a long history',
  async prepare(target) {
    const actions = (turn: number) =>
      Array.from({ length: 60 }, (_, n) => ({
        action: turn === 0 ? 'create' : 'update',
        file_path: `d${n % 6}/f${n}`,
        content: `${turn} ${n}`,
      })).filter((_, n) => turn === 0 || n === turn % 60);
    for (let turn = 0; turn < 120; turn += 1) {
      const start = turn === 0 ? { start_branch: 'main' } : {};
      const commit = { branch: 'history', ...start, commit_message: `${turn}`, actions: actions(turn) };
      await target.make('/api/v4/projects/root%2Fopen/repository/commits', commit);
    }
    const { id } = JSON.parse((await target.ask('GET /api/v4/projects/root%2Fopen')).text) as { id: number };
    await tidiedUp(target, id);
  },
  async run(target) {
    const times: number[] = [];
    const read = async (n: number) => {
      const from = performance.now();
      const file = encodeURIComponent(`d${n % 6}/f${n}`);
      const answer = await target.ask(`GET /api/v4/projects/root%2Fopen/repository/files/${file}?ref=history`, {
        headers: { 'private-token': token },
      });
      times.push(performance.now() - from);
      return answer;
    };
    const answers: Answer[] = [];
    for (let n = 0; n < 60; n += 1) answers.push(await read(n));
    times.sort((a, b) => a - b);
    return `${statuses(answers, 200)}; median ${times[30]?.toFixed(1)} ms, slowest ${times[59]?.toFixed(1)} ms`;
  },
};
