import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runJob } from './job.ts';
import { type JobPayload, RunnerProtocol } from './protocol.ts';
import { findSandbox, type Sandbox } from './sandbox.ts';

export interface AgentOptions {
  readonly url: string;
  readonly token: string;
  /** Folder of work trees and caches. */
  readonly folder: string;
  /** Folders that are hidden from jobs. */
  readonly hidden?: readonly string[];
  /** Maximum number of concurrent jobs. */
  readonly concurrent: number;
  readonly version: string;
  readonly log: (line: string) => void;
}

/** A running runner. */
export interface Agent {
  /** Stops requesting jobs and aborts the running ones, which fail with a runner system failure. */
  stop(): Promise<void>;
}

const pauseMs = 1000;
const longestPauseMs = 30_000;

/** Starts a runner; throws when the server does not accept its token. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { url, token, version, log } = options;
  const folder = resolve(options.folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const protocol = new RunnerProtocol({ url, token, version, systemId: await systemIdIn(folder) });
  if (!(await protocol.verify()))
    throw new Error(`${url} does not know this runner: its token is wrong, or it was deleted`);
  const sandbox = await findSandbox([...(options.hidden ?? []), folder].map((path) => resolve(path)));
  log(sandbox.description);
  const stopping = new AbortController();
  const slots = Array.from({ length: options.concurrent }, (_, slot) =>
    work({ protocol, sandbox, folder, slot, log, stopping: stopping.signal }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(slots);
    },
  };
}

/** Returns the persistent system id of this runner. */
async function systemIdIn(folder: string): Promise<string> {
  const path = join(folder, 'system_id');
  const known = await readFile(path, 'utf8').catch(() => '');
  if (/^r_[0-9a-f]{12}$/.test(known)) return known;
  const created = `r_${randomBytes(6).toString('hex')}`;
  await writeFile(path, created);
  return created;
}

interface Slot {
  readonly protocol: RunnerProtocol;
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly slot: number;
  readonly log: (line: string) => void;
  readonly stopping: AbortSignal;
}

/** One job slot: requests a job, runs it and requests the next one. */
async function work({ protocol, sandbox, folder, slot, log, stopping }: Slot): Promise<void> {
  let failures = 0;
  while (!stopping.aborted) {
    try {
      const job = await protocol.requestJob(stopping);
      failures = 0;
      if (!job) await pause(pauseMs, stopping);
      else {
        log(`job ${job.id} (${job.job_info.name}) started`);
        await runJob(
          { protocol, sandbox, folders: foldersOf(folder, slot, job), caches: join(folder, 'caches'), stopping },
          job,
        );
        log(`job ${job.id} (${job.job_info.name}) finished`);
      }
    } catch (error) {
      if (stopping.aborted) return;
      failures += 1;
      log(`level=error ${(error as Error).message}`);
      await pause(Math.min(longestPauseMs, pauseMs * 2 ** failures), stopping);
    }
  }
}

/** Each slot has its own work trees, so that two jobs of a project never share one. */
function foldersOf(folder: string, slot: number, job: JobPayload) {
  const builds = join(folder, 'builds', `${slot}`);
  return { builds, tree: join(builds, `${job.job_info.project_id}`), scratch: join(folder, 'jobs', `${job.id}`) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
