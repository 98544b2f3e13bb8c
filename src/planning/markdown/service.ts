import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { defaultBranch } from '../../code/repository/public.ts';
import { htmlOf, referencesOf } from './long-texts/read.ts';
import { type Reference, referenceKey } from './references/reference.ts';
import { readLine, renderMarkdown } from './render.ts';
import type { Repository, TextPlace } from './repository-links.ts';
import { resolveReferences } from './resolve.ts';

/** Where the relative links of a project's texts lead. */
function repositoryOf(services: Services, subject: ProjectSubject, place?: TextPlace): Repository {
  const base = new URL(services.externalUrl).pathname.replace(/\/$/, '');
  return {
    webPath: `${base}/${subject.fullPath}`,
    projectId: subject.project.id,
    ...(subject.can('read_code') && { ref: defaultBranch(subject) }),
    ...place,
  };
}

/**
 * The HTML of some texts of one place for one reader: what they all refer to is looked up together. A line, such as a
 * title, has references and emoji but no Markdown. A text that is a file, or a page of a wiki, says where it stands.
 */
export async function renderTexts(
  services: Services,
  reader: Actor,
  project: ProjectSubject | undefined,
  texts: readonly { readonly text: string; readonly line?: boolean }[],
  place?: TextPlace,
): Promise<string[]> {
  const { externalUrl } = services;
  const references = new Map<string, Reference>();
  for (const { text, line } of texts) {
    const named = line ? readLine(text, externalUrl).references : await referencesOf(text, externalUrl);
    for (const reference of named) references.set(referenceKey(reference), reference);
  }
  const resolved = await resolveReferences(services, reader, project, [...references.values()]);
  const repository = project && repositoryOf(services, project, place);
  const options = { resolved, ...(repository && { repository }) };
  const drawn: string[] = [];
  for (const { text, line } of texts) {
    const html = line ? renderMarkdown(readLine(text, externalUrl), options) : await htmlOf(text, externalUrl, options);
    drawn.push(html);
  }
  return drawn;
}

/** `POST /markdown`. */
export async function renderGiven(
  services: Services,
  reader: Actor,
  { text, gfm, project: path }: { readonly text: string; readonly gfm: boolean; readonly project?: string },
): Promise<{ html: string }> {
  const project = path === undefined ? undefined : await readableProject(services.db, reader, path);
  if (!gfm) return { html: await htmlOf(text, services.externalUrl, { gfm: false }) };
  const [html = ''] = await renderTexts(services, reader, project, [{ text }]);
  return { html };
}
