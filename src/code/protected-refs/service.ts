import type { Actor } from '../../access/actor.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { BranchAccess, TagAccess } from './access.ts';
import { protectionDefaults, protectsAnything } from './defaults.ts';
import { insertGrants } from './grant-store.ts';
import { pusherOf } from './pusher.ts';
import { insertBranchRule, loadBranchRules, loadTagRules } from './store.ts';

/** Returns the actor's access to the branches of a project; one object answers for all of them. */
export async function branchAccess(db: Reader, actor: Actor, subject: ProjectSubject): Promise<BranchAccess> {
  const rules = await loadBranchRules(db, subject.project);
  const pusher = await pusherOf(db, actor, subject, rules);
  const empty = subject.project.empty_repo === 1 ? protectionDefaults(subject.namespace) : undefined;
  return new BranchAccess(rules, pusher, empty);
}

/** Returns the actor's access to the tags of a project. */
export async function tagAccess(db: Reader, actor: Actor, subject: ProjectSubject): Promise<TagAccess> {
  const rules = await loadTagRules(db, subject.project.id);
  return new TagAccess(rules, await pusherOf(db, actor, subject, rules));
}

/** Protects a newly created default branch as configured in its namespace. */
export async function protectDefaultBranch(
  trx: Writer,
  subject: Pick<ProjectSubject, 'project' | 'namespace'>,
  branch: string,
): Promise<void> {
  const defaults = protectionDefaults(subject.namespace);
  const owner = { project_id: subject.project.id, namespace_id: null };
  if (!protectsAnything(defaults)) return;
  const rule = await insertBranchRule(trx, owner, {
    name: branch,
    allow_force_push: defaults.allow_force_push,
    code_owner_approval_required: false,
  });
  if (!rule) return;
  const grants = (action: 'push' | 'merge', levels: readonly { access_level: number }[]) =>
    levels.map(({ access_level }) => ({ action, access_level, user_id: null, group_id: null, deploy_key_id: null }));
  await insertGrants(trx, { branch_id: rule.id }, [
    ...grants('push', defaults.allowed_to_push),
    ...grants('merge', defaults.allowed_to_merge),
  ]);
}
