import type { ProjectSubject } from '../../access/subjects.ts';
import {
  type ReferenceResolver,
  type ResolvedReference,
  referenceKey,
  referencePathPrefix,
} from '../markdown/public.ts';
import { findLabels } from './resolve.ts';
import { labelScopeOf } from './scope.ts';
import { labelsById } from './store.ts';
import type { LabelRow } from './tables.ts';

/** Resolves `~bug`, `~"two words"` and `~5` (an ID) among the labels available to the project of the reference. */
export const labelReferences: ReferenceResolver = {
  types: ['label'],
  resolve: async ({ db }, place, references) => {
    const named = references.flatMap((reference) => {
      const subject = reference.type === 'label' ? place.projectOf(reference) : undefined;
      return reference.type === 'label' && subject?.can('read_label') ? [{ reference, subject }] : [];
    });
    const bySubject = Map.groupBy(named, ({ subject }) => subject);
    const found = new Map<string, ResolvedReference>();
    for (const [subject, all] of bySubject) {
      const names = all.map(({ reference }) => reference.name);
      const [titled, scope, numbered] = await Promise.all([
        findLabels(db.read, subject, names),
        labelScopeOf(db.read, subject, true),
        labelsById(db.read, names.filter((name) => /^\d{1,9}$/.test(name)).map(Number)),
      ]);
      const usable = numbered.filter(
        ({ project_id, namespace_id }) =>
          project_id === subject.project.id || (namespace_id !== null && scope.namespaceIds.includes(namespace_id)),
      );
      for (const { reference } of all) {
        const label = usable.find(({ id }) => String(id) === reference.name) ?? titled.get(reference.name);
        if (label) found.set(referenceKey(reference), present(label, subject));
      }
    }
    return found;

    function present({ id, title }: LabelRow, subject: ProjectSubject): ResolvedReference {
      const path = referencePathPrefix(place, subject);
      const query = `label_name[]=${encodeURIComponent(title)}`;
      return {
        href: `${place.webPath(subject.fullPath)}/-/issues?${query}`,
        text: path === '' ? title : `${title} in ${path}`,
        id,
        projectId: subject.project.id,
      };
    }
  },
};
