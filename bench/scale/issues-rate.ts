import { parseArgs } from 'node:util';
import { rateOf } from '../load.ts';
import { freePort, startHearth, startScript, stop } from '../processes.ts';
import { post, token } from '../seed.ts';

// node bench/scale/issues-rate.ts --data DIR [--url URL] [--pages 50] [--callers 40]: DIR and URL are those that
// bench/scale/issues.ts kept
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    url: { type: 'string' },
    pages: { type: 'string', default: '50' },
    callers: { type: 'string', default: '40' },
  },
});
if (values.data === undefined) throw new Error('--data is missing');

const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

/** Creates tokens of users who are reporters of the large group. */
async function tokensOf(api: string, callers: number): Promise<string[]> {
  const headers = { 'private-token': token };
  const tokens: string[] = [];
  for (let number = 0; number < callers; number += 1) {
    const answer = await fetch(`${api}/users?username=writer${number}`, { headers });
    const [found] = (await answer.json()) as { id: number }[];
    const membership = { user_id: found?.id, access_level: 20 };
    const added = await fetch(`${api}/groups/large/members`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(membership),
    });
    // 409: already a member from an earlier run.
    if (!added.ok && added.status !== 409) throw new Error(`writer${number}: ${added.status}`);
    const params = { name: 'bench', scopes: ['read_api'], expires_at: inAMonth };
    const created: object = await post(`${api}/users/${found?.id}/personal_access_tokens`, params);
    if ('token' in created && typeof created.token === 'string') tokens.push(created.token);
  }
  return tokens;
}

const floor = await startScript('floor.ts');
const flags = values.url ? ['--database-url', values.url] : [];
const server = await startHearth(values.data, await freePort(), token, flags);
try {
  const tokens = await tokensOf(`${server.url}/api/v4`, Number(values.callers));
  const pages = Array.from({ length: Number(values.pages) }, (_, n) => n + 1);
  const least = await rateOf(floor, { paths: ['/issues'], tokens: [token] });
  const { rate, cpu } = await rateOf(server, {
    paths: pages.map((page) => `/api/v4/projects/large%2Fit/issues?page=${page}`),
    tokens,
  });
  const again = await rateOf(floor, { paths: ['/issues'], tokens: [token] });
  const bare = { rate: Math.max(least.rate, again.rate), cpu: Math.min(least.cpu, again.cpu) };
  const shown = (each: { rate: number; cpu: number }) => `${each.rate} a second, ${each.cpu.toFixed(2)} ms each`;
  console.log(`floor: ${shown(bare)}\nissues: ${shown({ rate, cpu })}`);
  console.log(`ratios: ${(rate / bare.rate).toFixed(2)} of the rate, ${(cpu / bare.cpu).toFixed(1)} of the processor`);
} finally {
  await stop(server);
  await stop(floor);
}
