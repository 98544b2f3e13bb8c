import type { Services } from '../../access/services.ts';
import { type BlameRange, blame, blameKey, type LineRange } from '../../platform/git/diff/blame.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { identityDate } from '../../platform/git/objects/identity.ts';
import { GitError } from '../../platform/git/process/errors.ts';
import { BadRequest, NotFound, TooLarge } from '../../platform/http/errors.ts';
import { type ProjectCall, runExpensive } from '../repository/public.ts';
import type { BlameRangeEntity } from './schema.ts';
import type { FoundFile } from './service.ts';

const maxOutputBytes = 64 * 1024 * 1024;

/** Returns the blame of a file, or of a range of lines. */
export async function blameFile(
  services: Services,
  call: ProjectCall,
  file: FoundFile,
  range: LineRange | undefined,
): Promise<BlameRangeEntity[]> {
  if (range && range.start > range.end) {
    throw BadRequest.plain('range[start] must be less than or equal to range[end]');
  }
  if (file.blob === null || file.size === 0) return [];
  const { objects } = file;
  const query = { commit: file.commit.oid, path: file.path, ...(range ? { range } : {}) };
  const options = { signal: call.signal, maxOutputBytes };
  const ranges = await objects.derived('blame', blameKey(query), textSize, () =>
    runExpensive(services, call, () => blame(objects.repo, query, options).catch(refuse)),
  );
  const ids = [...new Set(ranges.map(({ commit }) => commit))];
  const commits = await objects.commits(ids);
  const byId = new Map(ids.map((id, index) => [id, commits[index]]));
  return ranges.flatMap(({ commit, lines }) => {
    const blamedCommit = byId.get(commit);
    return blamedCommit ? [{ commit: presentBlamed(blamedCommit), lines }] : [];
  });
}

function textSize(ranges: readonly BlameRange[]): number {
  return ranges.reduce((sum, { lines }) => sum + lines.reduce((size, line) => size + line.length + 24, 100), 0);
}

function refuse(error: unknown): never {
  if (error instanceof GitError && error.truncated)
    throw new TooLarge('The blame is too large, request a range of lines');
  // git cannot be given a path that is not valid UTF-8.
  if (error instanceof GitError && /^fatal: no such path/m.test(error.stderr)) throw new NotFound('File');
  throw error;
}

function presentBlamed(commit: Commit): BlameRangeEntity['commit'] {
  return {
    id: commit.oid,
    parent_ids: [...commit.parents],
    message: commit.message,
    authored_date: identityDate(commit.author),
    author_name: commit.author.name,
    author_email: commit.author.email,
    committed_date: identityDate(commit.committer),
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
  };
}
