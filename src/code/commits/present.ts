import { parseTrailers } from '../../platform/git/history/trailers.ts';
import { type Commit, commitTitle } from '../../platform/git/objects/commit.ts';
import { identityDate } from '../../platform/git/objects/identity.ts';
import type { CommitEntity } from './schema.ts';

/** The displayed title of a commit. */
export function shownTitle(commit: Commit): string {
  return commitTitle(commit.message) || 'No commit message';
}

/** Presents a commit. `projectUrl` is the web URL of its project. */
export function presentCommit(commit: Commit, projectUrl: string, trailers = false): CommitEntity {
  const committed = identityDate(commit.committer);
  return {
    id: commit.oid,
    short_id: commit.oid.slice(0, 8),
    created_at: committed,
    parent_ids: [...commit.parents],
    title: shownTitle(commit),
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: identityDate(commit.author),
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: committed,
    ...(trailers ? presentTrailers(commit.message) : { trailers: {}, extended_trailers: {} }),
    web_url: `${projectUrl}/-/commit/${commit.oid}`,
  };
}

/** The trailers of a message: the last value by key, and all values by key. */
export function presentTrailers(message: string): Pick<CommitEntity, 'trailers' | 'extended_trailers'> {
  const trailers: Record<string, string> = {};
  const extended: Record<string, string[]> = {};
  for (const { key, value } of parseTrailers(message)) {
    trailers[key] = value;
    if (Object.hasOwn(extended, key)) extended[key]?.push(value);
    else extended[key] = [value];
  }
  return { trailers, extended_trailers: extended };
}
