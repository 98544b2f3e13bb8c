import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import { changeSettings, updateProject } from '../../../namespaces/projects/public.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { enqueueAutoMerges } from '../merge/auto-merge-queue.ts';
import { mergeSettings } from '../settings.ts';
import { maxRequired } from './rules.ts';
import type { SettingsChange } from './schema.ts';
import { type ApprovalSettings, approvalSettings, readSettings, settingNames } from './settings.ts';
import * as store from './store.ts';

function presentSettings(subject: ProjectSubject, settings: ApprovalSettings) {
  const { approvalsRequired } = mergeSettings(settingsOf(subject.project));
  return { approvers: [], approver_groups: [], approvals_before_merge: approvalsRequired, ...settings };
}

export async function getSettings(services: Services, subject: ProjectSubject) {
  return presentSettings(subject, await approvalSettings(services, services.db.read, subject.project.id));
}

export async function updateSettings(services: Services, subject: ProjectSubject, change: SettingsChange) {
  const { approvals_before_merge: required } = change;
  if (required !== undefined && (required < 0 || required > maxRequired)) {
    throw new Invalid({ approvals_before_merge: [`must be in 0..${maxRequired}`] });
  }
  const [stored] = await store.storedSettings(services.db.read, [subject.project.id]);
  const given = Object.fromEntries(
    settingNames.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])),
  );
  const settings = { ...(stored && readSettings(stored.settings)), ...given };
  const project = await services.db.write(async (trx) => {
    await store.writeSettings(trx, subject.project.id, JSON.stringify(settings));
    await enqueueAutoMerges(services, trx, subject.project.id);
    if (required === undefined) return subject.project;
    return updateProject(
      trx,
      subject.project.id,
      changeSettings(subject.project, { approvals_before_merge: required }),
    );
  });
  const { approvalsRequired } = mergeSettings(settingsOf(project));
  const inForce = await approvalSettings(services, services.db.read, project.id);
  return { ...presentSettings(subject, inForce), approvals_before_merge: approvalsRequired };
}
