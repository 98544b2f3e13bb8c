import type { SignedInActor } from '../../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { copyUpload } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import {
  mainThreadReading,
  NeedsWorkerThread,
  type PlacedReference,
  type Reference,
  type ResolvedReferences,
  referenceKey,
  resolveReferences,
} from '../../markdown/public.ts';

import { type LongTexts, longTextKey } from './long-texts.ts';

/** Rewrites texts so that their references mean the same in another project. */
export type Rewriter = (texts: readonly string[]) => Promise<string[]>;

/** Maximum number of uploaded files copied per text. */
const maxFiles = 100;

/** Whether a reference without a path depends on its project; users and iterations are global. */
function isLocal(reference: Reference): boolean {
  const isGlobal = reference.type === 'user' || reference.type === 'iteration' || reference.type === 'external_issue';
  return !isGlobal && reference.path === undefined;
}

function pathOf(reference: Reference, { fullPath, namespace }: ProjectSubject): string {
  if (reference.type === 'epic') return namespace.full_path;
  return reference.type === 'commit' || reference.type === 'commit_range' ? `${fullPath}@` : fullPath;
}

/** Returns the text with a full path added to the references that resolve. */
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

/** Copies the uploaded files that the text links to, which belong to the source project, and rewrites the links. */
async function withFiles(
  trx: Writer,
  text: string,
  from: ProjectSubject,
  to: { readonly place: ProjectOrGroup; readonly userId: number },
): Promise<string> {
  const copies = new Map<string, string>();
  for (const [link, secret = '', filename = ''] of [...text.matchAll(uploads)].slice(0, maxFiles)) {
    if (copies.has(link)) continue;
    const copy = await copyUpload(trx, from, { secret, filename }, to);
    if (copy) copies.set(link, `/uploads/${copy.secret}/${copy.filename}`);
  }
  return text.replace(uploads, (link) => copies.get(link) ?? link);
}

/**
 * Positions of the references in a text. Long texts are not parsed here, within the transaction: they were parsed
 * before it.
 */
async function placesIn(text: string, longTexts: LongTexts): Promise<readonly PlacedReference[]> {
  try {
    return await mainThreadReading.placedReferencesOf(text);
  } catch (error) {
    if (!(error instanceof NeedsWorkerThread)) throw error;
    return longTexts.get(longTextKey(text)) ?? [];
  }
}

/** Returns the function that rewrites texts for another project or group; within one project texts stay unchanged. */
export function createRewriter(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  from: ProjectSubject,
  to: ProjectOrGroup,
  longTexts: LongTexts,
): Rewriter {
  if (isProject(to) && from.project.id === to.project.id) return async (texts) => [...texts];
  return async (texts) => {
    const placed = await Promise.all(texts.map((text) => placesIn(text, longTexts)));
    const local = placed.flat().flatMap(({ reference }) => (isLocal(reference) ? [reference] : []));
    const each = [...new Map(local.map((reference) => [referenceKey(reference), reference])).values()];
    const resolved = await resolveReferences(services, caller, from, each);
    const rewritten: string[] = [];
    for (const [at, text] of texts.entries()) {
      const qualifiedText = qualified(text, placed[at] ?? [], resolved, from);
      rewritten.push(await withFiles(trx, qualifiedText, from, { place: to, userId: caller.user.id }));
    }
    return rewritten;
  };
}
