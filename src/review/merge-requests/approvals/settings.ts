import Type, { type Static } from 'typebox';
import type { Services } from '../../../access/services.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { settingsAbove, storedSettings } from './store.ts';

const flags = {
  reset_approvals_on_push: Type.Boolean(),
  merge_requests_author_approval: Type.Boolean(),
  merge_requests_disable_committers_approval: Type.Boolean(),
  disable_overriding_approvers_per_merge_request: Type.Boolean(),
  selective_code_owner_removals: Type.Boolean(),
  require_password_to_approve: Type.Boolean(),
  require_reauthentication_to_approve: Type.Boolean(),
};
export const settingNames = Object.keys(flags) as (keyof typeof flags)[];
export type ApprovalSettings = Static<ReturnType<typeof Type.Object<typeof flags>>>;

const read = storedJson(Type.Partial(Type.Object(flags)));

const defaults: ApprovalSettings = {
  reset_approvals_on_push: true,
  merge_requests_author_approval: true,
  merge_requests_disable_committers_approval: false,
  disable_overriding_approvers_per_merge_request: false,
  selective_code_owner_removals: false,
  require_password_to_approve: false,
  require_reauthentication_to_approve: false,
};

/** The restrictive values: a group that sets one of them enforces it for everything below. */
const strict: ApprovalSettings = {
  reset_approvals_on_push: true,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: true,
  disable_overriding_approvers_per_merge_request: true,
  selective_code_owner_removals: true,
  require_password_to_approve: true,
  require_reauthentication_to_approve: true,
};

/** Defaults of groups. */
const groupDefaults: ApprovalSettings = { ...defaults, reset_approvals_on_push: false };

export const readSettings = (text: string): Partial<ApprovalSettings> => read(text);

/** The effective value of a setting, considering ancestor groups and the instance. */
export interface EffectiveSetting {
  readonly value: boolean;
  /** The level that enforces the value, if it cannot be changed here. */
  readonly lockedBy: 'instance' | 'group' | null;
}

type StoredSettings = Partial<ApprovalSettings>;

/** Restrictions set by administrators. */
export async function instanceRestrictions({ settings }: Pick<Services, 'settings'>): Promise<StoredSettings> {
  const instance = await settings.read();
  return {
    ...(instance.prevent_merge_requests_author_approval && { merge_requests_author_approval: false }),
    ...(instance.prevent_merge_requests_committers_approval && { merge_requests_disable_committers_approval: true }),
    ...(instance.disable_overriding_approvers_per_merge_request && {
      disable_overriding_approvers_per_merge_request: true,
    }),
  };
}

/** The effective settings of a project or group, given those of its ancestors and of the instance. */
export function effectiveSettings(
  own: StoredSettings,
  above: readonly StoredSettings[],
  instance: StoredSettings,
  kind: 'project' | 'group',
): Readonly<Record<keyof ApprovalSettings, EffectiveSetting>> {
  const defaultsOfKind = kind === 'project' ? defaults : groupDefaults;
  const of = (name: keyof ApprovalSettings): EffectiveSetting => {
    const byGroup = above.some((settings) => settings[name] === strict[name]) ? 'group' : null;
    const lockedBy = instance[name] === strict[name] ? 'instance' : byGroup;
    return { value: lockedBy ? strict[name] : (own[name] ?? defaultsOfKind[name]), lockedBy };
  };
  return {
    reset_approvals_on_push: of('reset_approvals_on_push'),
    merge_requests_author_approval: of('merge_requests_author_approval'),
    merge_requests_disable_committers_approval: of('merge_requests_disable_committers_approval'),
    disable_overriding_approvers_per_merge_request: of('disable_overriding_approvers_per_merge_request'),
    selective_code_owner_removals: of('selective_code_owner_removals'),
    require_password_to_approve: of('require_password_to_approve'),
    require_reauthentication_to_approve: of('require_reauthentication_to_approve'),
  };
}

function valuesOf(settings: ReturnType<typeof effectiveSettings>): ApprovalSettings {
  return {
    reset_approvals_on_push: settings.reset_approvals_on_push.value,
    merge_requests_author_approval: settings.merge_requests_author_approval.value,
    merge_requests_disable_committers_approval: settings.merge_requests_disable_committers_approval.value,
    disable_overriding_approvers_per_merge_request: settings.disable_overriding_approvers_per_merge_request.value,
    selective_code_owner_removals: settings.selective_code_owner_removals.value,
    require_password_to_approve: settings.require_password_to_approve.value,
    require_reauthentication_to_approve: settings.require_reauthentication_to_approve.value,
  };
}

/** The effective approval settings by project ID. */
export async function settingsOfProjects(
  services: Services,
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, ApprovalSettings>> {
  const [own, groups, instance] = await Promise.all([
    storedSettings(db, projectIds),
    settingsAbove(db, projectIds),
    instanceRestrictions(services),
  ]);
  const stored = new Map(own.map((row) => [row.project_id, read(row.settings)]));
  return new Map(
    projectIds.map((id) => {
      const above = groups.filter(({ project_id }) => project_id === id).map(({ settings }) => read(settings));
      return [id, valuesOf(effectiveSettings(stored.get(id) ?? {}, above, instance, 'project'))];
    }),
  );
}

export async function approvalSettings(services: Services, db: Reader, projectId: number): Promise<ApprovalSettings> {
  return (await settingsOfProjects(services, db, [projectId])).get(projectId) ?? defaults;
}
