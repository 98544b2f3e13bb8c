import { type Link, oneLine, type Part } from './markup.ts';

/** A message about an event: a sentence and detail lines. */
export interface Message {
  readonly actor: string;
  /** Name of the project. */
  readonly place: string;
  readonly sentence: readonly Part[];
  readonly details: readonly (readonly Part[])[];
  readonly mood: 'good' | 'bad' | 'plain';
  /** Key that groups messages into a thread, in chats that support threads. */
  readonly thread?: string;
}

/** The part of a webhook payload that messages use. */
export interface HookPayload {
  readonly object_kind?: string;
  readonly ref?: string;
  readonly ref_protected?: boolean;
  readonly before?: string;
  readonly after?: string;
  readonly user_name?: string | null;
  readonly user?: { readonly name: string } | null;
  readonly project: {
    readonly path_with_namespace: string;
    readonly web_url: string;
    readonly default_branch?: string | null;
  };
  readonly commits?: readonly Commit[];
  readonly commit?: Commit | null;
  readonly total_commits_count?: number;
  readonly labels?: readonly { readonly title: string }[];
  readonly object_attributes?: Attributes;
  readonly issue?: Item;
  readonly merge_request?: Item | null;
  readonly snippet?: Omit<Item, 'iid'> & { readonly id: number };
  readonly status?: string;
  readonly environment?: string;
  readonly deployable_url?: string | null;
  readonly short_sha?: string;
  readonly commit_url?: string;
  readonly commit_title?: string | null;
}

interface Commit {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly author: { readonly name: string };
}

interface Item {
  readonly iid: number;
  readonly title: string;
  readonly labels?: readonly { readonly title: string }[];
}

interface Attributes {
  readonly id?: number;
  readonly iid?: number;
  readonly title?: string;
  readonly description?: string | null;
  readonly action?: string;
  readonly url?: string;
  readonly note?: string;
  readonly noteable_type?: string;
  readonly ref?: string;
  readonly tag?: boolean;
  readonly protected_ref?: boolean;
  readonly sha?: string;
  readonly status?: string;
  readonly detailed_status?: string;
  readonly duration?: number | null;
  readonly message?: string | null;
}

const shownCommits = 5;
const nothing = /^0+$/;

const projectLink = ({ project }: HookPayload): Link => ({ words: project.path_with_namespace, url: project.web_url });

function framed(told: HookPayload, rest: Pick<Message, 'sentence' | 'details'> & Partial<Message>): Message {
  const actor = told.user?.name ?? told.user_name ?? 'Somebody';
  return {
    actor,
    place: told.project.path_with_namespace,
    mood: 'plain',
    ...rest,
    sentence: [actor, ...rest.sentence, ' in ', projectLink(told)],
  };
}

/** Returns the name of a branch or tag. */
export const nameOf = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '');

function pushed(told: HookPayload): Message {
  const { ref = '', before = '', after = '', commits = [], total_commits_count: count = 0, project } = told;
  const isTag = ref.startsWith('refs/tags/');
  const kind = isTag ? 'tag' : 'branch';
  const name = nameOf(ref);
  const link: Link = { words: name, url: `${project.web_url}/-/${isTag ? 'tags' : 'commits'}/${encodeURI(name)}` };
  if (nothing.test(after)) return framed(told, { sentence: [` removed the ${kind} ${name}`], details: [] });
  const details = commits
    .slice(-shownCommits)
    .map((commit): Part[] => [{ words: commit.id.slice(0, 8), url: commit.url }, `: ${oneLine(commit.title)}`]);
  if (nothing.test(before)) return framed(told, { sentence: [` pushed the new ${kind} `, link], details });
  const compare = { words: `${count} ${count === 1 ? 'commit' : 'commits'}`, url: comparison(project.web_url, told) };
  return framed(told, { sentence: [' pushed ', compare, ` to the ${kind} `, link], details });
}

const comparison = (web: string, { before, after }: HookPayload) => `${web}/-/compare/${before}...${after}`;

const deeds: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  approved: 'approved',
  approval: 'approved',
  unapproved: 'revoked the approval of',
  unapproval: 'revoked an approval of',
};

