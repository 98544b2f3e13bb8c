import type { Actor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Database } from '../../platform/database/database.ts';
import { Conflict, HttpError } from '../../platform/http/errors.ts';
import { getBranchRule, protectBranch, unprotectBranch, updateBranchRule } from '../protected-refs/public.ts';

/** What the deprecated call can say: developers or not; nothing said leaves a rule as it is. */
export interface LegacyProtection {
  readonly developers_can_push?: boolean;
  readonly developers_can_merge?: boolean;
}

const levelOf = (developers: boolean | undefined) => (developers ? Role.developer : Role.maintainer);

/** Protects one branch, or changes the rule that is there. */
export async function protectLegacy(
  db: Database,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  wanted: LegacyProtection,
): Promise<void> {
  try {
    await protectBranch(db, subject, {
      name,
      push_access_level: levelOf(wanted.developers_can_push),
      merge_access_level: levelOf(wanted.developers_can_merge),
    });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    await changeRule(db, actor, subject, name, wanted);
  }
}

async function changeRule(
  db: Database,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  wanted: LegacyProtection,
): Promise<void> {
  const rule = await getBranchRule(db, subject, name);
  const change = {
    allowed_to_push: replaced(rule.push_access_levels, wanted.developers_can_push),
    allowed_to_merge: replaced(rule.merge_access_levels, wanted.developers_can_merge),
  };
  await updateBranchRule(db, actor, subject, name, change);
}

type Level = { readonly id: number; readonly access_level: number | null };

/** Takes the roles away that contradict what is wanted, and adds the one that fits. */
function replaced(levels: readonly Level[], developers: boolean | undefined) {
  const held = levels.filter((level) => level.access_level !== null);
  const gone =
    developers === undefined ? [] : held.filter((each) => developers || each.access_level === Role.developer);
  if (gone.length === 0 && developers !== true) return [];
  return [...gone.map(({ id }) => ({ id, _destroy: true })), { access_level: levelOf(developers) }];
}

/** Takes the rule over one branch away; fine when there is none. */
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
