import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject, settingsOf } from '../../access/subjects.ts';
import { presentCommit } from '../../code/commits/public.ts';
import { projectUrl, repositoryOf } from '../../code/repository/public.ts';
import { presentIdentity } from '../../namespaces/projects/public.ts';
import { localTime, presentBasicUser, workInformation } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { mayReadPipelines, pipelinesById, presentBasic } from '../pipelines/public.ts';
import { isArchivedJob } from './job-row.ts';
import { artifactsOf, managersOf, runnersOf, usersOf } from './related-store.ts';
import { presentManager, presentRunner } from './runner-view.ts';
import type { BridgeEntity, JobEntity, JobUserEntity, RunnerJobEntity } from './schema.ts';
import type { CiJobRow } from './tables.ts';

/** Presents jobs of one project, with one query per related table. */
export async function presentJobs(
  services: Services,
  subject: ProjectSubject,
  rows: readonly CiJobRow[],
): Promise<JobEntity[]> {
  const { db } = services;
  const [basics, artifacts, runners, managers] = await Promise.all([
    presentBasics(services, [subject], rows),
    artifactsOf(db.read, rows),
    runnersOf(db.read, rows),
    managersOf(db.read, rows),
  ]);
  const runnerById = new Map(runners.map((runner) => [runner.id, presentRunner(runner)]));
  const managerById = new Map(managers.map((manager) => [manager.id, presentManager(manager)]));
  const now = Date.now();
  return rows.flatMap((row) => {
    const basic = basics.get(row.id);
    if (!basic) return [];
    const files = artifacts.filter(({ job_id }) => job_id === row.id);
    const archive = files.find(({ file_type }) => file_type === 'archive');
    const available = archive && (archive.expire_at === null || archive.expire_at > now || basic.locked);
    return {
      ...basic.fields,
      ...(archive && available ? { artifacts_file: { filename: archive.filename, size: archive.size } } : {}),
      artifacts: files.map(({ file_type, size, filename, file_format }) => ({
        file_type,
        size,
        filename,
        file_format,
      })),
      ...extraFields(services, row, basic.fields.pipeline.source),
      runner: (row.runner_id !== null && runnerById.get(row.runner_id)) || null,
      runner_manager: (row.runner_manager_id !== null && managerById.get(row.runner_manager_id)) || null,
    };
  });
}

/** Presents bridges, which have no runner. */
export async function presentBridges(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  rows: readonly CiJobRow[],
): Promise<BridgeEntity[]> {
  const basics = await presentBasics(services, [subject], rows);
  const downstreamPipelines = await pipelinesById(
    services.db.read,
    rows.flatMap(({ downstream_pipeline_id }) => downstream_pipeline_id ?? []),
  );
  const urls = new Map([[subject.project.id, projectUrl(services, subject)]]);
  for (const id of new Set(downstreamPipelines.map(({ project_id }) => project_id))) {
    const other = urls.has(id) ? undefined : await pipelinesVisibleIn(services, caller, id);
    if (other) urls.set(id, projectUrl(services, other));
  }
  return rows.flatMap((row) => {
    const basic = basics.get(row.id);
    if (!basic) return [];
    const downstream = downstreamPipelines.find(({ id }) => id === row.downstream_pipeline_id);
    const url = downstream && urls.get(downstream.project_id);
    return {
      ...basic.fields,
      artifacts: [],
      ...extraFields(services, row, basic.fields.pipeline.source),
      downstream_pipeline: downstream && url !== undefined ? presentBasic(downstream, url) : null,
    };
  });
}

/** Another project, if the caller can read its pipelines. */
async function pipelinesVisibleIn({ db }: Services, caller: Actor, id: number): Promise<ProjectSubject | undefined> {
  const found = await lookUpProject(db.read, `${id}`);
  const subject = found && (await projectSubject(db.read, caller, found.project));
  return subject?.can('read_project') && mayReadPipelines(subject) ? subject : undefined;
}

function extraFields(services: Services, row: CiJobRow, source: string) {
  return {
    artifacts_expire_at: instantOrNull(row.artifacts_expire_at),
    archived: isArchivedJob(services, row),
    source,
    tag_list: storedStrings(row.tag_list).sort(),
  };
}

