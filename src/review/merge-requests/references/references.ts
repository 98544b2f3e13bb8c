import {
  type ReferenceResolver,
  type ResolvedReference,
  referenceKey,
  referencePathPrefix,
} from '../../../planning/markdown/public.ts';
import { summariesOf } from '../../../planning/summary.ts';
import { assigneeIds } from '../store.ts';
import { requestsNumbered } from './store.ts';

const suffixes = { opened: '', locked: '', closed: ' (closed)', merged: ' (merged)' } as const;

/** Resolves `!1` and `group/project!1`. */
export const requestReferences: ReferenceResolver = {
  types: ['merge_request'],
  resolve: async (services, place, references) => {
    const { db } = services;
    const named = references.flatMap((reference) => {
      const subject = reference.type === 'merge_request' ? place.projectOf(reference) : undefined;
      return reference.type === 'merge_request' && subject?.can('read_merge_request') ? [{ reference, subject }] : [];
    });
    const found = new Map<string, ResolvedReference>();
    for (const [subject, all] of Map.groupBy(named, ({ subject }) => subject)) {
      const requests = await requestsNumbered(
        db.read,
        subject.project.id,
        all.map(({ reference }) => reference.iid),
      );
      const summarized = new Set(all.flatMap(({ reference }) => (reference.summary ? reference.iid : [])));
      const looked = requests.filter(({ iid }) => summarized.has(iid));
      const assignees = await assigneeIds(
        db.read,
        looked.map(({ id }) => id),
      );
      const summaries = await summariesOf(
        services,
        looked.map((request) => ({ ...request, assigneeIds: assignees.get(request.id) ?? [] })),
      );
      const byIid = new Map(requests.map((request) => [request.iid, request]));
      for (const { reference } of all) {
        const request = byIid.get(reference.iid);
        if (!request) continue;
        const { id, iid, title, state } = request;
        found.set(referenceKey(reference), {
          href: `${place.webPath(subject.fullPath)}/-/merge_requests/${iid}`,
          text: `${referencePathPrefix(place, subject)}!${iid}${suffixes[state]}`,
          title,
          ...(summaries.has(id) && { summary: summaries.get(id) ?? '' }),
          id,
          projectId: subject.project.id,
        });
      }
    }
    return found;
  },
};
