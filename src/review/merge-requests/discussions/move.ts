import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/stored-settings.ts';
import {
  addSystemNote,
  diffNotesToMove,
  discussions,
  moveNotes,
  type NoteRow,
  outdateNotes,
  setResolved,
} from '../../../planning/notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { LimitedDiff } from '../../../platform/git/diff/diff.ts';
import type { LimitedDiffEntry } from '../../../platform/git/diff/limits.ts';
import { decodePath, patchText } from '../../../platform/git/diff/text.ts';
import { requestTarget } from '../changes/records.ts';
import { projectPathsOf, requestById } from '../store.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { differences } from '../versions/collect.ts';
import { listVersions } from '../versions/store.ts';

import { noteAllResolved } from './resolved.ts';
import { readPosition, type StoredPosition } from './stored-position.ts';
import { type TracedLine, traceLine } from './trace.ts';
import { traceRange } from './trace-range.ts';

/** The position of a note in the newest version, or the position at which its line was changed. */
type Followed =
  | { readonly moved: StoredPosition; readonly lineCode: string | null }
  | { readonly changed: StoredPosition };

interface Newest {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
}

const pathsOf = (entry: LimitedDiffEntry) => ({ old: decodePath(entry.oldPath), now: decodePath(entry.newPath) });
/** Diffs that were not loaded completely do not tell where lines have moved. */
const isUnread = (entry: LimitedDiffEntry | undefined) => entry !== undefined && (entry.tooLarge || entry.collapsed);
const textOf = (entry: LimitedDiffEntry | undefined) => (entry ? patchText(entry) : '');

/** Follows one position to the newest version; undefined if the diffs are too large. */
async function follow(
  services: Services,
  request: MergeRequestRow,
  newest: Newest,
  position: StoredPosition,
): Promise<Followed | undefined> {
  const compare = (from: string, to: string): Promise<LimitedDiff> =>
    from === to
      ? Promise.resolve({ entries: [], overflow: false })
      : differences(services, request.project_id, from, to, { expanded: true });
  const [heads, bases, now] = await Promise.all([
    compare(position.head_sha, newest.head_sha),
    compare(position.base_sha, newest.base_sha),
    compare(newest.base_sha, newest.head_sha),
  ]);
  const ofHead = heads.entries.find((entry) => pathsOf(entry).old === position.new_path && !entry.newFile);
  const path = ofHead ? pathsOf(ofHead).now : position.new_path;
  const ofNow = now.entries.find((entry) => pathsOf(entry).now === path);
  const ofBase = bases.entries.find((entry) => pathsOf(entry).old === position.old_path && !entry.newFile);
  if (!ofHead && heads.overflow) return undefined;
  if ((!ofNow && now.overflow) || isUnread(ofHead) || isUnread(ofNow) || isUnread(ofBase)) return undefined;
  const line: TracedLine = { old: position.old_line ?? null, new: position.new_line ?? null };
  const changed: StoredPosition = {
    base_sha: position.head_sha,
    start_sha: position.head_sha,
    head_sha: newest.head_sha,
    old_path: position.new_path,
    new_path: path,
    position_type: position.position_type,
    old_line: line.new,
    new_line: null,
  };
  if (!ofNow || (ofHead?.deletedFile && !ofNow.deletedFile)) return { changed };
  const { base_sha, start_sha, head_sha } = newest;
  const kept = { ...position, base_sha, start_sha, head_sha, old_path: pathsOf(ofNow).old, new_path: path };
  if (position.position_type !== 'text') return { moved: kept, lineCode: null };
  const patches = { base: textOf(ofBase), head: textOf(ofHead), now: textOf(ofNow) };
  const traced = traceLine(line, patches);
  const place =
    traced &&
    discussions.findLinePair(patches.now, { oldLine: traced.old ?? undefined, newLine: traced.new ?? undefined });
  if (!traced || !place) return { changed };
  const line_range = traceRange(position.line_range ?? null, path, patches);
  const moved = { ...kept, old_line: traced.old, new_line: traced.new, line_range };
  return { moved, lineCode: discussions.lineCode(path, place) };
}

/** Moves the diff notes of a merge request to its newest version. Idempotent. */
export async function moveDiffNotes(services: Services, id: number): Promise<void> {
  const { read } = services.db;
  const request = await requestById(read, id);
  if (request?.state !== 'opened' || !request.head_sha || !request.base_sha || !request.start_sha) return;
  const newest = { base_sha: request.base_sha, start_sha: request.start_sha, head_sha: request.head_sha };
  const behind = (await diffNotesToMove(read, requestTarget(request))).filter(
    ({ position, commit_id }) => commit_id === null && position !== null && isBehind(readPosition(position), newest),
  );
  const steps: { notes: NoteRow[]; position: StoredPosition; followed: Followed }[] = [];
  for (const [text, notes] of Map.groupBy(behind, ({ position }) => position ?? '')) {
    const position = readPosition(text);
    const followed = await follow(services, request, newest, position);
    if (followed) steps.push({ notes, position, followed });
  }
  if (steps.length === 0) return;
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', id);
    // Another push arrived in the meantime, and its job continues from the current positions.
    if (locked?.head_sha !== newest.head_sha || locked.base_sha !== newest.base_sha) return;
    const outdated: { notes: NoteRow[]; changed: StoredPosition }[] = [];
    for (const { notes, position, followed } of steps) {
      const ids = notes.map((note) => note.id);
      if ('moved' in followed) {
        await moveNotes(trx, ids, { position: followed.moved, lineCode: followed.lineCode });
      } else {
        await outdateNotes(trx, ids, followed.changed);
        // A note between two versions on a line that the later one no longer has was outdated from the beginning.
        if (position.head_sha !== newest.head_sha) outdated.push({ notes, changed: followed.changed });
      }
    }
    if (outdated.length > 0)
      await recordOutdated(
        services,
        trx,
        locked,
        outdated.flatMap(({ notes }) => notes),
      );
  });
}

function isBehind(position: StoredPosition, newest: Newest): boolean {
  return position.head_sha !== newest.head_sha || position.base_sha !== newest.base_sha;
}

/**
 * Adds a system note about the changed line to each thread, and resolves the thread if the project is configured so.
 */
async function recordOutdated(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  notes: readonly NoteRow[],
): Promise<void> {
  const userId = request.source_pushed_by_id ?? request.author_id;
  const versions = await listVersions(trx, request.id);
  const place = (await projectPathsOf(trx, [request.project_id])).get(request.project_id);
  const address = `/${place?.path ?? ''}/-/merge_requests/${request.iid}/diffs?diff_id=${versions[0]?.id ?? ''}`;
  for (const [discussion_id, [first]] of Map.groupBy(notes, (note) => note.discussion_id)) {
    if (!first) continue;
    const kind = first.position === null ? 'text' : readPosition(first.position).position_type;
    const body = texts.lineChanged(kind, versions.length, address);
    await addSystemNote(trx, requestTarget(request), userId, body, { thread: { type: 'DiffNote', discussion_id } });
  }
  if (!place || settingsOf(place).resolve_outdated_diff_discussions !== true) return;
  await setResolved(
    trx,
    notes.map(({ id }) => id),
    userId,
    Date.now(),
  );
  await noteAllResolved(services, trx, request.id, userId);
}
