import type { SignedInActor } from '../../../access/actor.ts';
import { isProject } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { featureLevel } from '../../../access/subjects.ts';
import { pipelinesById } from '../../../ci/pipelines/public.ts';
import type { MovedRef } from '../../../code/pushes/public.ts';
import { stateOf } from '../../../planning/issues/public.ts';
import { firstPage, titleOf } from '../../../planning/wikis/public.ts';
import { Unprocessable } from '../../../platform/http/errors.ts';
import { stateOfRequest } from '../../../review/merge-requests/public.ts';
import { deliverNow } from '../deliveries/deliver.ts';
import { countSent } from '../deliveries/service.ts';
import { type EventSwitch, eventKinds, systemEvent } from '../events.ts';
import type { HookOwner } from '../hooks/owner.ts';
import { requireHook } from '../hooks/service.ts';
import { expiringTokenPayload } from '../payloads/access-token.ts';
import { jobPayload, pipelinePayload } from '../payloads/ci.ts';
import { deploymentPayload } from '../payloads/deployment.ts';
import { emojiPayload } from '../payloads/emoji.ts';
import { featureFlagPayload } from '../payloads/feature-flag.ts';
import { issuePayload } from '../payloads/issue.ts';
import { requestPayload } from '../payloads/merge-request.ts';
import { milestonePayload } from '../payloads/milestone.ts';
import { notePayload } from '../payloads/note.ts';
import { locateProject, type ProjectWithNamespace } from '../payloads/parts.ts';
import { pushPayload } from '../payloads/push.ts';
import { releasePayload } from '../payloads/release.ts';
import { wikiPagePayload } from '../payloads/wiki-page.ts';
import { environmentOf, newest, newestTokenOf, projectInside } from './store.ts';

const missing = (what: string) => new Unprocessable(`Ensure the project has ${what}.`);

async function pushed(
  services: Services,
  caller: SignedInActor,
  located: ProjectWithNamespace,
  kind: 'branch' | 'tag',
) {
  const { git } = services;
  const repo = git.repository(located.project.id);
  const prefix = kind === 'tag' ? 'refs/tags/' : 'refs/heads/';
  const refs = located.project.empty_repo === 1 ? [] : await git.listRefs(repo, prefix);
  const refName = `${prefix}${located.project.default_branch ?? 'main'}`;
  const found = refs.find(({ name }) => name === refName) ?? refs.at(-1);
  if (!found) throw missing(kind === 'tag' ? 'at least one tag' : 'at least one commit');
  const ref: MovedRef = {
    ref: found.name,
    old: null,
    new: found.oid,
    kind,
    name: found.name.slice(prefix.length),
    action: 'created',
    commitCount: 0,
    commitTitle: null,
  };
  return pushPayload(services, located, { ref, user: caller.user, isProtected: false, pushOptions: [] });
}

async function aboutIssue(services: Services, caller: SignedInActor, located: ProjectWithNamespace, hidden: boolean) {
  const { read } = services.db;
  const issue =
    (await newest(read, 'issues', located.project.id, hidden)) ?? (await newest(read, 'issues', located.project.id));
  if (!issue) throw missing('issues');
  return issuePayload(services, read, located, caller.user, { action: 'open', after: await stateOf(read, issue) });
}

async function aboutNote(services: Services, caller: SignedInActor, located: ProjectWithNamespace, hidden: boolean) {
  const note = await newest(services.db.read, 'notes', located.project.id);
  if (!note) throw missing('notes');
  return notePayload(services, services.db.read, located, caller.user, { action: 'create', note, hidden });
}

async function aboutRequest(services: Services, caller: SignedInActor, located: ProjectWithNamespace) {
  const { read } = services.db;
  const request = await newest(read, 'merge_requests', located.project.id);
  if (!request) throw missing('merge requests');
  const after = await stateOfRequest(read, request);
  return requestPayload(services, read, located, caller.user, { action: 'open', after });
}

async function aboutCi(services: Services, located: ProjectWithNamespace, name: 'job_events' | 'pipeline_events') {
  const { read } = services.db;
  if (name === 'job_events') {
    const job = await newest(read, 'ci_jobs', located.project.id);
    const [pipeline] = job ? await pipelinesById(read, [job.pipeline_id]) : [];
    if (!job || !pipeline) throw missing('CI jobs');
    return jobPayload(services, located, job, pipeline);
  }
  const pipeline = await newest(read, 'pipelines', located.project.id);
  if (!pipeline) throw missing('CI pipelines');
  return pipelinePayload(services, located, pipeline);
}

async function aboutRelease(services: Services, located: ProjectWithNamespace) {
  const release = await newest(services.db.read, 'releases', located.project.id);
  if (!release) throw missing('releases');
  return releasePayload(services, services.db.read, located, { action: 'create', release });
}

async function aboutMilestone(services: Services, located: ProjectWithNamespace) {
  const milestone = await newest(services.db.read, 'milestones', located.project.id);
  if (!milestone) throw missing('milestones');
  return milestonePayload(services, { located }, { action: 'create', milestone });
}

