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

/** What a test says of the world: everything else is a push to `main` of `group/app`. */
export interface World {
  readonly ref?: Partial<RefFacts>;
  readonly predefined?: Record<string, string>;
  readonly settings?: Record<string, string>;
  readonly scoped?: Record<string, Record<string, string>>;
  readonly inputs?: Record<string, unknown>;
  /** By what the request says: a path, an address, `group/project:file`. */
  readonly files?: Record<string, string>;
  readonly changed?: readonly string[] | 'no_base';
  readonly tree?: readonly string[];
  readonly limits?: CompileContext['limits'];
}

export function contextOf(world: World): CompileContext {
  const ref: RefFacts = { name: 'main', kind: 'branch', source: 'push', projectPath: 'group/app', ...world.ref };
  const tree = world.tree ?? [];
  return {
    ref,
    predefined: {
      CI: 'true',
      CI_PIPELINE_SOURCE: ref.source,
      CI_COMMIT_REF_NAME: ref.name,
      ...refVariables(ref),
      ...world.predefined,
    },
    variables: (environment) =>
      Object.entries({ ...world.settings, ...(environment === null ? {} : world.scoped?.[environment]) }).map(
        ([key, value]) => ({ key, value }),
      ),
    inputs: world.inputs ?? {},
    origin: { project: 'group/app', sha: 'f'.repeat(40) },
    includes: { resolve: async (request, from) => included(world.files ?? {}, request, from) },
    repository: {
      changedPaths: async (compareTo) => (compareTo === 'nowhere' ? 'unknown_ref' : (world.changed ?? 'no_base')),
      anyFile: async (_at, paths) =>
        paths.some((path) => tree.some((file) => (path.endsWith('/') ? file.startsWith(path) : file === path))),
      listFiles: async (_at, limit) => tree.slice(0, limit),
      fileIds: async (_kind, patterns) => tree.filter((file) => patterns.includes(file)).map((file) => `id of ${file}`),
    },
    limits: world.limits,
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

export function compiled(text: string, world: World = {}): Promise<Compilation> {
  return compile({ text }, contextOf(world));
}

export async function planOf(text: string, world: World = {}): Promise<Plan> {
  const result = await compiled(text, world);
  if (result.outcome === 'invalid') assert.fail(JSON.stringify(result.errors));
  if (result.outcome === 'filtered') assert.fail(`filtered by ${result.by}`);
  return result.plan;
}

export async function jobsOf(text: string, world: World = {}): Promise<Record<string, PlannedJob>> {
  return Object.fromEntries((await planOf(text, world)).jobs.map((job) => [job.name, job]));
}

/** One job of the file, which says nothing else of interest. */
export async function jobOf(text: string, world: World = {}, name = 'test'): Promise<PlannedJob> {
  const job = (await jobsOf(text, world))[name];
  return job ?? assert.fail(`no job ${name}`);
}

export async function errorsOf(text: string, world: World = {}): Promise<string[]> {
  const result = await compiled(text, world);
  return result.outcome === 'invalid' ? result.errors.map(({ message }) => message) : assert.fail(result.outcome);
}

/** The names of the jobs, or none where there would be no pipeline. */
export async function namesOf(text: string, world: World = {}): Promise<string[]> {
  const result = await compiled(text, world);
  if (result.outcome === 'invalid') assert.fail(JSON.stringify(result.errors));
  return result.outcome === 'planned' ? result.plan.jobs.map(({ name }) => name) : [];
}
