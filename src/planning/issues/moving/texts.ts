import type { SignedInActor } from '../../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { copyUpload } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import {
  BetterElsewhere,
  type PlacedReference,
  type Reference,
  type ResolvedReferences,
  readingHere,
  referenceKey,
  resolveReferences,
} from '../../markdown/public.ts';

import { type LongTexts, longTextKey } from './long-texts.ts';

/** How texts are told to say elsewhere what they say here. */
export type Rewriting = (texts: readonly string[]) => Promise<string[]>;

/** So many files of one text come along. */
const mostFiles = 100;

/** What is meant in its own project where no path says otherwise; people and iterations are the same everywhere. */
function isLocal(reference: Reference): boolean {
  const isGlobal = reference.type === 'user' || reference.type === 'iteration' || reference.type === 'external_issue';
  return !isGlobal && reference.path === undefined;
}

function pathOf(reference: Reference, { fullPath, namespace }: ProjectSubject): string {
  if (reference.type === 'epic') return namespace.full_path;
  return reference.type === 'commit' || reference.type === 'commit_range' ? `${fullPath}@` : fullPath;
}

/** A text whose references, as far as they are known to lead somewhere, say where. */
export function qualified(
  text: string,
  placed: readonly PlacedReference[],
  resolved: ResolvedReferences,
  from: ProjectSubject,
): string {
  let written = '';
  let done = 0;
  for (const { reference, start } of placed) {
    const known = isLocal(reference) ? resolved.get(referenceKey(reference)) : undefined;
    if (!known || known.leadsOut) continue;
    written += text.slice(done, start) + pathOf(reference, from);
    done = start;
  }
  return written + text.slice(done);
}

const uploads = /\/uploads\/([0-9a-f]{32})\/([^\s)\]"'<>]{1,255})/g;

/** A text that shows copies of the files that it showed, which belong to the other place. */
async function withFiles(
  trx: Writer,
  text: string,
  from: ProjectSubject,
  to: { readonly place: ProjectOrGroup; readonly userId: number },
): Promise<string> {
  const copies = new Map<string, string>();
  for (const [link, secret = '', filename = ''] of [...text.matchAll(uploads)].slice(0, mostFiles)) {
    if (copies.has(link)) continue;
    const copy = await copyUpload(trx, from, { secret, filename }, to);
    if (copy) copies.set(link, `/uploads/${copy.secret}/${copy.filename}`);
  }
  return text.replace(uploads, (link) => copies.get(link) ?? link);
}

/** Where the references of a text stand: a transaction does not wait for a long one to be read, that was done before. */
async function placesIn(text: string, longTexts: LongTexts): Promise<readonly PlacedReference[]> {
  try {
    return await readingHere.placedReferencesOf(text);
  } catch (error) {
    if (!(error instanceof BetterElsewhere)) throw error;
    return longTexts.get(longTextKey(text)) ?? [];
  }
}

/** Texts of one project as another, or a group, has to read them; within one project they stay as they are. */
export function rewritingFor(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  from: ProjectSubject,
  to: ProjectOrGroup,
  longTexts: LongTexts,
): Rewriting {
  if (isProject(to) && from.project.id === to.project.id) return async (texts) => [...texts];
  return async (texts) => {
    const placed = await Promise.all(texts.map((text) => placesIn(text, longTexts)));
    const local = placed.flat().flatMap(({ reference }) => (isLocal(reference) ? [reference] : []));
    const each = [...new Map(local.map((reference) => [referenceKey(reference), reference])).values()];
    const resolved = await resolveReferences(services, caller, from, each);
    const rewritten: string[] = [];
    for (const [at, text] of texts.entries()) {
      const said = qualified(text, placed[at] ?? [], resolved, from);
      rewritten.push(await withFiles(trx, said, from, { place: to, userId: caller.user.id }));
    }
    return rewritten;
  };
}
