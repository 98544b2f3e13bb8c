import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import { restrictionProblems } from '../../access/application-settings/visibility.ts';
import { insertNamespace, isPathTaken, moveNamespace } from '../../access/namespaces/addresses.ts';
import { creationLevelsOf, mayCreateSubgroup } from '../../access/namespaces/creation-levels.ts';
import { lockHierarchy, lockNamespaceRow } from '../../access/namespaces/hierarchy.ts';
import { Visibility, type VisibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, readableGroup } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { changeAvatar } from '../../people/avatars/public.ts';
import { mayHavePersonalProjects } from '../../people/users/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { type ErrorMap, rubyDump } from '../../platform/http/responses/ruby-dump.ts';
import { randomToken } from '../../platform/secrets/tokens.ts';
import { addGroupOwner } from '../members/public.ts';
import { detailOf } from './detail/present.ts';
import type { GroupDetailEntity } from './detail/schema.ts';
import {
  combineErrors,
  maxAncestors,
  mayCreateTopLevelGroup,
  takenError,
  textProblems,
  throwTakenError,
  tooDeep,
  visibilityProblems,
} from './rules.ts';
import type { GroupChangeParams, NewGroupParams } from './schema.ts';
import { settingProblems } from './settings/rules.ts';
import { factorProblems, forbidFactorBelow } from './settings/second-factor.ts';
import { type GroupSettings, packSettings, settingsForNew, settingsOfGroup, withChanges } from './settings/values.ts';
import { childDepth, highestVisibilityInside, holdsProject, siblingNamed, updateGroupRow } from './store.ts';

/** Returns the parent group if the caller may create subgroups in it; undefined for a top-level group. */
async function parentFor(
  services: Services,
  caller: SignedInActor,
  id: number | undefined,
): Promise<Namespace | undefined> {
  const { db } = services;
  if (id === undefined) {
    if (!mayCreateTopLevelGroup(caller.user) || !(await mayHavePersonalProjects(services, db.read, caller.user)))
      throw new Forbidden();
    return undefined;
  }
  const parent = await readableGroup(db, caller, id);
  if (!mayCreateSubgroup(parent, creationLevelsOf(parent.group).subgroup)) throw new Forbidden();
  return parent.group;
}

/** Creates a group and makes the caller its Owner. */
export async function createGroup(
  services: Services,
  caller: SignedInActor,
  params: NewGroupParams,
): Promise<GroupDetailEntity> {
  const parent = await parentFor(services, caller, params.parent_id);
  try {
    const id = await insertGroup(services, caller, params, parent);
    return await detailOf(services, caller, id);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw BadRequest.plain(`Failed to save group ${rubyDump(error.errors)}`);
  }
}

