import type { Actor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Database } from '../../platform/database/database.ts';
import { Conflict, HttpError } from '../../platform/http/errors.ts';
import { getBranchRule, protectBranch, unprotectBranch, updateBranchRule } from '../protected-refs/public.ts';

/** Parameters of the deprecated protect endpoint. An absent one leaves the existing rule unchanged. */
export interface LegacyProtection {
  readonly developers_can_push?: boolean;
  readonly developers_can_merge?: boolean;
}

const levelOf = (developers: boolean | undefined) => (developers ? Role.developer : Role.maintainer);

/** Protects a branch, or updates its existing rule. */
export async function protectLegacy(
  db: Database,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  protection: LegacyProtection,
): Promise<void> {
  try {
    await protectBranch(db, subject, {
      name,
      push_access_level: levelOf(protection.developers_can_push),
      merge_access_level: levelOf(protection.developers_can_merge),
    });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    await changeRule(db, actor, subject, name, protection);
  }
}

async function changeRule(
  db: Database,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  protection: LegacyProtection,
): Promise<void> {
  const rule = await getBranchRule(db, subject, name);
  const change = {
    allowed_to_push: levelChanges(rule.push_access_levels, protection.developers_can_push),
    allowed_to_merge: levelChanges(rule.merge_access_levels, protection.developers_can_merge),
  };
  await updateBranchRule(db, actor, subject, name, change);
}

type Level = { readonly id: number; readonly access_level: number | null };

/** Access level changes that remove the conflicting roles and add the requested one. */
function levelChanges(levels: readonly Level[], developers: boolean | undefined) {
  const held = levels.filter((level) => level.access_level !== null);
  const obsolete =
    developers === undefined ? [] : held.filter((each) => developers || each.access_level === Role.developer);
  if (obsolete.length === 0 && developers !== true) return [];
  return [...obsolete.map(({ id }) => ({ id, _destroy: true })), { access_level: levelOf(developers) }];
}

/** Removes the protection rule of a branch, if there is one. */
export async function unprotectLegacy(
  db: Database,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
): Promise<void> {
  await unprotectBranch(db, actor, subject, name).catch((error: unknown) => {
    if (!(error instanceof HttpError && error.status === 404)) throw error;
  });
}
