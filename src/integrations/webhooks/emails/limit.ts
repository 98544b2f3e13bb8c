import { rootNamespaceId } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import type { Project } from '../../../access/tables.ts';
import type { Rate } from '../../../platform/http/server/rate-limits.ts';

/**
 * Returns the addresses within the rate limits and counts each, so that pushing in a loop cannot flood recipients.
 * Counts per top-level group or user, because projects can be created in a loop too.
 */
export async function filterByRateLimit(
  services: Services,
  project: Pick<Project, 'id' | 'namespace_id'>,
  addresses: readonly string[],
): Promise<string[]> {
  const { limits, log } = services;
  const { integrationMailRate: ofAll, mailAddressRate: ofOne } = services.config;
  const top = await rootNamespaceId(services.db.read, project.namespace_id);
  const isLeft = async (name: string, key: string, rate: Rate | undefined) =>
    rate === undefined || !(await limits.count(name, key, rate)).exceeded;
  const written: string[] = [];
  for (const address of addresses) {
    // Do not count addresses beyond the total limit: lists of ever new addresses would fill the memory.
    if (!(await isLeft('integration_mail', `${top}`, ofAll))) break;
    if (await isLeft('integration_mail_address', `${top} ${address.toLowerCase()}`, ofOne)) written.push(address);
    else await limits.refund('integration_mail', `${top}`, ofAll);
  }
  const held = addresses.length - written.length;
  if (held > 0) log.warn({ project: project.id, namespace: top, held }, 'an integration has reached its e-mail limit');
  return written;
}
