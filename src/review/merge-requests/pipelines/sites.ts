import type { Services } from '../../../access/services.ts';
import { removeOfRequest } from '../../../ci/pages/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';

/** Removes the Pages preview deployments of a closed or merged merge request. */
export async function removePreviewSites(
  services: Services,
  trx: Writer,
  { action, after: { request } }: DomainEvents['merge-request.changed'],
): Promise<void> {
  if (action !== 'close' && action !== 'merge') return;
  const projects = [request.source_project_id, request.project_id].flatMap((id) => id ?? []);
  await removeOfRequest(services, trx, request.id, projects);
}
