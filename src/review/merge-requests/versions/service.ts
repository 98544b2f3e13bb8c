import { Readable } from 'node:stream';
import type { Services } from '../../../access/services.ts';
import { type CommitEntity, presentCommit } from '../../../code/commits/public.ts';
import {
  acquireReadSlot,
  type DiffEntity,
  type DiffStatEntity,
  type ProjectCall,
  presentDiff,
  presentDiffStat,
  projectUrl,
  runExpensive,
} from '../../../code/repository/public.ts';
import { type LimitedDiff, plainPatch } from '../../../platform/git/diff/diff.ts';
import { listCommits } from '../../../platform/git/history/walk.ts';
import { GitError } from '../../../platform/git/process/errors.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { presentDetail } from '../detail.ts';
import type { DetailEntity } from '../schema.ts';
import { requireRequest } from '../service.ts';
import type { MergeRequestRow, VersionRow } from '../tables.ts';
import { allDifferences, differences } from './collect.ts';
import type { VersionEntity } from './schema.ts';
import { listVersions } from './store.ts';

type Range = Pick<VersionRow, 'base_sha' | 'head_sha'>;

const nothing: LimitedDiff = { entries: [], overflow: false };

function rangeOf({ base_sha, head_sha }: Pick<MergeRequestRow, 'base_sha' | 'head_sha'>): Range | undefined {
  return base_sha === null || head_sha === null ? undefined : { base_sha, head_sha };
}

/** The diff of a version; empty and marked as such if the comparison times out. */
async function diffOf(
  services: Services,
  call: ProjectCall,
  range: Range | undefined,
  shown: 'limited' | 'expanded' | 'all' = 'limited',
): Promise<LimitedDiff> {
  if (range === undefined || range.base_sha === range.head_sha) return nothing;
  const { signal, subject } = call;
  try {
    const { base_sha: from, head_sha: to } = range;
    const { id } = subject.project;
    return await runExpensive(services, call, () =>
      shown === 'all'
        ? allDifferences(services, id, from, to, { signal })
        : differences(services, id, from, to, { signal, expanded: shown === 'expanded' }),
    );
  } catch (error) {
    if (error instanceof GitError && error.timedOut) return { entries: [], overflow: true };
    throw error;
  }
}

export async function listDiffs(
  services: Services,
  call: ProjectCall,
  iid: number,
  unidiff: boolean,
  { offset, perPage }: PageRequest,
): Promise<Page<DiffEntity>> {
  const { request } = await requireRequest(services, call.subject, iid);
  const { entries } = await diffOf(services, call, rangeOf(request));
  const shown = entries.slice(offset, offset + perPage).map((entry) => presentDiff(entry, unidiff));
  return new Page(shown, entries.length);
}

async function requireVersion(services: Services, request: MergeRequestRow, id: number): Promise<VersionRow> {
  const version = (await listVersions(services.db.read, request.id)).find((one) => one.id === id);
  if (!version) throw NotFound.record();
  return version;
}

/** The diff of a version; older versions of merged requests have no files any more. */
const diffOfVersion = async (services: Services, call: ProjectCall, version: VersionRow): Promise<LimitedDiff> =>
  version.state === 'without_files' ? nothing : diffOf(services, call, version, 'expanded');

/** All changed files of a merge request or of one of its versions, in diff order. */
export async function listDiffStats(
  services: Services,
  call: ProjectCall,
  iid: number,
  versionId: number | undefined,
): Promise<DiffStatEntity[]> {
  const { request } = await requireRequest(services, call.subject, iid);
  const { entries } =
    versionId === undefined
      ? await diffOf(services, call, rangeOf(request))
      : await diffOfVersion(services, call, await requireVersion(services, request, versionId));
  return entries.map(presentDiffStat);
}

