import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { defaultBranch } from '../../code/repository/public.ts';
import { type Reference, referenceKey } from './references/reference.ts';
import { readLine, readMarkdown, renderMarkdown } from './render.ts';
import type { Repository } from './repository-links.ts';
import { resolveReferences } from './resolve.ts';

/** Where the relative links of a project's texts lead. */
function repositoryOf(services: Services, subject: ProjectSubject): Repository {
  const base = new URL(services.externalUrl).pathname.replace(/\/$/, '');
  return {
    webPath: `${base}/${subject.fullPath}`,
    projectId: subject.project.id,
    ...(subject.can('read_code') && { ref: defaultBranch(subject) }),
  };
}

/**
 * The HTML of some texts of one place for one reader: what they all refer to is looked up together. A line, such as a
 * title, has references and emoji but no Markdown.
 */
export async function renderTexts(
  services: Services,
  reader: Actor,
  project: ProjectSubject | undefined,
  texts: readonly { readonly text: string; readonly line?: boolean }[],
): Promise<string[]> {
  const { externalUrl } = services;
  const documents = texts.map(({ text, line }) => (line ? readLine : readMarkdown)(text, externalUrl));
  const references = new Map<string, Reference>();
  for (const document of documents) {
    for (const reference of document.references) references.set(referenceKey(reference), reference);
  }
  const resolved = await resolveReferences(services, reader, project, [...references.values()]);
  const repository = project && repositoryOf(services, project);
  return documents.map((document) => renderMarkdown(document, { resolved, ...(repository && { repository }) }));
}

/** `POST /markdown`. */
export async function renderGiven(
  services: Services,
  reader: Actor,
  { text, gfm, project: path }: { readonly text: string; readonly gfm: boolean; readonly project?: string },
): Promise<{ html: string }> {
  const project = path === undefined ? undefined : await readableProject(services.db, reader, path);
  if (!gfm) return { html: renderMarkdown(readMarkdown(text, services.externalUrl), { gfm: false }) };
  const [html = ''] = await renderTexts(services, reader, project, [{ text }]);
  return { html };
}
