import { hash } from 'node:crypto';
import {
  addImportedNote,
  ensureBranch,
  importedText,
  importedTime,
  importIssue,
  importLabel,
  importLfsObjects,
  importRepository,
  importRequest,
  importWiki,
  labelIdsOf,
  type Noted,
  noteOnLine,
} from '../content/public.ts';
import type { ImportRun, ImportSource } from '../project-imports/public.ts';
import { type HostbOptions, hostbClient, hostbPages, repositoryPlace } from './api.ts';
import { type HostbComment, type HostbPull, type HostbUser, lists } from './records.ts';

export const hostbSource: ImportSource = {
  type: 'bitbucket',
  stages: [
    { name: 'repository', run: importCloudRepository },
    { name: 'wiki', run: importCloudWiki },
    { name: 'labels', run: importKinds },
    { name: 'pull_requests', run: importPulls },
    { name: 'pull_request_notes', run: importPullNotes },
    { name: 'issues', run: importIssues },
    { name: 'issue_notes', run: importIssueNotes },
    { name: 'lfs_objects', run: importLargeFiles },
  ],
};

const secretsOf = ({ gitUsername, password }: HostbOptions) => ({ username: gitUsername, password });

async function importCloudRepository(run: ImportRun): Promise<void> {
  const options = run.options<HostbOptions>();
  const { cloneUrl: url, defaultBranch } = options;
  await importRepository(run, { url, secrets: secretsOf(options), defaultBranch });
}

async function importCloudWiki(run: ImportRun): Promise<void> {
  const options = run.options<HostbOptions>();
  if (options.hasWiki) await importWiki(run, options.cloneUrl.replace(/(?:\.git)?$/, '.git/wiki'), secretsOf(options));
}

async function importLargeFiles(run: ImportRun): Promise<void> {
  const options = run.options<HostbOptions>();
  await importLfsObjects(run, options.cloneUrl, secretsOf(options));
}

const kinds = { bug: '#ff0000', enhancement: '#428bca', proposal: '#69d100', task: '#7f8c8d' };

/** What issues are called there by kind are labels here. */
async function importKinds(run: ImportRun): Promise<void> {
  if (!run.options<HostbOptions>().hasIssues) return;
  for (const [name, color] of Object.entries(kinds)) await importLabel(run, name, color);
}

function contextOf(run: ImportRun) {
  const options = run.options<HostbOptions>();
  const authorId = run.namespace.kind === 'user' ? (run.namespace.owner_id ?? run.userId) : run.userId;
  /** Nobody of the other host is known here: the text says who wrote it. */
  const text = (body: string | null | undefined, user: HostbUser | null | undefined) => {
    const by = user?.nickname ?? user?.display_name;
    return `${by ? `*Created by: ${by}*\n\n` : ''}${importedText(body)}`;
  };
  return { options, client: hostbClient(run.services, options), place: repositoryPlace(options), authorId, text };
}

type Context = ReturnType<typeof contextOf>;

const states = new Map<string, 'opened' | 'merged'>([
  ['OPEN', 'opened'],
  ['MERGED', 'merged'],
]);

async function importPulls(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  const all = ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'].map((state) => `state=${state}`).join('&');
  const first = `${context.place}/pullrequests?${all}&sort=created_on&pagelen=50`;
  for await (const pulls of hostbPages(run, context.client, lists.pulls, first, 'pulls')) {
    for (const pull of pulls) {
      // Forks are not brought along, and with them nothing that comes from one.
      if (pull.source.repository?.uuid !== pull.destination.repository?.uuid) continue;
      await importPull(run, context, pull);
    }
  }
}

async function importPull(run: ImportRun, { authorId, text }: Context, pull: HostbPull): Promise<void> {
  const state = states.get(pull.state) ?? 'closed';
  const [head, start, merge] = await Promise.all([
    wholeId(run, pull.source.commit?.hash),
    wholeId(run, pull.destination.commit?.hash),
    wholeId(run, pull.merge_commit?.hash),
  ]);
  const sourceBranch = pull.source.branch.name;
  if (state === 'opened' && head) await ensureBranch(run, sourceBranch, head);
  const updatedAt = importedTime(pull.updated_on ?? pull.created_on);
  await importRequest(run, {
    number: pull.id,
    title: pull.title,
    description: text(pull.description, pull.author),
    state,
    sourceBranch,
    targetBranch: pull.destination.branch.name,
    headSha: head ?? merge,
    startSha: start,
    mergeCommitSha: merge,
    mergedAt: state === 'merged' ? updatedAt : null,
    closedAt: state === 'closed' ? updatedAt : null,
    authorId,
    assigneeIds: [authorId],
    labelIds: [],
    milestoneId: null,
    createdAt: importedTime(pull.created_on),
    updatedAt,
  });
}

