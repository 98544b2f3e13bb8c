import assert from 'node:assert/strict';
import type {
  Compilation,
  CompileContext,
  IncludedFile,
  Plan,
  PlannedJob,
  RefFacts,
} from '../../../src/ci/config/public.ts';
import { compile } from '../../../src/ci/config/public.ts';

/** Context of a test; defaults to a push to `main` of `group/app`. */
export interface Setup {
  readonly ref?: Partial<RefFacts>;
  readonly predefined?: Record<string, string>;
  readonly settings?: Record<string, string>;
  readonly scoped?: Record<string, Record<string, string>>;
  readonly inputs?: Record<string, unknown>;
  /** Files by location: a path, a URL or `group/project:file`. */
  readonly files?: Record<string, string>;
  readonly changed?: readonly string[] | 'no_base';
  readonly tree?: readonly string[];
  readonly limits?: CompileContext['limits'];
}

export function contextOf(setup: Setup): CompileContext {
  const ref: RefFacts = { name: 'main', kind: 'branch', source: 'push', projectPath: 'group/app', ...setup.ref };
  const tree = setup.tree ?? [];
  return {
    ref,
    predefined: {
      CI: 'true',
      CI_PIPELINE_SOURCE: ref.source,
      CI_COMMIT_REF_NAME: ref.name,
      ...refVariables(ref),
      ...setup.predefined,
    },
    variables: (environment) =>
      Object.entries({ ...setup.settings, ...(environment === null ? {} : setup.scoped?.[environment]) }).map(
        ([key, value]) => ({ key, value }),
      ),
    inputs: setup.inputs ?? {},
    origin: { project: 'group/app', sha: 'f'.repeat(40) },
    includes: { resolve: async (request, from) => included(setup.files ?? {}, request, from) },
    repository: {
      changedPaths: async (compareTo) => (compareTo === 'nowhere' ? 'unknown_ref' : (setup.changed ?? 'no_base')),
      anyFile: async (_at, paths) =>
        paths.some((path) => tree.some((file) => (path.endsWith('/') ? file.startsWith(path) : file === path))),
      listFiles: async (_at, limit) => tree.slice(0, limit),
      fileIds: async (_kind, patterns) => tree.filter((file) => patterns.includes(file)).map((file) => `id of ${file}`),
    },
    limits: setup.limits,
  };
}

function refVariables(ref: RefFacts): Record<string, string> {
  if (ref.kind === 'tag') return { CI_COMMIT_TAG: ref.name };
  return ref.kind === 'branch' ? { CI_COMMIT_BRANCH: ref.name } : { CI_MERGE_REQUEST_IID: '7' };
}

type Request = Parameters<CompileContext['includes']['resolve']>[0];

function included(
  files: Record<string, string>,
  request: Request,
  from: CompileContext['origin'],
): { files: IncludedFile[] } | { error: string } {
  const location = locationOf(request);
  const text = files[location];
  if (text === undefined) return { error: `Local file \`${location}\` does not exist!` };
  const origin = request.type === 'project' ? { project: request.project, sha: request.ref } : from;
  return { files: [{ text, origin, location }] };
}

function locationOf(request: Request): string {
  if (request.type === 'local') return request.path;
  if (request.type === 'project') return `${request.project}:${request.file}`;
  if (request.type === 'remote') return request.url;
  if (request.type === 'template') return request.name;
  return request.type === 'component' ? request.address : `${request.job}/${request.file}`;
}

export function compiled(text: string, setup: Setup = {}): Promise<Compilation> {
  return compile({ text }, contextOf(setup));
}

export async function planOf(text: string, setup: Setup = {}): Promise<Plan> {
  const result = await compiled(text, setup);
  if (result.outcome === 'invalid') assert.fail(JSON.stringify(result.errors));
  if (result.outcome === 'filtered') assert.fail(`filtered by ${result.by}`);
  return result.plan;
}

export async function jobsOf(text: string, setup: Setup = {}): Promise<Record<string, PlannedJob>> {
  return Object.fromEntries((await planOf(text, setup)).jobs.map((job) => [job.name, job]));
}

/** Compiles a file and returns one job of it. */
export async function jobOf(text: string, setup: Setup = {}, name = 'test'): Promise<PlannedJob> {
  const job = (await jobsOf(text, setup))[name];
  return job ?? assert.fail(`no job ${name}`);
}

export async function errorsOf(text: string, setup: Setup = {}): Promise<string[]> {
  const result = await compiled(text, setup);
  return result.outcome === 'invalid' ? result.errors.map(({ message }) => message) : assert.fail(result.outcome);
}

/** The names of the jobs; empty when the pipeline is filtered. */
export async function namesOf(text: string, setup: Setup = {}): Promise<string[]> {
  const result = await compiled(text, setup);
  if (result.outcome === 'invalid') assert.fail(JSON.stringify(result.errors));
  return result.outcome === 'planned' ? result.plan.jobs.map(({ name }) => name) : [];
}
