import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileWork, fetchArtifacts, uploadArtifacts } from './artifacts.ts';
import { type CacheOwner, restoreCache, saveCache } from './cache.ts';
import { environmentOf, type JobFolders } from './environment.ts';
import { expand } from './expand.ts';
import { ExpressionError } from './expression.ts';
import { withInputs } from './inputs.ts';
import type { JobPayload, RunnerProtocol } from './protocol.ts';
import type { Sandbox } from './sandbox.ts';
import { runProgram, scriptOf } from './shell.ts';
import { getSources } from './sources.ts';
import { type Outcome, Trace } from './trace.ts';

/** Timeout of the after_script, independent of the job. */
const afterScriptMs = 5 * 60_000;

/** The environment in which a runner executes jobs. */
export interface JobContext {
  readonly protocol: RunnerProtocol;
  readonly sandbox: Sandbox;
  readonly folders: JobFolders;
  readonly caches: string;
  /** Aborted when the runner stops. */
  readonly stopping: AbortSignal;
}

/** Runs one job from fetching sources to uploading artifacts, and reports its result. */
export async function runJob(context: JobContext, job: JobPayload): Promise<void> {
  const trace = new Trace(context.protocol, job);
  const deadline = AbortSignal.timeout(job.runner_info.timeout * 1000);
  const run = new JobRun(context, job, trace, deadline);
  let outcome: Outcome;
  try {
    outcome = await run.perform();
  } catch (error) {
    trace.line(`\u001b[31;1mERROR: the runner failed: ${(error as Error).message}\u001b[0;m`);
    outcome = { state: 'failed', failureReason: 'runner_system_failure' };
  }
  if (deadline.aborted) outcome = { state: 'failed', failureReason: 'job_execution_timeout' };
  else if (context.stopping.aborted) outcome = { state: 'failed', failureReason: 'runner_system_failure' };
  if (outcome.state === 'success') trace.line('\u001b[32;1mJob succeeded\u001b[0;m');
  else trace.line(`\u001b[31;1mERROR: Job failed: ${reasonOf(outcome)}\u001b[0;m`);
  await trace.finish(outcome).finally(() => rm(context.folders.scratch, { recursive: true, force: true }));
}

function reasonOf({ failureReason, exitCode }: Outcome): string {
  return exitCode ? `exit code ${exitCode}` : (failureReason ?? 'unknown').replaceAll('_', ' ');
}

class JobRun {
  readonly #context: JobContext;
  #job: JobPayload;
  readonly #trace: Trace;
  /** Stops the current command: aborted by the server, the timeout or the runner. */
  readonly #stop: AbortSignal;
  #env: Record<string, string> = {};

  constructor(context: JobContext, job: JobPayload, trace: Trace, deadline: AbortSignal) {
    this.#context = context;
    this.#job = job;
    this.#trace = trace;
    this.#stop = AbortSignal.any([trace.canceling, trace.dropped, deadline, context.stopping]);
  }

  async perform(): Promise<Outcome> {
    const refusal = this.#insertInputs() ?? this.#refusal();
    if (refusal) return refusal;
    const { tree, scratch } = this.#context.folders;
    await mkdir(tree, { recursive: true });
    await mkdir(scratch, { recursive: true });
    this.#env = await environmentOf(this.#job, this.#context.folders);
    const prepared = await this.#prepare();
    const exit = prepared ? await this.#script() : undefined;
    const canceled = this.#trace.canceling.aborted;
    const succeeded = exit === 0 && !this.#stop.aborted;
    await this.#afterScript(canceled ? 'canceled' : succeeded ? 'success' : 'failed', prepared);
    const saved = this.#trace.dropped.aborted || canceled ? true : await this.#keep(succeeded);
    if (succeeded && saved) return { state: 'success' };
    if (!prepared || (succeeded && !saved)) return { state: 'failed', failureReason: 'runner_system_failure' };
    return { state: 'failed', failureReason: 'script_failure', ...(exit ? { exitCode: exit } : {}) };
  }

