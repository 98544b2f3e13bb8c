import type { Actor } from '../../access/actor.ts';
import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { KeyedLimiter } from '../../platform/concurrency.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { perServer } from '../../platform/per-server.ts';
import {
  type Compilation,
  type CompileContext,
  type ConfigSource,
  type ContextVariable,
  compile,
  declaredInputs,
  defaultLimits,
} from '../config/public.ts';
import {
  configPathOf,
  predefinedVariables,
  refVariables,
  settingVariables,
  userVariables,
} from '../variables/public.ts';
import { includeResolver, textAt } from './includes.ts';
import { repositoryFacts } from './repository-facts.ts';

export const noSha = '0'.repeat(40);

/** A variable given when a pipeline is started. */
export interface PipelineVariableInput {
  readonly key: string;
  readonly value: string;
  readonly variableType: 'env_var' | 'file';
  readonly raw?: boolean;
}

/** The cause of a pipeline. */
export interface PipelineOrigin {
  readonly scheduleId?: number;
  readonly triggerId?: number;
  /** The parent pipeline and its trigger job. */
  readonly parent?: { readonly pipelineId: number; readonly jobId: number };
  /** Predefined variables that depend on the cause. */
  readonly predefined?: Readonly<Record<string, string>>;
}

/** The merge request of a pipeline and, for merged results, the merged commits. */
export interface PipelineOfRequest {
  readonly id: number;
  readonly sourceBranch: string;
  readonly merges?: { readonly source: string; readonly target: string };
}

/** Everything needed to create a pipeline. */
export interface PipelineRequest extends PipelineOrigin {
  readonly actor: Actor;
  readonly subject: ProjectSubject;
  /** Short ref name. */
  readonly ref: string;
  readonly kind: 'branch' | 'tag' | 'merge_request';
  /** The merge request of the pipeline; `ref` is then its head or merge ref. */
  readonly mergeRequest?: PipelineOfRequest;
  readonly commit: Commit;
  /** The previous commit of the branch, or the base of a merge request; null when there is none. */
  readonly before: string | null;
  /** As in `CI_PIPELINE_SOURCE`. */
  readonly source: string;
  readonly protected: boolean;
  readonly variables: readonly PipelineVariableInput[];
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Configuration to use instead of that of the commit. */
  readonly config?: ConfigSource;
}

/** Merge request pipelines have no previous commit. */
export function beforeOf({ kind, before }: Pick<PipelineRequest, 'kind' | 'before'>): string {
  return kind === 'merge_request' ? noSha : (before ?? noSha);
}

/** The configuration source of a commit; undefined when it has none. */
export async function configurationOf(
  services: Services,
  subject: ProjectSubject,
  commit: Commit,
): Promise<ConfigSource | undefined> {
  const path = configPathOf(subject.project);
  if (/^https?:\/\//.test(path)) return { include: [{ remote: path }] };
  const [, file, project, ref] = /^([^@]+)@([^:]+)(?::(.+))?$/.exec(path) ?? [];
  if (file !== undefined) return { include: [{ project, file, ...(ref === undefined ? {} : { ref }) }] };
  const text = await textAt(services, subject, commit, path);
  return text === undefined ? undefined : { text };
}

/** Whether a project has a configuration on its default branch or in an external location. */
export async function hasConfiguration({ git }: Services, project: Project): Promise<boolean> {
  const path = configPathOf(project);
  if (/^https?:\/\//.test(path) || path.includes('@')) return true;
  const repo = git.repository(project.id);
  if (project.default_branch === null || !(await repositoryExists(repo))) return false;
  const objects = git.objects(repo);
  const tip = await objects.commitId(`refs/heads/${project.default_branch}`);
  const commit = tip === null ? null : await objects.commit(tip);
  return commit !== null && (await objects.entryAt(commit.tree, path)) !== null;
}

/** Configuration limits of the instance, capped by what the server supports. */
async function limitsOf({ db, settings }: Services) {
  const [{ ci_needs_size_limit: needs }, instance] = await Promise.all([planLimits(db.read), settings.read()]);
  return {
    needs,
    files: instance.ci_max_includes,
    fileBytes: Math.min(instance.max_yaml_size_bytes, defaultLimits.fileBytes),
    totalBytes: Math.min(instance.ci_max_total_yaml_size_bytes, defaultLimits.totalBytes),
  };
}

/** Compilation of large files is serialized, with a limit per user so that no single user fills the queue. */
const compilations = perServer((_: Services) => new KeyedLimiter());
const perUserLimit = { running: 4, waiting: 100 };

/**
 * Compiles a configuration for a pipeline on the given ref. `number` supplies the IID of the pipeline. Callers who
 * could not run it only get a plan without the variables of the project and its groups (`withSettings: false`), because
 * rules could be used to guess their values.
 */
export async function planPipeline(
  services: Services,
  source: ConfigSource,
  request: PipelineRequest,
  options: PlanOptions = {},
): Promise<Compilation> {
  const context = await contextOf(services, request, options);
  return compilations(services).run(`${request.actor.user?.id}`, perUserLimit, () => compile(source, context));
}

/** The inputs that a configuration declares, or the reason why it cannot be read. */
export async function inputsOf(services: Services, source: ConfigSource, request: PipelineRequest) {
  const context = await contextOf(services, request, {});
  return compilations(services).run(`${request.actor.user?.id}`, perUserLimit, () => declaredInputs(source, context));
}

interface PlanOptions {
  readonly withSettings?: boolean;
  readonly number?: () => number;
}

async function contextOf(
  services: Services,
  request: PipelineRequest,
  { withSettings = true, number }: PlanOptions,
): Promise<CompileContext> {
  const { actor, subject, commit, kind } = request;
  const ref = request.mergeRequest?.sourceBranch ?? request.ref;
  const settings = withSettings
    ? await settingVariables(services, services.db.read, subject.project, request.protected)
    : () => [];
  const requestVariables: ContextVariable[] = request.variables.map(({ key, value, variableType, raw }) => ({
    key,
    value,
    file: variableType === 'file',
    ...(raw ? { raw } : {}),
  }));
  return {
    ref: { name: ref, kind, source: request.source, projectPath: subject.fullPath },
    predefined: {
      ...predefinedVariables(services, subject, {
        ref,
        kind,
        commit,
        beforeSha: beforeOf(request),
        source: request.source,
        protected: request.protected,
        configPath: configPathOf(subject.project),
      }),
      ...(await refVariables(services, services.db.read, subject, { kind, ref })),
      ...(actor.user && userVariables(actor.user)),
      ...request.predefined,
    },
    ...(number && { pipelineVariables: { CI_PIPELINE_IID: () => `${number()}` } }),
    variables: (environment) => [...settings(environment), ...requestVariables],
    inputs: request.inputs,
    includes: includeResolver(services, request),
    repository: repositoryFacts(services, request),
    origin: { project: subject.fullPath, sha: commit.oid },
    limits: await limitsOf(services),
  };
}
