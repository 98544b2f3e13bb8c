import type { Commit } from '../../../platform/git/objects/commit.ts';
import { trimTrailing } from '../../../platform/trim.ts';
import type { MergedRequest } from '../merge-requests.ts';
import { shownTitle } from '../present.ts';

/**
 * The message of a commit that takes another's change over, or that of a whole merge request; its author is named,
 * since the caller makes the commit.
 */
export function cherryPickMessage(commit: Commit, merged?: MergedRequest): string {
  const { name, email } = commit.author;
  const brought = (merged?.commits ?? []).map(({ id, title }) => `${id.slice(0, 8)} ${title}`);
  return [
    trimTrailing(commit.message, '\n'),
    `(cherry picked from commit ${commit.oid})`,
    ...(brought.length > 0 ? [brought.join('\n')] : []),
    `Co-authored-by: ${name} <${email}>`,
  ].join('\n\n');
}

/** The message of a commit that takes another's change back, or that of a whole merge request. */
export function revertMessage(commit: Commit, merged?: MergedRequest): string {
  const what = merged ? `merge request !${merged.iid}` : `commit ${commit.oid}`;
  return `Revert "${shownTitle(commit)}"\n\nThis reverts ${what}`;
}