  #insertInputs(): Outcome | undefined {
    try {
      this.#job = withInputs(this.#job);
      return undefined;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.#trace.line(`ERROR: ${error.message}`);
      return { state: 'failed', failureReason: 'script_failure' };
    }
  }

  #refusal(): Outcome | undefined {
    const { image, services } = this.#job;
    if (services && services.length > 0) {
      const names = services.map(({ name }) => name).join(', ');
      this.#trace.line(`ERROR: this runner runs jobs in a shell and cannot start services (${names})`);
      return { state: 'failed', failureReason: 'runner_unsupported' };
    }
    if (image) this.#trace.line(`NOTICE: image ${image.name} is not used: this runner runs jobs in a shell`);
    return undefined;
  }

  async #prepare(): Promise<boolean> {
    const { job, work } = { job: this.#job, work: this.#work() };
    const strategy = this.#env.GIT_STRATEGY ?? (job.allow_git_fetch ? 'fetch' : 'clone');
    const before = job.hooks?.find(({ name }) => name === 'pre_get_sources_script');
    const sources = await this.#section('get_sources', 'Getting source from Git repository', async () => {
      if (before && (await this.#shell('hook', before.script, this.#stop)) !== 0) return false;
      return getSources(job, strategy, (command) => this.#run(command, this.#stop), this.#context.folders.tree);
    });
    if (!sources) return false;
    if (job.cache && job.cache.length > 0) {
      await this.#section('restore_cache', 'Restoring cache', async () => {
        for (const cache of job.cache ?? []) await this.#tolerate(restoreCache(work, this.#cacheOwner(), cache));
      });
    }
    const dependencies = job.dependencies?.filter(({ artifacts_file }) => artifacts_file) ?? [];
    if (dependencies.length === 0) return true;
    return this.#section('download_artifacts', 'Downloading artifacts', async () => {
      for (const dependency of dependencies) if (!(await fetchArtifacts(work, dependency))) return false;
      return true;
    });
  }

  async #script(): Promise<number | null> {
    for (const step of this.#job.steps.filter(({ name }) => name !== 'after_script')) {
      const code = await this.#section('step_script', `Executing "step_${step.name}" of the job script`, () =>
        this.#shell(step.name, step.script, this.#stop),
      );
      if (code !== 0 && !step.allow_failure) return code;
    }
    return 0;
  }

  /** Runs regardless of the result of the job, unless the server has dropped the job. */
  async #afterScript(status: string, prepared: boolean): Promise<void> {
    const step = this.#job.steps.find(({ name }) => name === 'after_script');
    if (!step || !prepared || this.#trace.dropped.aborted || this.#context.stopping.aborted) return;
    this.#env = { ...this.#env, CI_JOB_STATUS: status };
    const signal = AbortSignal.any([this.#trace.dropped, this.#context.stopping, AbortSignal.timeout(afterScriptMs)]);
    await this.#section('after_script', 'Running after_script', () => this.#shell(step.name, step.script, signal));
  }

  /** Saves caches and uploads artifacts; false if an upload failed. */
  async #keep(succeeded: boolean): Promise<boolean> {
    const work = this.#work();
    const caches = this.#job.cache ?? [];
    if (caches.length > 0) {
      await this.#section('archive_cache', 'Saving cache', async () => {
        for (const cache of caches) await this.#tolerate(saveCache(work, this.#cacheOwner(), cache, succeeded));
      });
    }
    const selected = (this.#job.artifacts ?? []).filter(({ when = 'on_success' }) =>
      when === 'always' ? true : succeeded ? when === 'on_success' : when === 'on_failure',
    );
    if (selected.length === 0) return true;
    const name = succeeded ? 'upload_artifacts_on_success' : 'upload_artifacts_on_failure';
    return this.#section(name, 'Uploading artifacts', async () => {
      const results: boolean[] = [];
      for (const one of selected) results.push(await uploadArtifacts(work, this.#job, one));
      return results.every(Boolean);
    });
  }

  /** A cache only saves time, so a failure is logged and the job continues. */
  async #tolerate(work: Promise<void>): Promise<void> {
    await work.catch((error: Error) => this.#trace.line(`WARNING: ${error.message}`));
  }

  async #section<T>(name: string, title: string, work: () => Promise<T>): Promise<T> {
    const mark = (kind: string) => `section_${kind}:${Math.floor(Date.now() / 1000)}:${name}\r\u001b[0K`;
    this.#trace.write(`${mark('start')}\u001b[36;1m${title}\u001b[0;m\n`);
    try {
      return await work();
    } finally {
      this.#trace.write(mark('end'));
    }
  }

  async #shell(name: string, commands: readonly string[], signal: AbortSignal): Promise<number | null> {
    const script = join(this.#context.folders.scratch, `${name.replace(/\W/g, '_')}.sh`);
    await writeFile(script, scriptOf(commands), { mode: 0o700 });
    return this.#run(['bash', '--noprofile', '--norc', script], signal);
  }

  /** Runs git in the sandbox too: files left by an earlier job in the work tree may make git run something. */
  #run(command: readonly [string, ...string[]], signal: AbortSignal): Promise<number | null> {
    const { tree, scratch } = this.#context.folders;
    return runProgram(this.#context.sandbox.around(command, [tree, scratch]), this.#options(signal));
  }

  #options(signal: AbortSignal) {
    const output = (piece: Buffer) => this.#trace.write(piece);
    return { cwd: this.#context.folders.tree, env: { CI_JOB_STATUS: 'running', ...this.#env }, output, signal };
  }

  #work(): FileWork {
    const values = new Map(Object.entries(this.#env));
    return {
      protocol: this.#context.protocol,
      folder: this.#context.folders.tree,
      scratch: this.#context.folders.scratch,
      log: (line) => this.#trace.line(line),
      expand: (text) => expand(text, values),
      untracked: () => this.#untracked(),
    };
  }

  async #untracked(): Promise<readonly string[]> {
    const pieces: Buffer[] = [];
    const output = (piece: Buffer) => pieces.push(piece);
    const { tree, scratch } = this.#context.folders;
    const command = this.#context.sandbox.around(['git', 'ls-files', '--others', '-z'], [tree, scratch]);
    await runProgram(command, { ...this.#options(this.#trace.dropped), output });
    return Buffer.concat(pieces).toString().split('\0').filter(Boolean);
  }

  #cacheOwner(): CacheOwner {
    const { job_info, git_info } = this.#job;
    return {
      store: this.#context.caches,
      projectId: job_info.project_id,
      defaultKey: `${job_info.name}/${git_info.ref}`,
    };
  }
}
