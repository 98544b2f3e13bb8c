import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/stored-settings.ts';
import { slug } from '../../../ci/config/public.ts';
import type { RefFacts, RequestRun } from '../../../ci/variables/public.ts';
import { protectedNames } from '../../../code/protected-refs/public.ts';
import { basicUsers } from '../../../people/users/public.ts';
import { labelsById } from '../../../planning/labels/public.ts';
import { milestonesById } from '../../../planning/milestones/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import { isApproved, rulesOf } from '../approvals/evaluate.ts';
import { headRef } from '../mergeability/check.ts';
import { mergeSettings, squashes } from '../settings.ts';
import { approvals, assigneeIds, labelIds, openFrom, projectPathsOf, requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { listVersions } from '../versions/store.ts';

const maxDescriptionLength = 2700;

/** What a merge request pipeline runs on: the head, or a merge result of two tips. */
export interface RunsOn {
  readonly ref: string;
  readonly merges?: { readonly source: string; readonly target: string } | undefined;
}

function eventType({ ref, merges }: RunsOn): string {
  if (!merges) return 'detached';
  return ref.endsWith('/train') ? 'merge_train' : 'merged_result';
}

function ifSet(key: string, value: string | undefined): Record<string, string> {
  return value ? { [key]: value } : {};
}

/** Predefined CI/CD variables of a merge request pipeline. */
export async function requestVariables(
  services: Services,
  db: Reader,
  request: MergeRequestRow,
  runsOn: RunsOn,
): Promise<Record<string, string>> {
  const { externalUrl } = services;
  const ids = [request.id];
  const projects = [request.project_id, ...(request.source_project_id === null ? [] : [request.source_project_id])];
  const [places, labels, assigned, approving, rules, milestones, [version]] = await Promise.all([
    projectPathsOf(db, projects),
    labelIds(db, ids),
    assigneeIds(db, ids),
    approvals(db, ids),
    rulesOf(services, db, [request]),
    milestonesById(db, [request.milestone_id]),
    listVersions(db, request.id),
  ]);
  const people = assigned.get(request.id) ?? [];
  const [titles, users, guarded] = await Promise.all([
    labelsById(db, labels.get(request.id) ?? []),
    basicUsers(db, people, externalUrl),
    protectedNames(db, [...places.values()]),
  ]);
  const target = places.get(request.project_id);
  const source = request.source_project_id === null ? undefined : places.get(request.source_project_id);
  const settings = mergeSettings(target ? settingsOf(target) : {});
  const names = people.flatMap((id) => users.get(id)?.username ?? []);
  const isProtected = (projectId: number | null, branch: string) =>
    (guarded.get(projectId ?? 0) ?? []).some(({ name }) => matchesWildcard(name, branch));
  const approverIds = (approving.get(request.id) ?? []).map(({ user_id }) => user_id);
  const approved = isApproved(request, settings, rules.get(request.id) ?? [], approverIds);
  const description = request.description ?? '';
  return {
    CI_COMMIT_REF_NAME: request.source_branch,
    CI_COMMIT_REF_SLUG: slug(request.source_branch),
    CI_OPEN_MERGE_REQUESTS: `${target?.path ?? ''}!${request.iid}`,
    CI_MERGE_REQUEST_ID: `${request.id}`,
    CI_MERGE_REQUEST_IID: `${request.iid}`,
    CI_MERGE_REQUEST_TITLE: request.title,
    CI_MERGE_REQUEST_DESCRIPTION: description.slice(0, maxDescriptionLength),
    CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: `${description.length > maxDescriptionLength}`,
    CI_MERGE_REQUEST_DRAFT: `${request.draft === 1}`,
    CI_MERGE_REQUEST_EVENT_TYPE: eventType(runsOn),
    CI_MERGE_REQUEST_REF_PATH: runsOn.merges ? runsOn.ref : headRef(request),
    CI_MERGE_REQUEST_PROJECT_ID: `${request.project_id}`,
    CI_MERGE_REQUEST_PROJECT_PATH: target?.path ?? '',
    CI_MERGE_REQUEST_PROJECT_URL: `${externalUrl}/${target?.path ?? ''}`,
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: `${request.source_project_id ?? ''}`,
    CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: source?.path ?? '',
    CI_MERGE_REQUEST_SOURCE_PROJECT_URL: source ? `${externalUrl}/${source.path}` : '',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: request.source_branch,
    CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED: `${isProtected(request.source_project_id, request.source_branch)}`,
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: runsOn.merges?.source ?? '',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: request.target_branch,
    CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: `${isProtected(request.project_id, request.target_branch)}`,
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: runsOn.merges?.target ?? '',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: request.base_sha ?? '',
    CI_MERGE_REQUEST_SQUASH_ON_MERGE: `${squashes(settings, request)}`,
    // Rules can test whether these variables are defined.
    ...ifSet('CI_MERGE_REQUEST_DIFF_ID', version && `${version.id}`),
    ...ifSet('CI_MERGE_REQUEST_LABELS', titles.map(({ title }) => title).join(',')),
    ...ifSet('CI_MERGE_REQUEST_MILESTONE', milestones.get(request.milestone_id ?? 0)?.title),
    ...ifSet('CI_MERGE_REQUEST_ASSIGNEES', names.join(', ')),
    ...ifSet('CI_MERGE_REQUEST_APPROVED', approved && approverIds.length > 0 ? 'true' : undefined),
  };
}

const maxNamed = 4;

/** `CI_OPEN_MERGE_REQUESTS`: open merge requests of a branch, used by rules to avoid duplicate pipelines. */
export async function openRequestsOf(
  _services: Services,
  db: Reader,
  { projectId, kind, ref }: RefFacts,
): Promise<Record<string, string>> {
  if (kind !== 'branch') return {};
  const requests = (await openFrom(db, projectId, ref)).slice(0, maxNamed);
  const places = await projectPathsOf(db, [...new Set(requests.map(({ project_id }) => project_id))]);
  const named = requests.map(({ project_id, iid }) => `${places.get(project_id)?.path ?? ''}!${iid}`);
  return named.length === 0 ? {} : { CI_OPEN_MERGE_REQUESTS: named.join(',') };
}

/** Predefined variables of an existing merge request pipeline. */
export async function pipelineVariables(
  services: Services,
  db: Reader,
  { merge_request_id: id, ref, source_sha: source, target_sha: target }: RequestRun,
): Promise<Record<string, string>> {
  const request = id === null ? undefined : await requestById(db, id);
  if (!request) return {};
  const merges = source === null || target === null ? undefined : { source, target };
  return requestVariables(services, db, request, { ref, merges });
}
