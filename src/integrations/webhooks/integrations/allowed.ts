import type { Services } from '../../../access/services.ts';
import { Invalid } from '../../../platform/http/errors.ts';

/** Slugs are written with hyphens or underscores. */
const plain = (slug: string) => slug.replaceAll('-', '_');

/** Whether the instance settings allow an integration. */
export async function isAllowed({ settings }: Services, slug: string): Promise<boolean> {
  const { allow_all_integrations: all, allowed_integrations: allowed } = await settings.read();
  return all || allowed.some((name) => plain(name) === plain(slug));
}

export async function requireAllowed(services: Services, slug: string): Promise<void> {
  if (!(await isAllowed(services, slug))) throw new Invalid({ base: ['Integration is not allowed on this instance'] });
}