/** Fields shared by all representations of jobs. */
async function presentBasics(services: Services, subjects: readonly ProjectSubject[], rows: readonly CiJobRow[]) {
  const { db, externalUrl } = services;
  const [users, pipelines, commits] = await Promise.all([
    usersOf(db.read, rows),
    pipelinesById(
      db.read,
      rows.map(({ pipeline_id }) => pipeline_id),
    ),
    Promise.all(subjects.map((subject) => commitsOf(services, subject, rows))),
  ]);
  const pipelineById = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  const userById = new Map(users.map((user) => [user.id, presentUser(user, externalUrl)]));
  const commitById = new Map(commits.flat());
  const projectById = new Map(subjects.map((subject) => [subject.project.id, projectFields(services, subject)]));
  const now = Date.now();
  return new Map(
    rows.flatMap((row) => {
      const pipeline = pipelineById.get(row.pipeline_id);
      const commit = commitById.get(row.sha);
      const projectInfo = projectById.get(row.project_id);
      if (!pipeline || !projectInfo) return [];
      const { url, project } = projectInfo;
      const fields = {
        id: row.id,
        status: row.status,
        stage: row.stage,
        name: row.name,
        ref: row.ref,
        tag: row.tag === 1,
        coverage: row.coverage,
        allow_failure: row.allow_failure === 1,
        created_at: instant(row.created_at),
        started_at: instantOrNull(row.started_at),
        finished_at: instantOrNull(row.finished_at),
        erased_at: instantOrNull(row.erased_at),
        duration: seconds(row.started_at, row.finished_at ?? now),
        queued_duration: seconds(row.queued_at, row.started_at ?? row.finished_at ?? now),
        user: (row.user_id !== null && userById.get(row.user_id)) || null,
        commit: commit ? presentCommit(commit, url) : null,
        pipeline: presentBasic(pipeline, url),
        ...(row.status === 'failed' ? { failure_reason: row.failure_reason ?? 'unknown_failure' } : {}),
        web_url: `${url}/-/jobs/${row.id}`,
        project,
      };
      return [[row.id, { fields, locked: pipeline.locked === 1 }] as const];
    }),
  );
}

function projectFields(services: Services, subject: ProjectSubject) {
  const scoped = settingsOf(subject.project).ci_job_token_scope_enabled === true;
  return { url: projectUrl(services, subject), project: { ci_job_token_scope_enabled: scoped } };
}

async function commitsOf(services: Services, subject: ProjectSubject, rows: readonly CiJobRow[]) {
  const own = rows.filter(({ project_id }) => project_id === subject.project.id);
  const shas = [...new Set(own.map(({ sha }) => sha))];
  const commits = await services.git.objects(repositoryOf(services, subject)).commits(shas);
  return commits.flatMap((commit) => (commit ? [[commit.oid, commit] as const] : []));
}

/** Presents jobs of several projects for the job list of a runner. */
export async function presentRunnerJobs(
  services: Services,
  subjects: readonly ProjectSubject[],
  rows: readonly CiJobRow[],
): Promise<RunnerJobEntity[]> {
  const basics = await presentBasics(services, subjects, rows);
  const identities = new Map(
    subjects.map(({ project, namespace }) => [project.id, presentIdentity(project, namespace)]),
  );
  return rows.flatMap((row) => {
    const basic = basics.get(row.id);
    const project = identities.get(row.project_id);
    return basic && project ? { ...basic.fields, project } : [];
  });
}

function seconds(from: number | null, to: number): number | null {
  return from === null ? null : (to - from) / 1000;
}

type UserRow = Awaited<ReturnType<typeof usersOf>>[number];

function presentUser(user: UserRow, externalUrl: string): JobUserEntity {
  const { bio, location, linkedin, twitter, discord, website_url, github, job_title, pronouns, organization } = user;
  const open = user.private_profile === 0;
  return {
    ...presentBasicUser(user, externalUrl),
    ...(open ? { created_at: instant(user.created_at) } : {}),
    bio,
    location,
    linkedin,
    twitter,
    discord,
    website_url,
    github,
    job_title,
    pronouns,
    organization,
    bot: user.kind.endsWith('bot'),
    work_information: workInformation(user),
    ...(open ? { followers: Number(user.followers ?? 0), following: Number(user.following ?? 0) } : {}),
    local_time: localTime(user.timezone),
  };
}
