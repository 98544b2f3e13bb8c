import Type, { type Static } from 'typebox';
import type { Reader } from '../../../platform/database/database.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { storedSettings } from './store.ts';

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

/** How projects take approvals, by their numbers. */
export async function settingsOfProjects(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, ApprovalSettings>> {
  const stored = new Map((await storedSettings(db, projectIds)).map((row) => [row.project_id, row.settings]));
  return new Map(
    projectIds.map((id) => {
      const text = stored.get(id);
      return [id, { ...defaults, ...(text === undefined ? {} : read(text)) }];
    }),
  );
}

export async function approvalSettings(db: Reader, projectId: number): Promise<ApprovalSettings> {
  return (await settingsOfProjects(db, [projectId])).get(projectId) ?? defaults;
}
