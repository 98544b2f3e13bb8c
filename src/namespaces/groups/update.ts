import { type Actor, isAdmin } from '../../access/actor.ts';
import { addressTaken, moveNamespace } from '../../access/addresses.ts';
import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import { restrictionProblems } from '../../access/application-settings/visibility.ts';
import { holdNamespace, holdTree } from '../../access/namespaces.ts';
import { Visibility } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { changeAvatar } from '../../people/avatars/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { BadRequest, Invalid, NotFound } from '../../platform/http/errors.ts';
import type { ParamsOf } from '../../platform/http/params.ts';
import type { ErrorMap } from '../../platform/http/ruby-dump.ts';
import { asTaken } from './create.ts';
import { detailOf } from './detail.ts';
import type * as params from './params.ts';
import type { GroupDetailEntity } from './schema.ts';
import { type GroupSettings, packSettings, settingsOfGroup, withChanges } from './settings.ts';
import { siblingNamed, updateGroupRow, widestInside } from './store.ts';
import { gather, settingProblems, textProblems, visibilityProblems } from './validate.ts';

export type GroupChange = ParamsOf<typeof params.update>;

const taken = ['has already been taken'];

/** Changes a group; what is not named stays. */
export async function updateGroup(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  change: GroupChange,
): Promise<GroupDetailEntity> {
  const instance = await services.settings.read();
  await changeAvatar(services, change.avatar, group.avatar, (avatar) =>
    services.db.write((trx) => applyChange(trx, { actor, instance }, group.id, change, avatar)).catch(asTaken),
  );
  return detailOf(services, actor, group.id, { projects: true, secrets: true });
}

/** Who changes a group, and what the instance allows. */
interface Change {
  readonly actor: Actor;
  readonly instance: ApplicationSettings;
}

async function applyChange(
  trx: Writer,
  { actor, instance }: Change,
  id: number,
  change: GroupChange,
  avatar: { avatar?: string | null },
): Promise<void> {
  await holdTree(trx);
  const group = await holdNamespace(trx, id);
  if (!group) throw new NotFound('Group');
  // Held too: neither may become wider or narrower than the other allows while this one is compared with it.
  const parent = group.parent_id === null ? null : await holdNamespace(trx, group.parent_id);
  if (parent === undefined) throw new NotFound('Group');
  const settings = withChanges(settingsOfGroup(group), change, { admin: isAdmin(actor), topLevel: parent === null });
  checkSkippedPipelines(change, settings);
  const problems = gather(
    await nameProblems(trx, group, parent, change),
    change.visibility === undefined ? {} : await visibilityOf(trx, group, parent, Visibility[change.visibility]),
    restriction(group, change, { actor, instance }),
    settingProblems(settings),
    await templateProblems(trx, group.id, change),
  );
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const { name = group.name, path = group.path } = change;
  if (name !== group.name || path !== group.path) await moveNamespace(trx, group, { name: name.trim(), path, parent });
  await updateGroupRow(trx, id, {
    ...avatar,
    ...(change.description === undefined ? {} : { description: change.description ?? '' }),
    ...(change.visibility === undefined ? {} : { visibility: Visibility[change.visibility] }),
    settings: packSettings(settings),
  });
}

function checkSkippedPipelines(change: GroupChange, settings: GroupSettings): void {
  if (!change.allow_merge_on_skipped_pipeline || settings.only_allow_merge_if_pipeline_succeeds) return;
  throw new BadRequest(
    'allow_merge_on_skipped_pipeline can only be enabled when only_allow_merge_if_pipeline_succeeds is true',
  );
}

/** A path that stays is not checked: it may come from a time of other rules. */
async function nameProblems(trx: Reader, group: Namespace, parent: Namespace | null, change: GroupChange) {
  const path = change.path === group.path ? undefined : change.path;
  const name = change.name === group.name ? undefined : change.name?.trim();
  const fullPath = parent ? `${parent.full_path}/${path}` : `${path}`;
  const moves = path !== undefined && path.toLowerCase() !== group.path.toLowerCase();
  const { description } = change;
  return gather(textProblems({ name, path, description: description ?? undefined }, parent === null), {
    name: name !== undefined && parent && (await siblingNamed(trx, parent.id, name, group.id)) ? taken : [],
    path: moves && (await addressTaken(trx, fullPath)) ? taken : [],
  });
}

async function visibilityOf(trx: Reader, group: Namespace, parent: Namespace | null, level: number) {
  if (level === group.visibility) return {};
  return visibilityProblems(level, { parent: parent?.visibility, ...(await widestInside(trx, group.id)) });
}

function restriction(group: Namespace, { visibility }: GroupChange, { actor, instance }: Change): ErrorMap {
  if (visibility === undefined || Visibility[visibility] === group.visibility) return {};
  return { visibility_level: restrictionProblems(instance, actor, Visibility[visibility]) };
}

/** Templates come from a project of the group itself. */
async function templateProblems(trx: Reader, id: number, change: GroupChange): Promise<ErrorMap> {
  const { file_template_project_id: project } = change;
  if (project == null) return {};
  const found = await trx
    .selectFrom('projects as p')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .select('p.id')
    .where('p.id', '=', project)
    .where('a.ancestor_id', '=', id)
    .executeTakeFirst();
  return { file_template_project_id: found ? [] : ['is invalid'] };
}
