import type { Services } from '../../../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../../../access/subjects.ts';
import {
  type ApprovalSettings,
  type EffectiveSetting,
  effectiveSettings,
  instanceRestrictions,
  readSettings,
} from '../settings.ts';
import * as store from '../store.ts';
import type { ApprovalSettingEntity, RestrictionChange } from './schema.ts';

/** Maps the settings to the names of this resource, most of which are inverted. */
function present(settings: ReturnType<typeof effectiveSettings>): ApprovalSettingEntity {
  const same = ({ value, lockedBy }: EffectiveSetting) => ({
    value,
    locked: lockedBy !== null,
    inherited_from: lockedBy,
  });
  const opposite = ({ value, lockedBy }: EffectiveSetting) => same({ value: !value, lockedBy });
  return {
    allow_author_approval: same(settings.merge_requests_author_approval),
    allow_committer_approval: opposite(settings.merge_requests_disable_committers_approval),
    allow_overrides_to_approver_list_per_merge_request: opposite(
      settings.disable_overriding_approvers_per_merge_request,
    ),
    retain_approvals_on_push: opposite(settings.reset_approvals_on_push),
    selective_code_owner_removals: same(settings.selective_code_owner_removals),
    require_password_to_approve: same(settings.require_password_to_approve),
    require_reauthentication_to_approve: same(settings.require_reauthentication_to_approve),
  };
}

function asSettings(change: RestrictionChange): Partial<ApprovalSettings> {
  const {
    allow_author_approval: author,
    allow_committer_approval: committer,
    allow_overrides_to_approver_list_per_merge_request: overrides,
    retain_approvals_on_push: retain,
    selective_code_owner_removals: selective,
    require_password_to_approve: password,
    require_reauthentication_to_approve: again,
  } = change;
  return {
    ...(author !== undefined && { merge_requests_author_approval: author }),
    ...(committer !== undefined && { merge_requests_disable_committers_approval: !committer }),
    ...(overrides !== undefined && { disable_overriding_approvers_per_merge_request: !overrides }),
    ...(retain !== undefined && { reset_approvals_on_push: !retain }),
    ...(selective !== undefined && { selective_code_owner_removals: selective }),
    ...(password !== undefined && { require_password_to_approve: password }),
    ...(again !== undefined && { require_reauthentication_to_approve: again }),
  };
}

async function ofProject({ db }: Services, id: number) {
  const [[own], above] = await Promise.all([store.storedSettings(db.read, [id]), store.settingsAbove(db.read, [id])]);
  return { own: own ? readSettings(own.settings) : {}, above: above.map(({ settings }) => readSettings(settings)) };
}

export async function getForProject(services: Services, { project }: ProjectSubject): Promise<ApprovalSettingEntity> {
  const { own, above } = await ofProject(services, project.id);
  return present(effectiveSettings(own, above, await instanceRestrictions(services), 'project'));
}

export async function changeForProject(
  services: Services,
  subject: ProjectSubject,
  change: RestrictionChange,
): Promise<ApprovalSettingEntity> {
  const { own } = await ofProject(services, subject.project.id);
  const text = JSON.stringify({ ...own, ...asSettings(change) });
  await services.db.write((trx) => store.writeSettings(trx, subject.project.id, text));
  return getForProject(services, subject);
}

async function ofGroup({ db }: Services, id: number) {
  const rows = await store.groupSettings(db.read, id);
  const ownRow = rows.find(({ ancestor_id }) => ancestor_id === id);
  return {
    own: ownRow ? readSettings(ownRow.settings) : {},
    above: rows.filter((row) => row !== ownRow).map(({ settings }) => readSettings(settings)),
  };
}

export async function getForGroup(services: Services, { group }: GroupSubject): Promise<ApprovalSettingEntity> {
  const { own, above } = await ofGroup(services, group.id);
  return present(effectiveSettings(own, above, await instanceRestrictions(services), 'group'));
}

export async function changeForGroup(
  services: Services,
  subject: GroupSubject,
  change: RestrictionChange,
): Promise<ApprovalSettingEntity> {
  const { own } = await ofGroup(services, subject.group.id);
  const text = JSON.stringify({ ...own, ...asSettings(change) });
  await services.db.write((trx) => store.writeGroupSettings(trx, subject.group.id, text));
  return getForGroup(services, subject);
}