export async function withChanges(
  services: Services,
  call: ProjectCall,
  iid: number,
  { unidiff, access_raw_diffs }: { readonly unidiff: boolean; readonly access_raw_diffs: boolean },
): Promise<DetailEntity & { changes: DiffEntity[]; overflow: boolean }> {
  const { caller, subject } = call;
  const state = await requireRequest(services, subject, iid);
  const { entries, overflow } = await diffOf(
    services,
    call,
    rangeOf(state.request),
    access_raw_diffs ? 'all' : 'limited',
  );
  const entity = await presentDetail(services, caller, subject, state);
  return { ...entity, changes: entries.map((entry) => presentDiff(entry, unidiff)), overflow };
}

/** The complete git diff as a stream, which holds a slot for expensive reads until it is closed. */
export async function rawDiff(services: Services, call: ProjectCall, iid: number): Promise<Readable> {
  const { request } = await requireRequest(services, call.subject, iid);
  const range = rangeOf(request);
  if (range === undefined || range.base_sha === range.head_sha) return Readable.from([]);
  const repo = services.git.repository(request.project_id);
  const release = await acquireReadSlot(services, call);
  const query = { from: range.base_sha, to: range.head_sha };
  const stream = Readable.from(plainPatch(repo, query, { signal: call.signal }), { objectMode: false });
  stream.once('close', release);
  return stream;
}

/** Commits of a merge request, newest first. */
export async function listRequestCommits(
  services: Services,
  call: ProjectCall,
  iid: number,
  { offset, perPage }: PageRequest,
): Promise<Page<CommitEntity>> {
  const { request } = await requireRequest(services, call.subject, iid);
  const { head_sha: head, start_sha: start } = request;
  if (head === null || start === null) return new Page([], 0);
  const newest = (await listVersions(services.db.read, request.id))[0];
  const objects = services.git.objects(services.git.repository(request.project_id));
  const walk = { tips: [head], exclude: [start], offset, limit: perPage };
  const commits = await listCommits(objects, walk, (work) =>
    runExpensive(services, call, () => work({ signal: call.signal })),
  );
  const url = projectUrl(services, call.subject);
  return new Page(
    commits.map((commit) => presentCommit(commit, url)),
    newest?.commits_count ?? 0,
  );
}

function presentVersion(row: VersionRow): VersionEntity {
  return {
    id: row.id,
    head_commit_sha: row.head_sha,
    base_commit_sha: row.base_sha,
    start_commit_sha: row.start_sha,
    created_at: instant(row.created_at),
    merge_request_id: row.merge_request_id,
    state: row.state,
    real_size: row.real_size,
    patch_id_sha: row.patch_id_sha,
  };
}

export async function listRequestVersions(
  services: Services,
  { subject }: ProjectCall,
  iid: number,
  { offset, perPage }: PageRequest,
): Promise<Page<VersionEntity>> {
  const { request } = await requireRequest(services, subject, iid);
  const versions = await listVersions(services.db.read, request.id);
  return new Page(versions.slice(offset, offset + perPage).map(presentVersion), versions.length);
}

const maxCommits = 1000;

/** One version with its commits and all files that are not too large. */
export async function getVersion(
  services: Services,
  call: ProjectCall,
  iid: number,
  { version_id, unidiff }: { readonly version_id: number; readonly unidiff: boolean },
) {
  const { subject, signal } = call;
  const { request } = await requireRequest(services, subject, iid);
  const version = await requireVersion(services, request, version_id);
  const objects = services.git.objects(services.git.repository(request.project_id));
  const walk = { tips: [version.head_sha], exclude: [version.start_sha], limit: maxCommits };
  const [commits, { entries }] = await Promise.all([
    listCommits(objects, walk, (work) => runExpensive(services, call, () => work({ signal }))),
    diffOfVersion(services, call, version),
  ]);
  const url = projectUrl(services, subject);
  return {
    ...presentVersion(version),
    commits: commits.map((commit) => presentCommit(commit, url)),
    diffs: entries.map((entry) => presentDiff(entry, unidiff)),
  };
}