async function aboutDeployment(services: Services, located: ProjectWithNamespace) {
  const { read } = services.db;
  const deployment = await newest(read, 'deployments', located.project.id);
  const environment = deployment && (await environmentOf(read, deployment.environment_id));
  if (!deployment || !environment) throw missing('deployments');
  return deploymentPayload(services, read, located, { deployment, environment });
}

async function aboutFeatureFlag(services: Services, caller: SignedInActor, located: ProjectWithNamespace) {
  const flag = await newest(services.db.read, 'feature_flags', located.project.id);
  if (!flag) throw missing('feature flags');
  return featureFlagPayload(services, located, caller.user, flag);
}

async function aboutToken(services: Services, located: ProjectWithNamespace) {
  const token = await newestTokenOf(services.db.read, located.project.id);
  if (!token) throw missing('access tokens');
  return expiringTokenPayload(services, { located }, token);
}

/** An emoji reaction to the newest note, as if the caller had just added it. */
async function aboutEmoji(services: Services, caller: SignedInActor, located: ProjectWithNamespace) {
  const note = await newest(services.db.read, 'notes', located.project.id);
  if (!note) throw missing('notes');
  const now = Date.now();
  const award = {
    id: 1,
    name: 'thumbsup',
    user_id: caller.user.id,
    awardable_type: 'Note',
    awardable_id: note.id,
    project_id: located.project.id,
    namespace_id: null,
    created_at: now,
    updated_at: now,
  };
  const about = { type: note.noteable_type, id: note.noteable_id };
  return emojiPayload(services, services.db.read, located, caller.user, { action: 'award', award, about });
}

async function aboutWikiPage(services: Services, caller: SignedInActor, located: ProjectWithNamespace) {
  const owner = { project_id: located.project.id, namespace_id: null };
  const page = featureLevel(located.project, 'wiki') > 0 ? await firstPage(services, owner) : undefined;
  if (!page) throw new Unprocessable('Ensure the wiki is enabled and has pages.');
  const { slug, format, content, message, version } = page;
  const change = { owner, actorId: caller.user.id, slug, title: titleOf(slug), format, content, message, version };
  return wikiPagePayload(services, located, caller.user, { action: 'create', ...change });
}

/** Builds a sample payload from the newest object of its kind in the project. */
export function sample(
  services: Services,
  caller: SignedInActor,
  located: ProjectWithNamespace,
  name: EventSwitch,
): Promise<object> {
  if (name === 'push_events') return pushed(services, caller, located, 'branch');
  if (name === 'tag_push_events') return pushed(services, caller, located, 'tag');
  if (name === 'issues_events' || name === 'confidential_issues_events') {
    return aboutIssue(services, caller, located, name === 'confidential_issues_events');
  }
  if (name === 'note_events' || name === 'confidential_note_events') {
    return aboutNote(services, caller, located, name === 'confidential_note_events');
  }
  if (name === 'merge_requests_events') return aboutRequest(services, caller, located);
  if (name === 'job_events' || name === 'pipeline_events') return aboutCi(services, located, name);
  if (name === 'releases_events') return aboutRelease(services, located);
  if (name === 'milestone_events') return aboutMilestone(services, located);
  if (name === 'deployment_events') return aboutDeployment(services, located);
  if (name === 'feature_flag_events') return aboutFeatureFlag(services, caller, located);
  if (name === 'resource_access_token_events') return aboutToken(services, located);
  if (name === 'emoji_events') return aboutEmoji(services, caller, located);
  if (name === 'wiki_page_events') return aboutWikiPage(services, caller, located);
  throw missing(nouns[name] ?? 'something to tell of');
}

/** Events that are never triggered. */
const nouns: Readonly<Partial<Record<EventSwitch, string>>> = {
  vulnerability_events: 'vulnerabilities',
};

/** Tests a webhook; the response says whether the receiver was reachable. */
export async function testHook(
  services: Services,
  caller: SignedInActor,
  owner: Exclude<HookOwner, 'instance'>,
  { hook_id, trigger }: { readonly hook_id: number; readonly trigger: EventSwitch },
): Promise<{ message: string }> {
  const hook = await requireHook(services, owner, hook_id);
  const { read } = services.db;
  const projectId = isProject(owner) ? owner.project.id : await projectInside(read, owner.group.id);
  const located = projectId === undefined ? undefined : await locateProject(read, projectId);
  if (!located) throw new Unprocessable('Ensure the group has a project with commits.');
  await countSent(services, caller, hook.id, 'web_hook_test');
  const payload = await sample(services, caller, located, trigger);
  const { header, trigger: logged } = eventKinds[trigger];
  const outcome = await deliverNow(services, hook, { event: header, trigger: logged, payload });
  if (outcome.status === null) throw new Unprocessable(outcome.failure);
  return { message: '201 Created' };
}

/** Tests a system hook with an example project and returns the payload that was sent. */
export async function testSystemHook(
  services: Services,
  caller: SignedInActor,
  hookId: number,
): Promise<typeof example> {
  const hook = await requireHook(services, 'instance', hookId);
  await countSent(services, caller, hook.id, 'web_hook_test');
  await deliverNow(services, hook, { event: systemEvent.header, trigger: systemEvent.trigger, payload: example });
  return example;
}

const example = {
  event_name: 'project_create',
  name: 'Ruby',
  path: 'ruby',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'example@example.com',
};