/** Message for an issue or merge request: state changes only, not edits. */
function item(told: HookPayload, what: string, sign: string): Message | undefined {
  const { action = '', iid, title = '', url = '', description } = told.object_attributes ?? {};
  const deed = deeds[action];
  if (deed === undefined) return undefined;
  return framed(told, {
    sentence: [` ${deed} ${what} `, { words: `${sign}${iid} ${title}`, url }],
    details: action === 'open' && description ? [[oneLine(description)]] : [],
    mood: action === 'merge' ? 'good' : 'plain',
    thread: `${told.project.path_with_namespace}${sign}${iid}`,
  });
}

function commented(told: HookPayload): Message {
  const { note = '', url = '' } = told.object_attributes ?? {};
  const about = told.issue
    ? { words: `issue #${told.issue.iid} ${told.issue.title}`, thread: `#${told.issue.iid}` }
    : told.merge_request
      ? {
          words: `merge request !${told.merge_request.iid} ${told.merge_request.title}`,
          thread: `!${told.merge_request.iid}`,
        }
      : told.snippet
        ? { words: `snippet $${told.snippet.id} ${told.snippet.title}`, thread: `$${told.snippet.id}` }
        : { words: `commit ${told.commit?.id.slice(0, 8) ?? ''}`, thread: `@${told.commit?.id ?? ''}` };
  return framed(told, {
    sentence: [' commented on ', { words: about.words, url }],
    details: [[oneLine(note)]],
    thread: told.project.path_with_namespace + about.thread,
  });
}

const ends: Readonly<Record<string, Message['mood']>> = { success: 'good', failed: 'bad' };

/** Message for a finished pipeline. */
function pipeline(told: HookPayload): Message | undefined {
  const { id, ref = '', status = '', detailed_status = status, url, duration } = told.object_attributes ?? {};
  const mood = ends[status];
  if (mood === undefined) return undefined;
  const address = url ?? `${told.project.web_url}/-/pipelines/${id}`;
  const lasted = duration ? ` after ${duration} s` : '';
  const actor = told.user?.name ?? 'Somebody';
  return {
    actor,
    place: told.project.path_with_namespace,
    sentence: [
      'Pipeline ',
      { words: `#${id}`, url: address },
      ` of ${ref} by ${actor} ${detailed_status}${lasted} in `,
      projectLink(told),
    ],
    details: told.commit
      ? [[{ words: told.commit.id.slice(0, 8), url: told.commit.url }, `: ${oneLine(told.commit.title)}`]]
      : [],
    mood,
    thread: `${told.project.path_with_namespace} pipeline ${id}`,
  };
}

function wikiPage(told: HookPayload): Message {
  const { action = '', title = '', url = '', message } = told.object_attributes ?? {};
  const deed = action === 'create' ? 'wrote' : action === 'delete' ? 'deleted' : 'changed';
  return framed(told, {
    sentence: [` ${deed} the wiki page `, { words: title, url }],
    details: message ? [[oneLine(message)]] : [],
  });
}

const deploymentMoods: Readonly<Record<string, readonly [string, Message['mood']]>> = {
  running: ['started a deployment', 'plain'],
  success: ['deployed', 'good'],
  failed: ['could not deploy', 'bad'],
  canceled: ['canceled a deployment', 'plain'],
};

function deployment(told: HookPayload): Message | undefined {
  const known = deploymentMoods[told.status ?? ''];
  if (!known) return undefined;
  const [deed, mood] = known;
  const job = told.deployable_url ? [' by ', { words: 'a job', url: told.deployable_url }] : [];
  return framed(told, {
    sentence: [` ${deed} to ${told.environment}`, ...job],
    details: [[{ words: told.short_sha ?? '', url: told.commit_url ?? '' }, `: ${oneLine(told.commit_title ?? '')}`]],
    mood,
  });
}

/** Returns the message for an event; undefined for events that are not reported. */
export function messageOf(told: HookPayload): Message | undefined {
  switch (told.object_kind) {
    case 'push':
    case 'tag_push':
      return pushed(told);
    case 'issue':
      return item(told, 'issue', '#');
    case 'merge_request':
      return item(told, 'merge request', '!');
    case 'note':
      return commented(told);
    case 'pipeline':
      return pipeline(told);
    case 'wiki_page':
      return wikiPage(told);
    case 'deployment':
      return deployment(told);
    default:
      return undefined;
  }
}
