import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { cpuOf, freePort, startHearth, stop } from '../processes.ts';
import { post, put, token } from '../seed.ts';

// node bench/scale/issue-creation.ts [--writers 16] [--seconds 10] [--postgres]
const { values } = parseArgs({
  options: {
    writers: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '10' },
    postgres: { type: 'boolean', default: false },
  },
});

const agent = new Agent({ keepAlive: true, maxSockets: Number(values.writers) });

function create(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'private-token': token, 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });
}

/** Each writer creates the next issue as soon as the previous one was answered. */
async function createFor(url: string, seconds: number): Promise<{ created: number; took: number }> {
  const from = performance.now();
  let created = 0;
  const writer = async (number: number) => {
    for (let n = 0; performance.now() - from < seconds * 1000; n += 1) {
      const text = `Writer ${number} saw the ${n}th thing fail where it should have worked.`;
      const status = await create(url, JSON.stringify({ title: `Thing ${n} of ${number}`, description: text }));
      if (status !== 201) throw new Error(`${url}: ${status}`);
      created += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(values.writers) }, (_, number) => writer(number)));
  return { created, took: (performance.now() - from) / 1000 };
}

const data = await mkdtemp(join(tmpdir(), 'hearth-creation-'));
const postgres = values.postgres ? await startPostgres({ durable: true }) : undefined;
const server = await startHearth(data, await freePort(), token, postgres ? ['--database-url', postgres.url] : []);
try {
  const api = `${server.url}/api/v4`;
  await put(`${api}/application/settings`, { issues_create_limit: 0 });
  const project = await post(`${api}/projects`, { name: 'written to', visibility: 'private' });
  const url = `${api}/projects/${project.id}/issues`;
  await createFor(url, 3);
  const before = cpuOf(server);
  const { created, took } = await createFor(url, Number(values.seconds));
  const cpu = (cpuOf(server) - before) / created;
  console.log(`${Math.round(created / took)} issues/s, ${cpu.toFixed(2)} ms CPU each`);
} finally {
  agent.destroy();
  await stop(server);
  await postgres?.stop();
  await rm(data, { recursive: true, force: true, maxRetries: 10 });
}