async function insertGroup(
  services: Services,
  caller: SignedInActor,
  params: NewGroupParams,
  above: Namespace | undefined,
): Promise<number> {
  const { encryption, settings: instance } = services;
  const name = params.name.trim();
  const { path } = params;
  const description = params.description ?? '';
  const defaults = await instance.read();
  const settings = withChanges(settingsForNew(defaults), params, {
    admin: isAdmin(caller),
    topLevel: above === undefined,
  });
  const own = combineErrors(textProblems({ name, path, description }, above === undefined), settingProblems(settings));
  const now = Date.now();
  return changeAvatar(services, params.avatar, null, async (trx, { avatar = null }) => {
    if (above) await lockHierarchy(trx);
    const parent = above && (await lockNamespaceRow(trx, above.id));
    if (above && !parent) throw new NotFound('Group');
    const visibility = visibilityFor(params.visibility, defaults, parent);
    const problems = combineErrors(
      await placeProblems(trx, parent, name, path),
      own,
      await factorProblems(trx, parent, undefined, settings),
      visibilityProblems(visibility, { parent: parent?.visibility }),
      { visibility_level: restrictionProblems(defaults, caller, visibility) },
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
    await services.announce(trx, 'group.created', { group, by: caller.user });
    await addGroupOwner(services, trx, group.id, caller.user);
    return group.id;
  }).catch(throwTakenError);
}

/** Returns the requested visibility level, or the instance default limited to that of the parent. */
function visibilityFor(
  requested: VisibilityName | undefined,
  { default_group_visibility }: ApplicationSettings,
  parent: Namespace | undefined,
): number {
  if (requested !== undefined) return Visibility[requested];
  return Math.min(Visibility[default_group_visibility], parent?.visibility ?? Visibility.public);
}

async function placeProblems(trx: Writer, parent: Namespace | undefined, name: string, path: string) {
  const fullPath = parent ? `${parent.full_path}/${path}` : path;
  return {
    name: parent && (await siblingNamed(trx, parent.id, name)) ? takenError : [],
    path: (await isPathTaken(trx, fullPath)) ? takenError : [],
    parent_id: parent && (await childDepth(trx, parent.id)) > maxAncestors ? [tooDeep] : [],
  };
}

/** Updates a group; omitted attributes are unchanged. */
export async function updateGroup(
  services: Services,
  caller: SignedInActor,
  { group }: GroupSubject,
  change: GroupChangeParams,
): Promise<GroupDetailEntity> {
  const instance = await services.settings.read();
  await changeAvatar(services, change.avatar, group.avatar, (trx, avatar) =>
    applyChange(services, trx, { caller, instance }, group.id, change, avatar),
  ).catch(throwTakenError);
  return detailOf(services, caller, group.id, { projects: true, secrets: true });
}

/** The caller and the instance settings that apply to the change. */
interface Changing {
  readonly caller: SignedInActor;
  readonly instance: ApplicationSettings;
}

async function applyChange(
  services: Services,
  trx: Writer,
  { caller, instance }: Changing,
  id: number,
  change: GroupChangeParams,
  avatar: { avatar?: string | null },
): Promise<void> {
  await lockHierarchy(trx);
  const group = await lockNamespaceRow(trx, id);
  if (!group) throw new NotFound('Group');
  // The parent is locked too, so that its visibility cannot change while the two are compared.
  const parent = group.parent_id === null ? null : await lockNamespaceRow(trx, group.parent_id);
  if (parent === undefined) throw new NotFound('Group');
  const before = settingsOfGroup(group);
  const settings = withChanges(before, change, { admin: isAdmin(caller), topLevel: parent === null });
  checkSkippedPipelines(change, settings);
  const problems = combineErrors(
    await nameProblems(trx, group, parent, change),
    change.visibility === undefined ? {} : await visibilityOf(trx, group, parent, Visibility[change.visibility]),
    restriction(group, change, { caller, instance }),
    settingProblems(settings),
    await factorProblems(trx, parent, before, settings),
    await templateProblems(trx, group.id, change),
  );
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const { name = group.name, path = group.path } = change;
  if (name !== group.name || path !== group.path) await moveNamespace(trx, group, { name: name.trim(), path, parent });
  const changed = await updateGroupRow(trx, id, {
    ...avatar,
    ...(change.description === undefined ? {} : { description: change.description ?? '' }),
    ...(change.visibility === undefined ? {} : { visibility: Visibility[change.visibility] }),
    settings: packSettings(settings),
  });
  await forbidFactorBelow(trx, group, before, settings);
  await services.announce(trx, 'group.updated', { before: group, group: changed, by: caller.user });
}

function checkSkippedPipelines(change: GroupChangeParams, settings: GroupSettings): void {
  if (!change.allow_merge_on_skipped_pipeline || settings.only_allow_merge_if_pipeline_succeeds) return;
  throw new BadRequest(
    'allow_merge_on_skipped_pipeline can only be enabled when only_allow_merge_if_pipeline_succeeds is true',
  );
}

/** An unchanged path is not validated: it may predate the current rules. */
async function nameProblems(trx: Reader, group: Namespace, parent: Namespace | null, change: GroupChangeParams) {
  const path = change.path === group.path ? undefined : change.path;
  const name = change.name === group.name ? undefined : change.name?.trim();
  const fullPath = parent ? `${parent.full_path}/${path}` : `${path}`;
  const moves = path !== undefined && path.toLowerCase() !== group.path.toLowerCase();
  const { description } = change;
  return combineErrors(textProblems({ name, path, description: description ?? undefined }, parent === null), {
    name: name !== undefined && parent && (await siblingNamed(trx, parent.id, name, group.id)) ? takenError : [],
    path: moves && (await isPathTaken(trx, fullPath)) ? takenError : [],
  });
}

async function visibilityOf(trx: Reader, group: Namespace, parent: Namespace | null, level: number) {
  if (level === group.visibility) return {};
  return visibilityProblems(level, { parent: parent?.visibility, ...(await highestVisibilityInside(trx, group.id)) });
}

function restriction(group: Namespace, { visibility }: GroupChangeParams, { caller, instance }: Changing): ErrorMap {
  if (visibility === undefined || Visibility[visibility] === group.visibility) return {};
  return { visibility_level: restrictionProblems(instance, caller, Visibility[visibility]) };
}

/** File templates must come from a project in the group. */
async function templateProblems(trx: Reader, id: number, change: GroupChangeParams): Promise<ErrorMap> {
  const { file_template_project_id: project } = change;
  if (project == null) return {};
  return { file_template_project_id: (await holdsProject(trx, id, project)) ? [] : ['is invalid'] };
}
