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
  /** Where work trees and caches are. */
  readonly folder: string;
  /** Folders that jobs must not see. */
  readonly hidden?: readonly string[];
  /** Jobs at the same time. */
  readonly concurrent: number;
  readonly version: string;
  readonly log: (line: string) => void;
}

/** A runner that has begun to ask for jobs. */
export interface Agent {
  /** Takes no more jobs and ends those under way, which then count as failed by the runner. */
  stop(): Promise<void>;
}

const pauseMs = 1000;
const longestPauseMs = 30_000;

/** Starts a runner; throws where the server does not know its token. */
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

/** What this machine calls itself: the same each time. */
async function systemIdIn(folder: string): Promise<string> {
  const path = join(folder, 'system_id');
  const known = await readFile(path, 'utf8').catch(() => '');
  if (/^r_[0-9a-f]{12}$/.test(known)) return known;
  const made = `r_${randomBytes(6).toString('hex')}`;
  await writeFile(path, made);
  return made;
}

interface Slot {
  readonly protocol: RunnerProtocol;
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly slot: number;
  readonly log: (line: string) => void;
  readonly stopping: AbortSignal;
}

/** One place for jobs: asks for one, runs it, asks for the next. */
async function work({ protocol, sandbox, folder, slot, log, stopping }: Slot): Promise<void> {
  let failures = 0;
  while (!stopping.aborted) {
    try {
      const job = await protocol.requestJob(stopping);
      failures = 0;
      if (!job) await pause(pauseMs, stopping);
      else {
        log(`job ${job.id} (${job.job_info.name}) has begun`);
        await runJob(
          { protocol, sandbox, folders: foldersOf(folder, slot, job), caches: join(folder, 'caches'), stopping },
          job,
        );
        log(`job ${job.id} (${job.job_info.name}) is over`);
      }
    } catch (error) {
      if (stopping.aborted) return;
      failures += 1;
      log(`level=error ${(error as Error).message}`);
      await pause(Math.min(longestPauseMs, pauseMs * 2 ** failures), stopping);
    }
  }
}

/** Each place has work trees of its own, so that two jobs of a project never meet in one. */
function foldersOf(folder: string, slot: number, job: JobPayload) {
  const builds = join(folder, 'builds', `${slot}`);
  return { builds, tree: join(builds, `${job.job_info.project_id}`), scratch: join(folder, 'jobs', `${job.id}`) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
