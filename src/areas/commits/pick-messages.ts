import type { Commit } from '../../platform/git/commit.ts';
import { shownTitle } from './present.ts';

/** The message of a commit that takes another's change over; its author is named, since the caller makes the commit. */
export function pickMessage(commit: Commit): string {
  const { name, email } = commit.author;
  return [
    commit.message.replace(/\n+$/, ''),
    `(cherry picked from commit ${commit.oid})`,
    `Co-authored-by: ${name} <${email}>`,
  ].join('\n\n');
}

/** The message of a commit that takes another's change back. */
export function revertMessage(commit: Commit): string {
  return `Revert "${shownTitle(commit)}"\n\nThis reverts commit ${commit.oid}`;
}
