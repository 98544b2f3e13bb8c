import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { mergeSettings } from '../settings.ts';
import { approvals } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { isApproved, rulesOf } from './evaluate.ts';

/** Whether all required approvals have been given. */
export async function isComplete(services: Services, trx: Writer, request: MergeRequestRow): Promise<boolean> {
  const [project, rules, given] = [
    await findProject(trx, request.project_id),
    await rulesOf(services, trx, [request]),
    await approvals(trx, [request.id]),
  ];
  const ids = (given.get(request.id) ?? []).map(({ user_id }) => user_id);
  const settings = mergeSettings(project ? settingsOf(project) : {});
  return isApproved(request, settings, rules.get(request.id) ?? [], ids);
}
