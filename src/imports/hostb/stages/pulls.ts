import { ensureBranch, importedTime, importMergeRequest } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { hostbPages } from '../api.ts';
import { type HostbPull, lists } from '../records.ts';
import { contextOf, type HostbContext } from './context.ts';

const states = new Map<string, 'opened' | 'merged'>([
  ['OPEN', 'opened'],
  ['MERGED', 'merged'],
]);

export async function importPulls(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  const all = ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'].map((state) => `state=${state}`).join('&');
  const first = `${context.place}/pullrequests?${all}&sort=created_on&pagelen=50`;
  for await (const pulls of hostbPages(run, context.client, lists.pulls, first, 'pulls')) {
    for (const pull of pulls) {
      // Pull requests from forks are skipped, because forks are not imported.
      if (pull.source.repository?.uuid !== pull.destination.repository?.uuid) continue;
      await importPull(run, context, pull);
    }
  }
}

async function importPull(run: ImportRun, { idOf, text }: HostbContext, pull: HostbPull): Promise<void> {
  const state = states.get(pull.state) ?? 'closed';
  const [head, start, merge] = await Promise.all([
    wholeId(run, pull.source.commit?.hash),
    wholeId(run, pull.destination.commit?.hash),
    wholeId(run, pull.merge_commit?.hash),
  ]);
  const sourceBranch = pull.source.branch.name;
  if (state === 'opened' && head) await ensureBranch(run, sourceBranch, head);
  const updatedAt = importedTime(pull.updated_on ?? pull.created_on);
  const authorId = await idOf(pull.author);
  const endedBy = pull.closed_by ? await idOf(pull.closed_by) : null;
  await importMergeRequest(run, {
    number: pull.id,
    title: pull.title,
    description: await text(pull.description, pull.author),
    state,
    sourceBranch,
    targetBranch: pull.destination.branch.name,
    headSha: head ?? merge,
    startSha: start,
    mergeCommitSha: merge,
    mergeUserId: state === 'merged' ? endedBy : null,
    mergedAt: state === 'merged' ? updatedAt : null,
    closedById: state === 'closed' ? endedBy : null,
    closedAt: state === 'closed' ? updatedAt : null,
    authorId,
    assigneeIds: [authorId],
    reviewerIds: await reviewersOf(pull, idOf, run),
    labelIds: [],
    milestoneId: null,
    createdAt: importedTime(pull.created_on),
    updatedAt,
  });
}

/** Only users with an account here can be reviewers. */
async function reviewersOf(pull: HostbPull, idOf: HostbContext['idOf'], run: ImportRun): Promise<number[]> {
  const ids = [];
  const unknown = await idOf(null);
  for (const reviewer of pull.reviewers ?? []) {
    const id = await idOf(reviewer);
    if (id !== unknown && id !== run.userId) ids.push(id);
  }
  return ids;
}

// The API abbreviates commit IDs to twelve digits.
async function wholeId({ services, project }: ImportRun, short: string | undefined): Promise<string | null> {
  if (!short || !/^[0-9a-f]{7,40}$/.test(short)) return null;
  return (await services.git.resolve(services.git.repository(project.id), short))?.commit ?? null;
}
