import type { Actor } from '../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { readableGroup, readableProject } from '../../access/subjects.ts';
import { defaultBranch } from '../../code/repository/public.ts';
import { htmlOf, referencesOf } from './long-texts/read.ts';
import { distinctReferences, type Reference, type ResolvedReferences, referenceKey } from './references/reference.ts';
import { readLine, renderMarkdown } from './render.ts';
import type { Repository, TextFile } from './repository-links.ts';
import { qualifyInGroup, resolveReferences } from './resolve.ts';

/** Base of the relative links in texts of a project or group. */
function repositoryOf(services: Services, place: ProjectOrGroup, file?: TextFile): Repository {
  const base = new URL(services.externalUrl).pathname.replace(/\/$/, '');
  if (!isProject(place)) {
    const { id, full_path } = place.group;
    return { webPath: `${base}/groups/${full_path}`, filesPath: `${base}/-/group/${id}`, ...file };
  }
  return {
    webPath: `${base}/${place.fullPath}`,
    filesPath: `${base}/-/project/${place.project.id}`,
    ...(place.can('read_code') && { ref: defaultBranch(place) }),
    ...file,
  };
}

/** Resolves references in their context, by their key as written. */
async function resolveIn(
  services: Services,
  reader: Actor,
  place: ProjectOrGroup | undefined,
  references: readonly Reference[],
): Promise<ResolvedReferences> {
  if (place === undefined || isProject(place)) return resolveReferences(services, reader, place, references);
  const meant = references.map((reference) => [reference, qualifyInGroup(place, reference)] as const);
  const found = await resolveReferences(
    services,
    reader,
    undefined,
    meant.map(([, reference]) => reference),
  );
  return new Map(
    meant.flatMap(([written, reference]) => {
      const known = found.get(referenceKey(reference));
      return known ? [[referenceKey(written), known] as const] : [];
    }),
  );
}

/**
 * Renders several texts of one project or group for one reader; their references are resolved together. A `line`, such
 * as a title, contains references and emoji but no Markdown. `file` is the file or wiki page whose content the text is.
 */
export async function renderTexts(
  services: Services,
  reader: Actor,
  place: ProjectOrGroup | undefined,
  texts: readonly { readonly text: string; readonly line?: boolean }[],
  file?: TextFile,
): Promise<string[]> {
  const { externalUrl } = services;
  const references: Reference[] = [];
  for (const { text, line } of texts) {
    const named = line ? readLine(text, externalUrl).references : await referencesOf(text, externalUrl);
    references.push(...named);
  }
  const resolved = await resolveIn(services, reader, place, distinctReferences(references));
  const repository = place && repositoryOf(services, place, file);
  const options = { resolved, ...(repository && { repository }) };
  const rendered: string[] = [];
  for (const { text, line } of texts) {
    const html = line ? renderMarkdown(readLine(text, externalUrl), options) : await htmlOf(text, externalUrl, options);
    rendered.push(html);
  }
  return rendered;
}

/** `POST /markdown`. */
export async function renderMarkdownParams(
  services: Services,
  reader: Actor,
  given: { readonly text: string; readonly gfm: boolean; readonly project?: string; readonly group?: string },
): Promise<{ html: string }> {
  const { text, gfm } = given;
  const project = given.project === undefined ? undefined : await readableProject(services.db, reader, given.project);
  const group = given.group === undefined ? undefined : await readableGroup(services.db, reader, given.group);
  if (!gfm) return { html: await htmlOf(text, services.externalUrl, { gfm: false }) };
  const [html = ''] = await renderTexts(services, reader, project ?? group, [{ text }]);
  return { html };
}
