import {
  type ReferenceResolver,
  type ResolvedReference,
  referenceKey,
  referencePathPrefix,
} from '../markdown/public.ts';
import { mayReadInProject } from './access.ts';
import { snippetsById } from './store.ts';

/** Resolves `$3` and `group/project$3` to project snippets that the reader may see. */
export const snippetReferences: ReferenceResolver = {
  types: ['snippet'],
  resolve: async ({ db }, place, references) => {
    const named = references.flatMap((reference) => {
      const subject = reference.type === 'snippet' ? place.projectOf(reference) : undefined;
      return reference.type === 'snippet' && subject ? [{ reference, subject }] : [];
    });
    const snippets = await snippetsById(
      db.read,
      named.map(({ reference }) => reference.iid),
    );
    const found = new Map<string, ResolvedReference>();
    for (const { reference, subject } of named) {
      const snippet = snippets.get(reference.iid);
      if (!snippet || snippet.project_id !== subject.project.id) continue;
      if (!mayReadInProject(place.reader, subject, snippet)) continue;
      found.set(referenceKey(reference), {
        href: `${place.webPath(subject.fullPath)}/-/snippets/${snippet.id}`,
        text: `${referencePathPrefix(place, subject)}$${snippet.id}`,
        title: snippet.title,
        id: snippet.id,
        projectId: subject.project.id,
      });
    }
    return found;
  },
};
