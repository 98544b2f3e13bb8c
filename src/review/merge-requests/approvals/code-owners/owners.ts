import { Role } from '../../../../access/roles.ts';
import type { Services } from '../../../../access/services.ts';
import { projectLevels } from '../../../../access/visibility/levels.ts';
import { codeOwnersAt, codeOwnersOfChanges, type OwnedPart } from '../../../../code/code-owners/public.ts';
import { findProject } from '../../../../namespaces/projects/public.ts';
import { userByEmail } from '../../../../people/users/public.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { groupsAt, type OwnerRule, usersByUsername } from './store.ts';

/** Maximum number of users and groups looked up per CODEOWNERS file. */
const maxNames = 1000;

/** The CODEOWNERS entries of the target branch that match files differing between two commits. */
export async function matchingOwnerEntries(
  services: Services,
  { project_id }: Pick<MergeRequestRow, 'project_id'>,
  target: string,
  from: string,
  to: string,
): Promise<readonly OwnedPart[]> {
  const objects = services.git.objects(services.git.repository(project_id));
  const file = await codeOwnersAt(objects, target);
  return file ? codeOwnersOfChanges(objects, file, from, to) : [];
}

/**
 * Rules with the code owners who can approve in the project; other users and groups named in the file are not revealed.
 */
export async function ownerRules(
  services: Services,
  { project_id }: Pick<MergeRequestRow, 'project_id'>,
  parts: readonly OwnedPart[],
): Promise<OwnerRule[]> {
  if (parts.length === 0) return [];
  const { read } = services.db;
  const project = await findProject(read, project_id);
  if (!project) return [];
  const all = <T>(of: (part: OwnedPart) => readonly T[]) => [...new Set(parts.flatMap(of))].slice(0, maxNames);
  const names = all(({ owners }) => owners.names.map((name) => name.toLowerCase()));
  const emails = all(({ owners }) => owners.emails.map((email) => email.toLowerCase()));
  const [called, groups, ...written] = await Promise.all([
    usersByUsername(read, names),
    groupsAt(read, project, names),
    ...emails.map((email) => userByEmail(read, email)),
  ]);
  const byEmail = new Map(emails.flatMap((email, at) => (written[at] ? [[email, written[at].id] as const] : [])));
  const able = new Set<number>();
  for (const id of new Set([...called.values(), ...byEmail.values()])) {
    if ((await projectLevels(read, id, project)).highest >= Role.developer) able.add(id);
  }
  const unique = (ids: readonly (number | undefined)[]) =>
    [...new Set(ids.filter((id) => id !== undefined))].sort((one, two) => one - two);
  return parts.map(({ section, pattern, owners }) => ({
    section: section.name,
    pattern,
    approvals: section.optional ? 0 : section.approvals,
    userIds: unique([
      ...owners.names.map((name) => called.get(name.toLowerCase())),
      ...owners.emails.map((email) => byEmail.get(email.toLowerCase())),
    ]).filter((id) => able.has(id)),
    groupIds: unique(owners.names.map((name) => groups.get(name.toLowerCase()))),
    levels: unique(owners.levels),
  }));
}
