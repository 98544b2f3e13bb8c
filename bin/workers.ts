import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../src/config/config.ts';
import type { Logger } from '../src/platform/log.ts';
import type { RunningServer } from '../src/server.ts';

/** What a worker is told first; whatever it is told after that means stop. */
export interface ToWorker {
  config: Config;
}

/** What a worker answers: that it serves, or why it cannot; and later that it should no longer. */
export type FromWorker = Ready | { failure: string; code: string | undefined } | { overtaken: string };

type Ready = Pick<RunningServer, 'url' | 'firstStart'> & { port: number };

/** How long to wait before a worker that died is replaced: one that cannot live must not keep the machine busy. */
const pause = 1000;

/** Starts as many server processes as the settings say, on one port; one that dies is replaced. */
export async function startWorkers(
  config: Config,
  log: Logger,
): Promise<Pick<RunningServer, 'url' | 'firstStart' | 'overtaken' | 'close'>> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.js'), args: [] });
  let stopping = false;
  const overtaken = new Promise<string>((resolve) => {
    cluster.on('message', (_worker, message: FromWorker) => {
      if ('overtaken' in message) resolve(message.overtaken);
    });
  });
  // The first one brings the database up to date and finds the port before there are others.
  const first = await startWorker(config);
  const settled = { ...config, port: first.port };
  const others = Array.from({ length: config.workers - 1 }, () => startWorker(settled));
  await Promise.all(others);
  cluster.on('exit', async (worker, code, signal) => {
    if (stopping) return;
    log.error({ pid: worker.process.pid, code, signal }, 'a worker died; another takes its place');
    await setTimeout(pause);
    if (!stopping)
      await startWorker(settled).catch((error: unknown) => log.error({ err: error }, 'a worker did not start'));
  });
  return {
    url: first.url,
    firstStart: first.firstStart,
    overtaken: () => overtaken,
    async close() {
      stopping = true;
      await Promise.all(workers().map(stop));
    },
  };
}

async function startWorker(config: Config): Promise<Ready> {
  const worker = cluster.fork({ HEARTH_DATA: config.data });
  const message: ToWorker = { config };
  worker.send(message);
  const gone = once(worker, 'exit').then(() => ({ failure: 'a worker ended before it was ready', code: undefined }));
  const answered = once(worker, 'message').then(([answer]) => answer as FromWorker);
  const answer = await Promise.race([answered, gone]);
  if ('url' in answer) return answer;
  worker.kill('SIGKILL');
  if ('overtaken' in answer) throw new Error(answer.overtaken);
  throw Object.assign(new Error(answer.failure), { code: answer.code });
}

async function stop(worker: Worker): Promise<void> {
  const gone = once(worker, 'exit');
  worker.send('stop');
  await gone;
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
}
