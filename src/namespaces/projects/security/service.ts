import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../../access/subjects.ts';
import type { Project, User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { instant } from '../../../platform/http/schema.ts';
import { changeSettings, settingsFor } from '../settings/values.ts';
import { updateProject } from '../store.ts';
import { projectsBelow } from '../transfer/moved-projects-store.ts';
import type { SecurityChange, SecuritySettingsEntity } from './schema.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Enables or disables secret push protection in the projects of a group. */
    'projects.protect-secrets': { groupId: number; enabled: boolean; exclude: readonly number[]; userId: number };
  }
}

export function presentSecurity(project: Project): SecuritySettingsEntity {
  const enabled = settingsFor(project).secret_push_protection_enabled === true;
  return {
    project_id: project.id,
    created_at: instant(project.created_at),
    updated_at: instant(project.updated_at),
    auto_fix_container_scanning: false,
    auto_fix_dast: false,
    auto_fix_dependency_scanning: false,
    auto_fix_sast: false,
    continuous_vulnerability_scans_enabled: false,
    container_scanning_for_registry_enabled: false,
    secret_push_protection_enabled: enabled,
    pre_receive_secret_detection_enabled: enabled,
  };
}

export async function changeSecurity(
  services: Services,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  sent: SecurityChange,
): Promise<SecuritySettingsEntity> {
  const enabled = sent.secret_push_protection_enabled ?? sent.pre_receive_secret_detection_enabled ?? false;
  const changed = await services.db.write((trx) => protect(services, trx, project.id, enabled, user));
  return presentSecurity(changed ?? project);
}

/** Enables or disables secret push protection of a project; returns undefined if the project was deleted. */
async function protect(
  { announce }: Services,
  trx: Writer,
  id: number,
  enabled: boolean,
  by: User,
): Promise<Project | undefined> {
  // Settings share a column, so concurrent changes to different settings are serialized by this lock.
  const project = await lockRow(trx, 'projects', id);
  if (!project || (settingsFor(project).secret_push_protection_enabled === true) === enabled) return project;
  const columns = changeSettings(project, { secret_push_protection_enabled: enabled });
  const changed = await updateProject(trx, id, columns);
  await announce(trx, 'project.updated', { before: project, project: changed, by });
  return changed;
}

/** Enqueues the change for all projects in a group hierarchy, of which there may be thousands. */
export async function changeGroupSecurity(
  { db, queue }: Services,
  { user }: SignedInActor,
  { group }: GroupSubject,
  enabled: boolean,
  exclude: readonly number[],
): Promise<{ secret_push_protection_enabled: boolean; errors: string[] }> {
  const payload = { groupId: group.id, enabled, exclude, userId: user.id };
  await db.write((trx) => queue.enqueue(trx, 'projects.protect-secrets', payload));
  return { secret_push_protection_enabled: enabled, errors: [] };
}

const atOnce = 100;

export function securityJobs(services: Services): void {
  services.queue.defineJob('projects.protect-secrets', async ({ payload, signal }) => {
    const { groupId, enabled, exclude, userId } = payload;
    for (let last = 0; ; ) {
      const ids = await projectsBelow(services.db.read, groupId, last, atOnce);
      if (ids.length === 0) return;
      for (const id of ids.filter((each) => !exclude.includes(each))) {
        signal.throwIfAborted();
        await services.db.write(async (trx) => {
          const by = await lockRow(trx, 'users', userId);
          if (by) await protect(services, trx, id, enabled, by);
        });
      }
      last = ids.at(-1) ?? last;
    }
  });
}
