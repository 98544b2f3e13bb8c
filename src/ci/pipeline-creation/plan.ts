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

/** A variable that whoever starts a pipeline sets for it. */
export interface GivenVariable {
  readonly key: string;
  readonly value: string;
  readonly variableType: 'env_var' | 'file';
  readonly raw?: boolean;
}

/** What has caused a pipeline. */
export interface PipelineOrigin {
  readonly scheduleId?: number;
  readonly triggerId?: number;
  /** The pipeline, and the job in it, that starts this one. */
  readonly parent?: { readonly pipelineId: number; readonly jobId: number };
  /** What rules and includes may ask about it: predefined variables that only the cause knows. */
  readonly predefined?: Readonly<Record<string, string>>;
}

/** The merge request that a pipeline runs for, and the tips that its commit merges, where it does. */
export interface PipelineOfRequest {
  readonly id: number;
  readonly sourceBranch: string;
  readonly merges?: { readonly source: string; readonly target: string };
}

/** What a pipeline is to be made of. */
export interface PipelineRequest extends PipelineOrigin {
  readonly actor: Actor;
  readonly subject: ProjectSubject;
  /** Short name. */
  readonly ref: string;
  readonly kind: 'branch' | 'tag' | 'merge_request';
  /** The merge request that it runs for; `ref` is then the ref of its head, or of what merging it makes. */
  readonly mergeRequest?: PipelineOfRequest;
  readonly commit: Commit;
  /** What the branch was at before the push, or what a merge request is compared with; null where there is none. */
  readonly before: string | null;
  /** As in `CI_PIPELINE_SOURCE`. */
  readonly source: string;
  readonly protected: boolean;
  readonly variables: readonly GivenVariable[];
  readonly inputs: Readonly<Record<string, unknown>>;
  /** What to make it of, where that is not the configuration of the commit. */
  readonly config?: ConfigSource;
}

/** Nothing was before the head of a merge request. */
export function beforeOf({ kind, before }: Pick<PipelineRequest, 'kind' | 'before'>): string {
  return kind === 'merge_request' ? noSha : (before ?? noSha);
}

/** The configuration of a commit; undefined where it has none. */
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

/** Whether a project has pipelines: its default branch has a configuration, or it is kept elsewhere. */
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

/** What the instance allows a configuration, within what the server can bear. */
async function limitsOf({ db, settings }: Services) {
  const [{ ci_needs_size_limit: needs }, instance] = await Promise.all([planLimits(db.read), settings.read()]);
  return {
    needs,
    files: instance.ci_max_includes,
    fileBytes: Math.min(instance.max_yaml_size_bytes, defaultLimits.fileBytes),
    totalBytes: Math.min(instance.ci_max_total_yaml_size_bytes, defaultLimits.totalBytes),
  };
}

/** Long files are read one after the other: nobody fills that queue alone. */
const compilations = perServer((_: Services) => new KeyedLimiter());
const ofOneUser = { running: 4, waiting: 100 };

/**
 * What a configuration comes to for a pipeline that would run now; `number` is asked for the one that it would have. Where it is only looked at by somebody who could not run it,
 * it is planned without what the project and those above it keep as variables: rules would tell them letter by letter.
 */
export async function planPipeline(
  services: Services,
  source: ConfigSource,
  request: PipelineRequest,
  { withSettings = true, number }: { readonly withSettings?: boolean; readonly number?: () => number } = {},
): Promise<Compilation> {
  const { actor, subject, commit, kind } = request;
  const ref = request.mergeRequest?.sourceBranch ?? request.ref;
  const settings = withSettings
    ? await settingVariables(services, services.db.read, subject.project, request.protected)
    : () => [];
  const given: ContextVariable[] = request.variables.map(({ key, value, variableType, raw }) => ({
    key,
    value,
    file: variableType === 'file',
    ...(raw ? { raw } : {}),
  }));
  const context: CompileContext = {
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
    ...(number && { ofPipeline: { CI_PIPELINE_IID: () => `${number()}` } }),
    variables: (environment) => [...settings(environment), ...given],
    inputs: request.inputs,
    includes: includeResolver(services, request),
    repository: repositoryFacts(services, request),
    origin: { project: subject.fullPath, sha: commit.oid },
    limits: await limitsOf(services),
  };
  return compilations(services).run(`${actor.user?.id}`, ofOneUser, () => compile(source, context));
}
