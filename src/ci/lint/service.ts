import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { defaultBranch, repositoryOf, requireCommit, resolveCommit } from '../../code/repository/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Compilation, ConfigSource } from '../config/public.ts';
import { configurationOf, type PipelineRequest, planPipeline, refRights } from '../pipeline-creation/public.ts';
import { nextPipelineIid } from '../pipelines/public.ts';
import type { LintJobEntity, LintResultEntity } from './schema.ts';

export interface LintOptions {
  readonly dry_run: boolean;
  readonly include_jobs: boolean;
  /** Branch or tag used as the context of a dry run. */
  readonly ref?: string | undefined;
}

const emptyResult: LintResultEntity = {
  valid: false,
  errors: ['Please provide content of .gitlab-ci.yml'],
  warnings: [],
  merged_yaml: null,
  includes: [],
};

/** Validates the configuration of a commit. */
export async function lintCommit(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  revision: string | undefined,
  options: LintOptions,
): Promise<LintResultEntity> {
  if (subject.project.empty_repo === 1) throw new NotFound('Repository');
  const commit = await requireCommit(services, subject, revision);
  const source = await configurationOf(services, subject, commit);
  return source ? lint(services, { actor, subject, commit }, source, options) : emptyResult;
}

/** Validates a configuration as if it were committed on the given ref. */
export async function lintContent(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  content: string,
  options: LintOptions,
): Promise<LintResultEntity> {
  const commit = (await resolveCommit(services, subject, options.ref)) ?? emptyCommit;
  return lint(services, { actor, subject, commit }, { text: content }, options);
}

const noAuthor = { name: '', email: '', seconds: 0, zone: 0 };
/** Placeholder commit for an empty repository. */
const emptyCommit: Commit = {
  oid: '0'.repeat(40),
  tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  parents: [],
  author: noAuthor,
  committer: noAuthor,
  message: '',
  signature: undefined,
  encoding: undefined,
};

async function lint(
  services: Services,
  target: Pick<PipelineRequest, 'actor' | 'subject' | 'commit'>,
  source: ConfigSource,
  options: LintOptions,
): Promise<LintResultEntity> {
  const mayRun = target.subject.can('create_pipeline');
  if (options.dry_run && !mayRun)
    return { ...emptyResult, errors: ['Insufficient permissions to create a new pipeline'] };
  const ref = (options.ref || defaultBranch(target.subject)).replace(/^refs\/(?:heads|tags)\//, '');
  const found = await kindOf(services, target.subject, ref);
  if (options.dry_run && options.ref && !found) return { ...emptyResult, errors: ['Reference not found'] };
  const kind = found ?? 'branch';
  const refProtected = (await refRights(services, target.actor, target.subject, kind, ref)).protected;
  // Rules see that the ref is protected, but not the protected variables, because the caller may not be allowed to run
  // jobs there.
  const predefined = { CI_COMMIT_REF_PROTECTED: `${refProtected}` };
  const rest = { before: null, source: 'push', protected: false, variables: [], inputs: {}, predefined };
  const nextIid = await nextPipelineIid(services.db.read, target.subject.project.id);
  const planOptions = { withSettings: mayRun, number: () => nextIid };
  const compiled = await planPipeline(services, source, { ...target, ref, kind, ...rest }, planOptions);
  const errors = errorsOf(compiled, options.dry_run);
  return {
    valid: errors.length === 0,
    errors,
    warnings: [...compiled.warnings],
    merged_yaml: await compiled.mergedYaml(),
    includes: compiled.includes.map(({ type, location, blob, raw, extra, contextProject, contextSha }) => ({
      ...{ type, location, blob, raw, extra },
      context_project: contextProject,
      context_sha: contextSha,
    })),
    ...(options.include_jobs ? { jobs: await jobsOf(compiled, options.dry_run) } : {}),
  };
}

/** Whether a ref is a branch or a tag; undefined when it does not exist. */
async function kindOf(services: Services, subject: ProjectSubject, ref: string): Promise<'branch' | 'tag' | undefined> {
  if (subject.project.empty_repo === 1) return undefined;
  const repo = repositoryOf(services, subject);
  if ((await services.git.readRef(repo, `refs/heads/${ref}`)) !== null) return 'branch';
  return (await services.git.readRef(repo, `refs/tags/${ref}`)) === null ? undefined : 'tag';
}

/** That the rules filter out the pipeline is only an error in a dry run. */
function errorsOf(compiled: Compilation, dryRun: boolean): string[] {
  if (compiled.outcome === 'invalid') return compiled.errors.map(({ message }) => message);
  return compiled.outcome === 'filtered' && dryRun ? [compiled.message] : [];
}

async function jobsOf(compiled: Compilation, dryRun: boolean): Promise<LintJobEntity[]> {
  if (!dryRun) {
    const jobs = await compiled.lintJobs();
    return jobs.map(({ beforeScript, afterScript, tagList, allowFailure, script, ...job }) => ({
      ...job,
      before_script: [...beforeScript],
      script: [...script],
      after_script: [...afterScript],
      tag_list: [...tagList],
      allow_failure: allowFailure,
    }));
  }
  if (compiled.outcome !== 'planned') return [];
  return compiled.plan.jobs.map((job) => ({
    name: job.name,
    stage: job.stage,
    before_script: [...job.beforeScript],
    script: [...job.script],
    after_script: [...job.afterScript],
    tag_list: [...job.tags],
    environment: job.environment?.name ?? null,
    when: job.when,
    allow_failure: job.allowFailure,
  }));
}
