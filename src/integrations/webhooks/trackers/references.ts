import type { Services } from '../../../access/services.ts';
import {
  type Reference,
  type ReferenceResolver,
  type ResolvedReference,
  referenceKey,
} from '../../../planning/markdown/public.ts';
import { effectiveIntegrations } from '../hooks/store.ts';
import { isAllowed } from '../integrations/allowed.ts';
import { trackerKind } from '../integrations/kinds.ts';
import { settingsOf } from '../integrations/settings.ts';

/** Returns the issue tracker in effect for a project: its own, or that of the nearest group. */
async function trackerOf(services: Services, projectId: number) {
  const all = (await effectiveIntegrations(services.db.read, { projectId })).flatMap((row) => {
    const kind = row.active === 1 ? trackerKind(row.kind ?? '') : undefined;
    return kind ? [{ kind, slug: row.kind ?? '', settings: settingsOf(row), distance: row.distance }] : [];
  });
  const [nearest] = all.sort((one, other) => one.distance - other.distance);
  return nearest && (await isAllowed(services, nearest.slug)) ? nearest : undefined;
}

/** Resolves `ABC-12` in projects with an external tracker, and `#12` if the project has no such issue itself. */
export const trackerReferences: ReferenceResolver = {
  types: ['issue', 'external_issue'],
  asLast: true,
  resolve: async (services, { project }, references) => {
    const found = new Map<string, ResolvedReference>();
    const written = references.flatMap((reference): { reference: Reference; text: string }[] => {
      if (reference.type === 'external_issue') return [{ reference, text: reference.name }];
      const isShort = reference.type === 'issue' && reference.path === undefined;
      return isShort ? [{ reference, text: `#${reference.iid}` }] : [];
    });
    const tracker = project && written.length > 0 ? await trackerOf(services, project.project.id) : undefined;
    if (!tracker) return found;
    for (const { reference, text } of written) {
      const href = tracker.kind.issueUrl(tracker.settings, text);
      const title = `Issue in ${tracker.kind.title}`;
      if (href !== undefined) found.set(referenceKey(reference), { href, text, title, leadsOut: true });
    }
    return found;
  },
};
