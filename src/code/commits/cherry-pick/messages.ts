import type { Commit } from '../../../platform/git/objects/commit.ts';
import { trimTrailing } from '../../../platform/trim.ts';
import type { MergedRequest } from '../merge-requests.ts';
import { shownTitle } from '../present.ts';

/**
 * The commit message of a cherry-picked commit or merge request. It credits the original author, because the caller is
 * recorded as the author of the new commit.
 */
export function cherryPickMessage(commit: Commit, merged?: MergedRequest): string {
  const { name, email } = commit.author;
  const commitLines = (merged?.commits ?? []).map(({ id, title }) => `${id.slice(0, 8)} ${title}`);
  return [
    trimTrailing(commit.message, '\n'),
    `(cherry picked from commit ${commit.oid})`,
    ...(commitLines.length > 0 ? [commitLines.join('\n')] : []),
    `Co-authored-by: ${name} <${email}>`,
  ].join('\n\n');
}

/** The commit message that reverts a commit or a whole merge request. */
export function revertMessage(commit: Commit, merged?: MergedRequest): string {
  const subject = merged ? `merge request !${merged.iid}` : `commit ${commit.oid}`;
  return `Revert "${shownTitle(commit)}"\n\nThis reverts ${subject}`;
}
