import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { mayPush } from '../../../code/commits/public.ts';
import type { ConflictedPath, OpenConflict } from '../../../platform/git/diff/merge.ts';
import { inspectConflict } from '../../../platform/git/diff/merge.ts';
import { type Objects, ObjectTooLargeError } from '../../../platform/git/objects/objects.ts';
import { BadRequest, Forbidden } from '../../../platform/http/errors.ts';
import { requireForMerge } from '../merge/service.ts';
import { sourceOf } from '../source.ts';
import type { MergeRequestRow } from '../tables.ts';
import { commonAncestor, importHead, tipsOf } from '../versions/collect.ts';
import type { ConflictsEntity } from './schema.ts';
import { isConflict, resolutionMessage, type Section, sectionsOf } from './sections.ts';

/** Maximum length of files with sections; longer files can only be resolved by choosing a side. */
const maxFileLength = 200 * 1024;

/** Maximum total length of the text returned for all files. */
const maxText = 2 * 1024 * 1024;

/** A merge request with conflicts and the permission to resolve them. */
export interface ResolvableRequest {
  readonly request: MergeRequestRow;
  readonly source: ProjectSubject;
  /** Heads of its branches; the project of the merge request has both commits. */
  readonly tips: { readonly source: string; readonly target: string };
}

export async function requireResolvable(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<ResolvableRequest> {
  const { request } = await requireForMerge(services, subject, iid);
  const source = await sourceOf(services, caller, request);
  const { source: head, target } = await tipsOf(services, request);
  if (!source || head === null || target === null) throw new Forbidden('Source branch does not exist');
  if (!(await mayPush(services, { caller, subject: source }, request.source_branch))) {
    throw new Forbidden('Cannot push to source branch');
  }
  if (request.state !== 'opened') throw BadRequest.plain('Merge request is not open');
  await importHead(services, request, head);
  const objects = services.git.objects(services.git.repository(request.project_id));
  if ((await commonAncestor(objects, head, target)) === undefined) {
    throw BadRequest.plain('The branches have no commit in common');
  }
  return { request, source, tips: { source: head, target } };
}

/** A conflicting path, with sections if both sides are text that git could merge line by line. */
export interface ConflictFile extends ConflictedPath {
  readonly sections: readonly Section[] | undefined;
}

/** Merges the target into the source and passes the conflicting files to `look`; undefined if there are none. */
export function withConflictFiles<T>(
  services: Services,
  { request, tips }: ResolvableRequest,
  look: (files: readonly ConflictFile[], conflict: OpenConflict) => Promise<T>,
): Promise<T | undefined> {
  const { git } = services;
  return inspectConflict(git.repository(request.project_id), tips.source, tips.target, async (conflict) => {
    const objects = git.objects(conflict.repo);
    try {
      const files: ConflictFile[] = [];
      let left = maxText;
      for (const path of conflict.paths) {
        const marked = await markedText(objects, conflict.tree, path, Math.min(left, maxFileLength));
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

/** Content of the merged file with conflict markers, if it is text. */
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
    // Too long or not UTF-8, so it cannot be edited in the browser.
    if (error instanceof ObjectTooLargeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Returns the conflicts of a merge request, for users who may push to the source branch. */
export async function getConflicts(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<ConflictsEntity> {
  const apart = await requireResolvable(services, caller, subject, iid);
  const { request, tips } = apart;
  const found = (await withConflictFiles(services, apart, async (files) => files)) ?? [];
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
