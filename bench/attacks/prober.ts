import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * Runs in its own thread, so that an attack does not delay the measurement: requests `/api/v4/version` continuously and
 * samples the memory of the server and its child processes.
 */
const { url, pid } = workerData as { url: string; pid: number };
const agent = new Agent({ keepAlive: true });
const everyMs = 5;

let over = false;
const meanwhile = { answers: 0, failures: 0, slowestMs: 0, serverMb: 0, gitMb: 0 };

function ask(): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${url}/api/v4/version`, { agent, headers: { 'private-token': '' } }, (answer) => {
      answer.resume().on('end', () => resolve((answer.statusCode ?? 500) < 500));
    });
    request.on('error', () => resolve(false));
  });
}

const megabytes = (id: number | string): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // The process ended in the meantime.
    return 0;
  }
};

function childrenOf(id: number | string): string[] {
  try {
    return readdirSync(`/proc/${id}/task`).flatMap((thread) =>
      readFileSync(`/proc/${id}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    );
  } catch {
    return [];
  }
}

const below = (id: number | string): number =>
  childrenOf(id).reduce((sum, child) => sum + megabytes(child) + below(child), 0);

function weigh(): void {
  meanwhile.serverMb = Math.max(meanwhile.serverMb, megabytes(pid));
  meanwhile.gitMb = Math.max(meanwhile.gitMb, below(pid));
}

parentPort?.once('message', () => {
  over = true;
});

while (!over) {
  weigh();
  const from = performance.now();
  const answered = await ask();
  meanwhile.slowestMs = Math.max(meanwhile.slowestMs, performance.now() - from);
  if (answered) meanwhile.answers += 1;
  else meanwhile.failures += 1;
  await new Promise((resolve) => setTimeout(resolve, everyMs));
}
weigh();
agent.destroy();
parentPort?.postMessage(meanwhile);
parentPort?.close();
