import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../src/config/config.ts';
import type { Logger } from '../src/platform/log.ts';
import type { RunningServer } from '../src/server.ts';

/** The first message to a worker; any later one means stop. */
export interface ToWorker {
  config: Config;
}

/** Messages of a worker: that it is serving, why it cannot start, and later that it should stop. */
export type FromWorker = Ready | { failure: string; code: string | undefined } | { overtaken: string };

type Ready = Pick<RunningServer, 'url' | 'firstStart'> & { port: number };

/** Delay before replacing a worker that died: one that cannot start must not keep the machine busy. */
const pause = 1000;

/** Starts the configured number of server processes on one port and replaces those that die. */
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
  // The first one migrates the database and determines the port before the others start.
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
  const exited = once(worker, 'exit').then(() => ({ failure: 'a worker ended before it was ready', code: undefined }));
  const answered = once(worker, 'message').then(([answer]) => answer as FromWorker);
  const answer = await Promise.race([answered, exited]);
  if ('url' in answer) return answer;
  worker.kill('SIGKILL');
  if ('overtaken' in answer) throw new Error(answer.overtaken);
  throw Object.assign(new Error(answer.failure), { code: answer.code });
}

async function stop(worker: Worker): Promise<void> {
  const exited = once(worker, 'exit');
  worker.send('stop');
  await exited;
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
}
