import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { mayPush } from '../../../code/commits/public.ts';
import type { ConflictedPath, OpenConflict } from '../../../platform/git/diff/merge.ts';
import { lookAtConflict } from '../../../platform/git/diff/merge.ts';
import { type Objects, ObjectTooLargeError } from '../../../platform/git/objects/objects.ts';
import { BadRequest, Forbidden } from '../../../platform/http/errors.ts';
import { requireForMerge } from '../merge/service.ts';
import { sourceOf } from '../source.ts';
import type { MergeRequestRow } from '../tables.ts';
import { bringHead, commonAncestor, tipsOf } from '../versions/collect.ts';
import type { ConflictsEntity } from './schema.ts';
import { isConflict, resolutionMessage, type Section, sectionsOf } from './sections.ts';

/** A longer file is taken whole, as one side has it. */
const longestFile = 200 * 1024;

/** So much text is shown of all files together. */
const maxText = 2 * 1024 * 1024;

/** A merge request whose branches somebody who may push to the source wants to bring together. */
export interface Apart {
  readonly request: MergeRequestRow;
  readonly source: ProjectSubject;
  /** Where its branches are; the project of the merge request has both commits. */
  readonly tips: { readonly source: string; readonly target: string };
}

export async function requireApart(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<Apart> {
  const { request } = await requireForMerge(services, subject, iid);
  const source = await sourceOf(services, caller, request);
  const { source: head, target } = await tipsOf(services, request);
  if (!source || head === null || target === null) throw new Forbidden('Source branch does not exist');
  if (!(await mayPush(services, { caller, subject: source }, request.source_branch))) {
    throw new Forbidden('Cannot push to source branch');
  }
  if (request.state !== 'opened') throw BadRequest.plain('Merge request is not open');
  await bringHead(services, request, head);
  const objects = services.git.objects(services.git.repository(request.project_id));
  if ((await commonAncestor(objects, head, target)) === undefined) {
    throw BadRequest.plain('The branches have no commit in common');
  }
  return { request, source, tips: { source: head, target } };
}

/** A path that conflicts; with its text in sections, where both sides have text there that git could compare. */
export interface ConflictFile extends ConflictedPath {
  readonly sections: readonly Section[] | undefined;
}

/** Merges the target into the source and hands over what conflicts; undefined where nothing does. */
export function lookAtFiles<T>(
  services: Services,
  { request, tips }: Apart,
  look: (files: readonly ConflictFile[], conflict: OpenConflict) => Promise<T>,
): Promise<T | undefined> {
  const { git } = services;
  return lookAtConflict(git.repository(request.project_id), tips.source, tips.target, async (conflict) => {
    const objects = git.objects(conflict.repo);
    try {
      const files: ConflictFile[] = [];
      let left = maxText;
      for (const path of conflict.paths) {
        const marked = await markedText(objects, conflict.tree, path, Math.min(left, longestFile));
        left -= marked?.length ?? 0;
        files.push({ ...path, sections: sectionsOf(marked ?? '', tips.source, tips.target) });
      }
      return await look(files, conflict);
    } finally {
      git.release(conflict.repo);
    }
  });
}

const isRegular = (mode: string | undefined) => mode === '100644' || mode === '100755';

/** The file as git left it, if it is text. */
async function markedText(
  objects: Objects,
  tree: string,
  { path, inexact, ours, theirs }: ConflictedPath,
  limit: number,
): Promise<string | undefined> {
  if (inexact || !isRegular(ours?.mode) || !isRegular(theirs?.mode)) return undefined;
  const entry = await objects.entryAt(tree, path);
  if (!entry || !isRegular(entry.mode)) return undefined;
  try {
    const bytes = await objects.blob(entry.oid, limit);
    return bytes && !bytes.includes(0)
      ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      : undefined;
  } catch (error) {
    // Too long, or in another encoding: nobody could edit it here.
    if (error instanceof ObjectTooLargeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What the source and the target of a merge request do not agree about, for those who may push to the source. */
export async function getConflicts(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<ConflictsEntity> {
  const apart = await requireApart(services, caller, subject, iid);
  const { request, tips } = apart;
  const found = (await lookAtFiles(services, apart, async (files) => files)) ?? [];
  const paths = found.map(({ path }) => path);
  return {
    source_branch: request.source_branch,
    target_branch: request.target_branch,
    source_sha: tips.source,
    target_sha: tips.target,
    commit_message: resolutionMessage(request.source_branch, request.target_branch, paths),
    files: found.map(({ path, ours, theirs, sections }) => ({
      path,
      in_source: ours !== undefined,
      in_target: theirs !== undefined,
      sections: sections?.map(presentSection) ?? null,
    })),
  };
}

function presentSection(section: Section) {
  const conflict = isConflict(section);
  return conflict ? { conflict, text: null, ...section } : { conflict, ...section, source: null, target: null };
}
