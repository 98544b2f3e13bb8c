import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import { readableIssue } from '../../../planning/issues/public.ts';
import { listCommits } from '../../../platform/git/history/walk.ts';
import { commitTitle } from '../../../platform/git/objects/commit.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { type Branches, importHead, tipsOf } from '../versions/collect.ts';

/** What a title and a description are derived from. */
interface Basis {
  readonly branch: string;
  /** Messages of the commits that the merge request brings, newest first. */
  readonly messages: readonly string[];
  /** The issue whose number the name of the branch begins with. */
  readonly issue: { readonly iid: number; readonly title: string; readonly confidential: number } | undefined;
  /** Whether merging closes the issues that a description names. */
  readonly closes: boolean;
  /** The description that was asked for, or the project's template. */
  readonly description: string | undefined;
}

const bodyOf = (message: string): string =>
  message
    .trimStart()
    .replace(/^[^\n]*/, '')
    .trim();

/** `12-fix_the-roof` is shown as `12 fix the roof`. */
function nameOf(branch: string): string {
  const words = branch.replaceAll(/[-_]+/g, ' ').trim();
  return words === '' ? branch : words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Returns the texts of a merge request opened by a push: those of its only commit, or of the first with more than a
 * title; otherwise a title for the issue or the branch. The description closes the issue.
 */
export function firstTexts({ branch, messages, issue, closes, description }: Basis) {
  const message = messages.length === 1 ? messages[0] : messages.findLast((each) => bodyOf(each) !== '');
  const shownIssue = issue?.confidential === 0 ? `Resolve "${issue.title}"` : undefined;
  const title = (message && commitTitle(message)) || shownIssue || nameOf(branch);
  const text = description ?? (message === undefined ? '' : bodyOf(message));
  const closing = issue ? `${closes ? 'Closes' : 'Related to'} #${issue.iid}` : '';
  return { title, description: [text, closing].filter((part) => part !== '').join('\n\n') };
}

const maxCommits = 1000;

/** Collects what the texts of a new merge request are derived from. */
export async function textsOfNew(
  services: Services,
  caller: SignedInActor,
  target: ProjectSubject,
  branches: Branches,
  description: string | undefined,
) {
  const { source_branch: branch } = branches;
  const [messages, issue] = await Promise.all([
    messagesOf(services, branches),
    issueNamedBy(services, caller, target, branch),
  ]);
  const closes = settingsOf(target.project).autoclose_referenced_issues !== false;
  return firstTexts({ branch, messages, issue, closes, description });
}

async function messagesOf(services: Services, branches: Branches): Promise<string[]> {
  const { source, target } = await tipsOf(services, branches);
  if (source === null || target === null) return [];
  await importHead(services, branches, source);
  const objects = services.git.objects(services.git.repository(branches.project_id));
  const commits = await listCommits(objects, { tips: [source], exclude: [target], limit: maxCommits });
  return commits.map(({ message }) => message);
}

async function issueNamedBy(services: Services, caller: SignedInActor, target: ProjectSubject, branch: string) {
  const [, number] = /^(\d{1,9})-/.exec(branch) ?? [];
  if (number === undefined) return undefined;
  try {
    return (await readableIssue(services, caller, target, Number(number))).issue;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return undefined;
    throw error;
  }
}
