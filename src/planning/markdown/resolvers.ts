import type { ProjectSubject } from '../../access/subjects.ts';
import { visibleGroupIds } from '../../access/visibility/visible-ids.ts';
import { resolveCommit } from '../../code/repository/public.ts';
import { commitTitle } from '../../platform/git/objects/commit.ts';
import { type Reference, type ResolvedReference, referenceKey } from './references/reference.ts';
import { type ReferenceContext, type ReferenceResolver, referencePathPrefix } from './resolve.ts';
import { groupsAt, usersNamed } from './store.ts';

/** Maximum number of commits resolved, because each is read from its repository. */
const MAX_COMMITS = 100;

/** Resolves `@user`, `@group`, and `@all` for the members of the project. */
const resolvePeople: ReferenceResolver['resolve'] = async ({ db }, place, references) => {
  const names = references.flatMap((reference) => (reference.type === 'user' ? [reference.name] : []));
  const lower = [...new Set(names.map((name) => name.toLowerCase()))];
  const [users, groups] = await Promise.all([
    usersNamed(
      db.read,
      lower.filter((name) => !name.includes('/')),
    ),
    groupsAt(db.read, lower),
  ]);
  const visible = await visibleGroupIds(
    db.read,
    place.reader,
    groups.map(({ id }) => id),
  );
  const found = new Map<string, ResolvedReference>();
  for (const { id, full_path: path, name } of groups) {
    const group = { href: place.webPath(`groups/${path}`), text: `@${path}`, title: name, groupId: id };
    if (visible.has(id)) found.set(path.toLowerCase(), group);
  }
  for (const { id, username, name } of users) {
    found.set(username.toLowerCase(), { href: place.webPath(username), text: `@${username}`, title: name, id });
  }
  if (place.project) {
    const { fullPath, project } = place.project;
    found.set('all', {
      href: place.webPath(fullPath),
      text: '@all',
      title: 'All Project Members',
      projectId: project.id,
    });
  }
  return new Map(
    names.flatMap((name) => {
      const one = found.get(name.toLowerCase());
      return one ? [[referenceKey({ type: 'user', name }), one] as const] : [];
    }),
  );
};

type CommitReference = Extract<Reference, { type: 'commit' | 'commit_range' }>;

async function resolveOne(
  services: Parameters<ReferenceResolver['resolve']>[0],
  place: ReferenceContext,
  reference: CommitReference,
  subject: ProjectSubject,
): Promise<ResolvedReference | undefined> {
  const commitOf = async (sha: string) => {
    const commit = await resolveCommit(services, subject, sha);
    // `resolveCommit` may have found a branch whose name looks like an abbreviated commit ID.
    return commit?.oid.startsWith(sha) ? commit : undefined;
  };
  const path = referencePathPrefix(place, subject);
  const prefix = path === '' ? '' : `${path}@`;
  const page = `${place.webPath(subject.fullPath)}/-`;
  const projectId = subject.project.id;
  if (reference.type === 'commit') {
    const commit = await commitOf(reference.sha);
    if (commit === undefined) return undefined;
    const title = commitTitle(commit.message);
    return { href: `${page}/commit/${commit.oid}`, text: `${prefix}${commit.oid.slice(0, 8)}`, title, projectId };
  }
  const [from, to] = [await commitOf(reference.from), await commitOf(reference.to)];
  if (from === undefined || to === undefined) return undefined;
  const text = `${prefix}${from.oid.slice(0, 8)}${reference.dots}${to.oid.slice(0, 8)}`;
  return { href: `${page}/compare/${from.oid}${reference.dots}${to.oid}`, text, projectId };
}

/** Resolves commit IDs and commit ranges. */
const resolveCommits: ReferenceResolver['resolve'] = async (services, place, references) => {
  const found = new Map<string, ResolvedReference>();
  for (const reference of references.slice(0, MAX_COMMITS)) {
    if (reference.type !== 'commit' && reference.type !== 'commit_range') continue;
    const subject = place.projectOf(reference);
    if (!subject?.can('read_code')) continue;
    const resolved = await resolveOne(services, place, reference, subject);
    if (resolved) found.set(referenceKey(reference), resolved);
  }
  return found;
};

/**
 * Resolves users, groups and commits here, because their areas are in lower layers and cannot contribute to Markdown.
 */
export const peopleAndCommits: ReferenceResolver = {
  types: ['user', 'commit', 'commit_range'],
  resolve: async (...asked) => new Map([...(await resolvePeople(...asked)), ...(await resolveCommits(...asked))]),
};