// The other host cuts them to twelve digits.
async function wholeId({ services, project }: ImportRun, short: string | undefined): Promise<string | null> {
  if (!short || !/^[0-9a-f]{7,40}$/.test(short)) return null;
  return (await services.git.resolve(services.git.repository(project.id), short))?.commit ?? null;
}

async function importPullNotes(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  for await (const { sourceId, targetId } of run.imported('pull_request', 'requests')) {
    const target: Noted = { type: 'MergeRequest', id: targetId };
    const first = `${context.place}/pullrequests/${sourceId}/comments?sort=created_on&pagelen=50`;
    const known = new Map<number, HostbComment>();
    const list = { ...lists.comments, within: `${target.type}/` };
    for await (const comments of hostbPages(run, context.client, list, first)) {
      for (const comment of comments) {
        known.set(comment.id, comment);
        if (comment.deleted !== true) await importNote(run, context, target, comment, known);
      }
    }
  }
}

async function importNote(
  run: ImportRun,
  { authorId, text }: Context,
  target: Noted,
  comment: HostbComment,
  known: ReadonlyMap<number, HostbComment>,
): Promise<void> {
  const body = text(comment.content?.raw, comment.user);
  const first = threadStart(comment, known);
  const { inline } = first;
  const discussionId = hash('sha1', `${run.project.id} ${run.type} ${first.id}`, 'hex');
  const place = inline && {
    path: inline.path,
    oldLine: inline.from ?? null,
    newLine: inline.to ?? null,
    base: null,
    head: null,
  };
  const inThread = place ? { discussionId, ...noteOnLine(place, body) } : { body };
  await run.once('note', `${target.type}/${comment.id}`, async (trx) => {
    const createdAt = importedTime(comment.created_on);
    const note = {
      authorId,
      createdAt,
      updatedAt: importedTime(comment.updated_on ?? comment.created_on),
      ...inThread,
    };
    return (await addImportedNote(run, trx, target, note)).id;
  });
}

function threadStart(comment: HostbComment, known: ReadonlyMap<number, HostbComment>): HostbComment {
  let first = comment;
  for (let steps = 0; steps < 100; steps++) {
    const parent = first.parent && known.get(first.parent.id);
    if (!parent) break;
    first = parent;
  }
  return first;
}

const closedStates = new Set(['resolved', 'invalid', 'duplicate', 'wontfix', 'closed']);

async function importIssues(run: ImportRun): Promise<void> {
  const { options, client, place, authorId, text } = contextOf(run);
  if (!options.hasIssues) return;
  const first = `${place}/issues?sort=created_on&pagelen=50`;
  for await (const issues of hostbPages(run, client, lists.issues, first, 'issues')) {
    for (const issue of issues) {
      const updatedAt = importedTime(issue.edited_on ?? issue.updated_on ?? issue.created_on);
      await importIssue(run, {
        number: issue.id,
        title: issue.title,
        description: text(issue.content?.raw, issue.reporter),
        authorId,
        assigneeIds: [authorId],
        labelIds: await labelIdsOf(run, issue.kind ? [issue.kind] : []),
        milestoneId: null,
        closedAt: closedStates.has(issue.state) ? updatedAt : null,
        createdAt: importedTime(issue.created_on),
        updatedAt,
      });
    }
  }
}

async function importIssueNotes(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  for await (const { sourceId, targetId } of run.imported('issue', 'issues')) {
    const target: Noted = { type: 'Issue', id: targetId };
    const first = `${context.place}/issues/${sourceId}/comments?sort=created_on&pagelen=50`;
    const list = { ...lists.comments, within: `${target.type}/` };
    for await (const comments of hostbPages(run, context.client, list, first)) {
      // A change of state is a comment without words there.
      const said = comments.filter(({ content }) => (content?.raw ?? '') !== '');
      for (const comment of said) await importNote(run, context, target, comment, new Map());
    }
  }
}
