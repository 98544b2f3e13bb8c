import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { token } from '../seed.ts';
import { type Answer, type Attack, statuses, type Target } from './attack.ts';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const zipped = { 'content-encoding': 'gzip' };

const deepPair = `a[]${Array.from({ length: 28 }, (_, n) => `[${n}]`).join('')}=1`;
const pairs = (count: number) => Array.from({ length: count }, () => deepPair).join('&');
const fit = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);
/** Maximum body size of unauthenticated requests. */
const maxOfNobody = 64 * 1024 - 200;

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Operations that read the body of unauthenticated requests. */
const openOperations = [
  'POST /api/v4/jobs/request',
  'POST /api/v4/runners',
  'POST /api/v4/runners/verify',
  'POST /api/v4/projects/root%2Fopen/trigger/pipeline',
  'POST /api/v4/markdown',
  'POST /oauth/token',
  'POST /users/sign_in',
];

function body(name: string, sent: () => Sent, calls: readonly string[], times = 1): Attack {
  let ready: Sent;
  return {
    item: 1,
    name,
    anonymous: true,
    async prepare(target) {
      ready = sent();
      // Warm-up: one-time costs of the first call cannot be repeated by an attacker.
      for (const call of calls) await target.ask(call);
    },
    async run(target) {
      const answers: Answer[] = [];
      for (const call of calls) {
        answers.push(...(await Promise.all(Array.from({ length: times }, () => target.ask(call, ready)))));
      }
      return statuses(answers, 200, 201, 204, 302, 303, 400, 401, 403, 404, 405, 413, 415, 422, 429);
    },
  };
}

const zippedPairs = () => ({ headers: { ...form, ...zipped }, body: gzipSync(pairs(92_857)) });
const zippedBrackets = () => ({ headers: { ...json, ...zipped }, body: gzipSync('['.repeat(10_000_000)) });
/** Sends an incomplete request on a new connection and returns what the server sent before closing it. */
async function unfinished(target: Target, head: string): Promise<string> {
  const { hostname, port } = new URL(target.server.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.write(head);
  await once(socket, 'close');
  return answer.split('\r\n')[0] ?? '';
}

const oversize = (target: Target, sent: RequestInit) =>
  target.ask('POST /api/v4/projects/root%2Fopen/repository/commits', sent);

export const bodyAttacks: readonly Attack[] = [
  body('35 KB of gzip, 92,857 deep form pairs', zippedPairs, ['POST /api/v4/projects']),
  body('eight of them concurrently', zippedPairs, ['POST /api/v4/projects'], 8),
  body('10 KB of gzip, brackets of JSON', zippedBrackets, ['POST /api/v4/projects']),
  body('both to unauthenticated operations', zippedPairs, openOperations),
  body('deep form pairs of the maximum size', () => ({ headers: form, body: pairs(650) }), openOperations),
  body(
    'wide JSON of the maximum size',
    () => ({ headers: json, body: `{"a":[${fit('[],', maxOfNobody - 20).slice(0, -1)}]}` }),
    openOperations,
  ),
  {
    item: 1,
    name: 'a query of deep pairs',
    anonymous: true,
    run: async (target) => {
      const calls = Array.from({ length: 8 }, () => target.ask(`GET /api/v4/projects?${pairs(120)}`));
      return statuses(await Promise.all(calls), 200, 400, 414, 431);
    },
  },
  {
    item: 1,
    name: '30 MB of form pairs to the commits of a project, with a token',
    run: async (target) => {
      const headers = { ...form, 'private-token': token };
      return statuses([await oversize(target, { headers, body: pairs(240_000) })], 400, 413);
    },
  },
  {
    item: 1,
    name: 'a description of half a million escapes, with a token',
    run: async (target) => {
      const headers = { ...json, 'private-token': token };
      const body = `{"title":"t","description":"${'\\u00e9'.repeat(500_000)}"}`;
      return statuses([await target.ask('POST /api/v4/projects/root%2Fopen/issues', { headers, body })], 201);
    },
  },
  {
    item: 6,
    name: 'a body that is never sent',
    anonymous: true,
    run: async (target) => {
      const head = 'POST /api/v4/projects HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
      const answers = await Promise.all([
        unfinished(target, `${head}content-length: 100\r\n\r\n{`),
        unfinished(target, `${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`),
      ]);
      if (!answers.every((line) => line.includes(' 408 '))) throw new Error(answers.join(', '));
      return 'closed with 408';
    },
  },
];
