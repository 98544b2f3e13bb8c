import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { asBadRequest, BranchNotMoved, moveBranch } from '../../../code/commits/public.ts';
import { committerOf } from '../../../code/repository/public.ts';
import { createCommit } from '../../../platform/git/objects/commit-write.ts';
import { importCommit } from '../../../platform/git/objects/import-commit.ts';
import type { ObjectWriter } from '../../../platform/git/objects/writer.ts';
import { type PathEntry, TreeEditError, type TreeEditor } from '../../../platform/git/trees/edit.ts';
import { BadRequest, Conflict } from '../../../platform/http/errors.ts';
import { refreshRequest } from '../versions/refresh.ts';
import type { ResolveParams } from './schema.ts';
import { resolutionMessage, withChoices } from './sections.ts';
import { type ConflictFile, type ResolvableRequest, requireResolvable, withConflictFiles } from './service.ts';

type Resolution = ResolveParams['files'][number];

/** Result for a path: the entry of one side, nothing, or a text. */
type Outcome = PathEntry | null | string;

/** Merges the target into the source branch with a merge commit that contains the chosen resolutions. */
export async function resolveConflicts(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: ResolveParams,
): Promise<{ commit_id: string }> {
  const apart = await requireResolvable(services, caller, subject, params.merge_request_iid);
  const { request, source, tips } = apart;
  if (tips.source !== params.source_sha || tips.target !== params.target_sha) throw changed();
  const tip = await commitResolved(services, caller, apart, params);
  if (request.source_project_id !== null && request.source_project_id !== request.project_id) {
    const { git } = services;
    await importCommit(git.repository(request.project_id), git.repository(request.source_project_id), tip);
  }
  const move = { branch: request.source_branch, old: tips.source, new: tip };
  await moveBranch(services, { caller, subject: source }, move).catch((error: unknown) => {
    if (error instanceof BranchNotMoved && error.raced) throw changed();
    asBadRequest(error);
  });
  await refreshRequest(services, request.id);
  return { commit_id: tip };
}

const changed = () => new Conflict('The branches have changed since the conflicts were shown.');

async function commitResolved(
  services: Services,
  caller: SignedInActor,
  apart: ResolvableRequest,
  { files: resolutions, commit_message: given }: ResolveParams,
): Promise<string> {
  const { git } = services;
  const { request, tips } = apart;
  const repo = git.repository(request.project_id);
  const made = await withConflictFiles(services, apart, async (files, conflict) => {
    const outcomes = outcomesOf(files, resolutions);
    await conflict.keep();
    const writer = git.writer(repo);
    const editor = await git.editTree(repo, conflict.tree);
    for (const [path, outcome] of outcomes) await put(editor, writer, path, outcome).catch(asRefusal);
    const committer = committerOf(services, caller.user);
    const paths = files.map(({ path }) => path);
    const oid = await createCommit(writer, {
      tree: await editor.write(writer),
      parents: [tips.source, tips.target],
      author: committer,
      committer,
      message: given?.trim() ? given : resolutionMessage(request.source_branch, request.target_branch, paths),
    });
    await writer.flush();
    return oid;
  });
  if (made === undefined) throw BadRequest.plain('There are no conflicts to resolve');
  return made;
}

/** Result for each conflicting path; throws unless each of them is resolved exactly once. */
export function outcomesOf(
  files: readonly ConflictFile[],
  resolutions: readonly Resolution[],
): ReadonlyMap<string, Outcome> {
  const given = new Map(resolutions.map((resolution) => [resolution.path, resolution]));
  const known = new Set(files.map(({ path }) => path));
  const strange = resolutions.find(({ path }) => !known.has(path));
  if (strange) throw BadRequest.plain(`${strange.path} does not conflict`);
  if (given.size < resolutions.length) throw BadRequest.plain('A file is resolved more than once');
  const missing = files.filter(({ path }) => !given.has(path)).map(({ path }) => path);
  if (missing.length > 0) throw BadRequest.plain(`Missing resolutions for the following files: ${missing.join(', ')}`);
  return new Map(files.map((file) => [file.path, outcomeOf(file, given.get(file.path) ?? { path: file.path })]));
}

function outcomeOf(file: ConflictFile, { take, choices, content }: Resolution): Outcome {
  const { path, ours, theirs, sections } = file;
  if (file.inexact) throw unresolvable(path);
  const ways = [take, choices, content].filter((way) => way !== undefined).length;
  if (ways !== 1) throw BadRequest.plain(`${path}: give one of take, choices, content`);
  if (take !== undefined) return (take === 'source' ? ours : theirs) ?? null;
  if (content !== undefined) return content;
  const text = sections && choices && withChoices(sections, choices);
  if (text === undefined) throw BadRequest.plain(`${path}: give a choice for each of its conflicts, or take a side`);
  return text;
}

/** Writes the result for a path; a text keeps the executable bit of the merged file. */
async function put(editor: TreeEditor, writer: ObjectWriter, path: string, outcome: Outcome): Promise<void> {
  const now = await editor.file(path);
  if (outcome === null) {
    if (now) await editor.remove(path);
    return;
  }
  const asText = async (text: string) => ({
    mode: now?.mode === '100755' ? now.mode : '100644',
    oid: await writer.add('blob', Buffer.from(text)),
  });
  const entry = typeof outcome === 'string' ? await asText(outcome) : outcome;
  await (now ? editor.replace(path, entry) : editor.create(path, entry));
}

const unresolvable = (path: string) => BadRequest.plain(`${path} cannot be resolved here`);

function asRefusal(error: unknown): never {
  throw error instanceof TreeEditError ? unresolvable(error.path) : error;
}
