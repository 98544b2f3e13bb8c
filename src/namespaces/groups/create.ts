import { type Actor, isAdmin } from '../../access/actor.ts';
import { addressTaken, insertNamespace } from '../../access/addresses.ts';
import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import { restrictionProblems } from '../../access/application-settings/visibility.ts';
import { creationLevelsOf, mayCreateSubgroup } from '../../access/creation-levels.ts';
import { holdNamespace, holdTree } from '../../access/namespaces.ts';
import { Visibility, type VisibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { readableGroup } from '../../access/subjects.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { changeAvatar } from '../../people/avatars/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { BadRequest, Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import type { ParamsOf } from '../../platform/http/params.ts';
import { rubyDump } from '../../platform/http/ruby-dump.ts';
import { randomToken } from '../../platform/secrets/tokens.ts';
import { detailOf } from './detail.ts';
import type * as params from './params.ts';
import type { GroupDetailEntity } from './schema.ts';
import { packSettings, settingsForNew, withChanges } from './settings.ts';
import { addOwner, levelsAbove, siblingNamed } from './store.ts';
import { gather, settingProblems, textProblems, visibilityProblems } from './validate.ts';

export type NewGroup = ParamsOf<typeof params.creation>;

/** The most groups that may stand above one. */
export const mostAncestors = 20;
export const tooDeep = 'has too deep level of nesting';

const taken = ['has already been taken'];

/** May this user start a tree of groups of their own? */
export function mayCreateTopLevelGroup(user: User): boolean {
  return user.kind === 'human' && user.external !== 1 && user.can_create_group === 1;
}

/** The parent that was named, if the actor may create in it; undefined for a group at the top. */
async function parentFor({ db }: Services, actor: Actor, id: number | undefined): Promise<Namespace | undefined> {
  if (id === undefined) {
    if (!mayCreateTopLevelGroup(actor.user as User)) throw new Forbidden();
    return undefined;
  }
  const parent = await readableGroup(db, actor, id);
  if (!mayCreateSubgroup(parent, creationLevelsOf(parent.group).subgroup)) throw new Forbidden();
  return parent.group;
}

/** Creates a group, whose Owner is then the one who created it. */
export async function createGroup(services: Services, actor: Actor, wanted: NewGroup): Promise<GroupDetailEntity> {
  const parent = await parentFor(services, actor, wanted.parent_id);
  try {
    const id = await changeAvatar(services, wanted.avatar, null, (avatar) =>
      insertGroup(services, actor, wanted, parent, avatar.avatar ?? null),
    );
    return await detailOf(services, actor, id);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw BadRequest.plain(`Failed to save group ${rubyDump(error.errors)}`);
  }
}

async function insertGroup(
  { db, encryption, settings: instance }: Services,
  actor: Actor,
  wanted: NewGroup,
  above: Namespace | undefined,
  avatar: string | null,
): Promise<number> {
  const user = actor.user as User;
  const name = wanted.name.trim();
  const { path } = wanted;
  const description = wanted.description ?? '';
  const defaults = await instance.read();
  const settings = withChanges(settingsForNew(defaults), wanted, {
    admin: isAdmin(actor),
    topLevel: above === undefined,
  });
  const own = gather(textProblems({ name, path, description }, above === undefined), settingProblems(settings));
  const now = Date.now();
  return db
    .write(async (trx) => {
      if (above) await holdTree(trx);
      const parent = above && (await holdNamespace(trx, above.id));
      if (above && !parent) throw new NotFound('Group');
      const visibility = visibilityFor(wanted.visibility, defaults, parent);
      const problems = gather(
        await placeProblems(trx, parent, name, path),
        own,
        visibilityProblems(visibility, { parent: parent?.visibility }),
        { visibility_level: restrictionProblems(defaults, actor, visibility) },
      );
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      const row = {
        kind: 'group' as const,
        parent_id: parent?.id ?? null,
        owner_id: null,
        name,
        path,
        description,
        visibility,
        avatar,
        settings: packSettings(settings),
        runners_token: encryption.encrypt(`GR1348941${randomToken()}`, 'namespaces.runners_token'),
        marked_for_deletion_at: null,
        marked_by_id: null,
        created_at: now,
        updated_at: now,
      };
      const group = await insertNamespace(trx, row, parent);
      await addOwner(trx, group.id, user.id);
      return group.id;
    })
    .catch(asTaken);
}

/** The level that was asked for, else the instance's default, as far as the parent allows it. */
function visibilityFor(
  asked: VisibilityName | undefined,
  { default_group_visibility }: ApplicationSettings,
  parent: Namespace | undefined,
): number {
  if (asked !== undefined) return Visibility[asked];
  return Math.min(Visibility[default_group_visibility], parent?.visibility ?? Visibility.public);
}

async function placeProblems(trx: Writer, parent: Namespace | undefined, name: string, path: string) {
  const fullPath = parent ? `${parent.full_path}/${path}` : path;
  return {
    name: parent && (await siblingNamed(trx, parent.id, name)) ? taken : [],
    path: (await addressTaken(trx, fullPath)) ? taken : [],
    parent_id: parent && (await levelsAbove(trx, parent.id)) > mostAncestors ? [tooDeep] : [],
  };
}

/** Two requests for one address: the constraint decides, and the loser is told as if it had come later. */
export function asTaken(error: unknown): never {
  const broken = uniqueViolation(error);
  if (!broken) throw error;
  throw new Invalid(broken.table === 'namespaces' ? { name: taken } : { path: taken });
}
