/** Texts of system notes on merge requests, as in GitLab. */

export const draftChanged = (draft: boolean) => `marked this merge request as **${draft ? 'draft' : 'ready'}**`;

export const draftByCommit = (sha: string) => `marked this merge request as **draft** from ${sha}`;

export const targetChanged = (before: string, after: string) =>
  `changed target branch from \`${before}\` to \`${after}\``;

export const targetMergedAway = (before: string, after: string) =>
  `deleted the \`${before}\` branch. This merge request now targets the \`${after}\` branch`;

export const sourceDeleted = (branch: string) => `deleted source branch \`${branch}\``;

export const sourceRestored = (branch: string) => `restored source branch \`${branch}\``;

export const lineChanged = (kind: string, version: number, address: string) =>
  `changed this ${kind === 'text' ? 'line' : 'file'} in [version ${version} of the diff](${address})`;

export const picked = (branch: string, address: string, sha: string) =>
  `picked the changes into the branch [\`${branch}\`](${address}) with commit ${sha}`;

export const allResolved = 'resolved all threads';

export const continuedIn = (issue: number) => `created #${issue} to continue this discussion`;

export const reviewed = 'left review comments';

export const approved = 'approved this merge request';
export const unapproved = 'unapproved this merge request';
export const requestedChanges = 'requested changes';

export const autoMergeEnabled = (sha: string) => `enabled an automatic merge when all merge checks for ${sha} pass`;

export const autoMergeCanceled = 'canceled the automatic merge';

export const autoMergeAborted = (reason: string) => `aborted the automatic merge because ${reason}`;

export const trainBoarded = (position: number) =>
  position === 1 ? 'started a merge train' : `added this merge request to the merge train at position ${position}`;

export const trainLeft = (reason?: string) =>
  `removed this merge request from the merge train${reason === undefined ? '' : ` because ${reason}`}`;

interface Added {
  readonly sha: string;
  readonly title: string;
}

const shownCommits = 100;

/** Lists the commits added by a push, oldest first. */
export function commitsAdded(commits: readonly Added[], total: number): string {
  const heading = `added ${total} commit${total === 1 ? '' : 's'}`;
  const items = commits
    .slice(0, shownCommits)
    .map(({ sha, title }) => `<li>${sha.slice(0, 8)} - ${escaped(title)}</li>`);
  return `${heading}\n\n<ul>${items.join('')}</ul>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
