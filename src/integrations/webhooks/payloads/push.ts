import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { type MovedRef, treeChanges } from '../../../code/pushes/public.ts';
import { encodePath } from '../../../code/repository/public.ts';
import { userAvatarUrl } from '../../../people/users/public.ts';
import { type Commit, commitTitle } from '../../../platform/git/objects/commit.ts';
import { identitySecond } from '../../../platform/git/objects/identity.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { EMPTY_TREE } from '../../../platform/git/trees/tree.ts';
import { gitRepositoryPart, type ProjectWithNamespace, projectPart, webUrl } from './parts.ts';

const maxCommits = 20;
const maxFiles = 3000;
const nothing = '0'.repeat(40);

/** A commit in a payload. */
export function commitPart(commit: Commit, projectUrl: string) {
  return {
    id: commit.oid,
    message: commit.message,
    title: commitTitle(commit.message),
    timestamp: identitySecond(commit.committer),
    url: `${projectUrl}/-/commit/${encodePath(commit.oid)}`,
    author: { name: commit.author.name, email: commit.author.email || '[REDACTED]' },
  };
}

/** Attributes of the user who pushed; null values for a deploy key without owner. */
function pusherPart(services: Services, user: User | undefined) {
  return {
    user_id: user?.id ?? null,
    user_name: user?.name ?? null,
    user_username: user?.username ?? null,
    user_email: user?.public_email ?? '',
    user_avatar: user ? userAvatarUrl(user, services.externalUrl) : null,
  };
}

/**
 * Returns the new commits of a branch, oldest first: since its old tip or, for a new branch, since the default branch.
 */
async function newCommits(
  { git }: Services,
  repo: Repository,
  located: ProjectWithNamespace,
  ref: MovedRef,
): Promise<Commit[]> {
  if (ref.new === null) return [];
  const objects = git.objects(repo);
  const tip = await objects.commitId(ref.new);
  if (tip === null) return [];
  if (ref.kind === 'tag') return (await objects.commits([tip])).filter((commit) => commit !== null);
  const { default_branch } = located.project;
  const base =
    ref.old ??
    (default_branch === null || default_branch === ref.name
      ? null
      : await git.readRef(repo, `refs/heads/${default_branch}`));
  const exclude = base === null ? [] : [base];
  return (await git.commits(repo, { tips: [tip], exclude, limit: maxCommits })).reverse();
}

async function filesOf({ git }: Services, repo: Repository, commit: Commit) {
  const objects = git.objects(repo);
  const [parent] = commit.parents;
  const before = parent === undefined ? undefined : await objects.commit(parent);
  const changes = (await treeChanges(objects, before?.tree ?? EMPTY_TREE, commit.tree, maxFiles)) ?? [];
  const named = (predicate: (change: (typeof changes)[number]) => boolean) =>
    changes.filter(predicate).map(({ path }) => path);
  return {
    added: named(({ added }) => added),
    modified: named(({ added, blob }) => !added && blob !== null),
    removed: named(({ blob }) => blob === null),
  };
}

async function tagMessage({ git }: Services, repo: Repository, ref: MovedRef): Promise<string | null> {
  if (ref.kind !== 'tag' || ref.new === null) return null;
  const tag = await git.objects(repo).tag(ref.new);
  return tag ? tag.message.trimEnd() : null;
}

/** Payload for a push to one branch or tag. */
export async function pushPayload(
  services: Services,
  located: ProjectWithNamespace,
  { ref, user, isProtected, pushOptions }: PushedRef,
): Promise<object> {
  const repo = services.git.repository(located.project.id);
  const url = webUrl(services, located);
  const commits = await newCommits(services, repo, located, ref);
  const described: object[] = [];
  for (const commit of commits) {
    described.push({ ...commitPart(commit, url), ...(await filesOf(services, repo, commit)) });
  }
  const kind = ref.kind === 'tag' ? 'tag_push' : 'push';
  const checkedOut = ref.new === null ? null : await services.git.objects(repo).commitId(ref.new);
  return {
    object_kind: kind,
    event_name: kind,
    before: ref.old ?? nothing,
    after: ref.new ?? nothing,
    ref: ref.ref,
    ref_protected: isProtected,
    checkout_sha: checkedOut,
    message: await tagMessage(services, repo, ref),
    ...pusherPart(services, user),
    project_id: located.project.id,
    project: projectPart(services, located),
    commits: described,
    total_commits_count: Math.max(ref.commitCount, described.length),
    push_options: optionsPart(pushOptions),
    repository: gitRepositoryPart(services, located),
  };
}

/** An updated ref, and the user who pushed it. */
export interface PushedRef {
  readonly ref: MovedRef;
  readonly user: User | undefined;
  readonly isProtected: boolean;
  readonly pushOptions: readonly string[];
}

/** Parses push options: `ci.skip` and `ci.variable=A=1` become `{"ci": {"skip": true, "variable": {"A=1": 1}}}`. */
export function optionsPart(options: readonly string[]): Record<string, Record<string, unknown>> {
  const parts: Record<string, Record<string, unknown>> = {};
  for (const option of options) {
    const [, space = '', name = '', value] = /^([a-z_]+)\.([a-z_]+)(?:=(.*))?$/s.exec(option) ?? [];
    if (space === '') continue;
    parts[space] = { ...parts[space], [name]: value ?? true };
  }
  return parts;
}

/** Payload that system hooks get for a whole push. */
export function repositoryUpdatePayload(
  services: Services,
  located: ProjectWithNamespace,
  user: User | undefined,
  refs: readonly MovedRef[],
): object {
  const { user_username: _, ...pusher } = pusherPart(services, user);
  return {
    event_name: 'repository_update',
    ...pusher,
    project_id: located.project.id,
    project: projectPart(services, located),
    changes: refs.map((ref) => ({ before: ref.old ?? nothing, after: ref.new ?? nothing, ref: ref.ref })),
    refs: refs.map(({ ref }) => ref),
  };
}
