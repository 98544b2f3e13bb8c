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

function framed(payload: HookPayload, rest: Pick<Message, 'sentence' | 'details'> & Partial<Message>): Message {
  const actor = payload.user?.name ?? payload.user_name ?? 'Somebody';
  return {
    actor,
    place: payload.project.path_with_namespace,
    mood: 'plain',
    ...rest,
    sentence: [actor, ...rest.sentence, ' in ', projectLink(payload)],
  };
}

/** Returns the name of a branch or tag. */
export const branchOrTagName = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '');

function pushed(payload: HookPayload): Message {
  const { ref = '', before = '', after = '', commits = [], total_commits_count: count = 0, project } = payload;
  const isTag = ref.startsWith('refs/tags/');
  const kind = isTag ? 'tag' : 'branch';
  const name = branchOrTagName(ref);
  const link: Link = { words: name, url: `${project.web_url}/-/${isTag ? 'tags' : 'commits'}/${encodeURI(name)}` };
  if (nothing.test(after)) return framed(payload, { sentence: [` removed the ${kind} ${name}`], details: [] });
  const details = commits
    .slice(-shownCommits)
    .map((commit): Part[] => [{ words: commit.id.slice(0, 8), url: commit.url }, `: ${oneLine(commit.title)}`]);
  if (nothing.test(before)) return framed(payload, { sentence: [` pushed the new ${kind} `, link], details });
  const compare = {
    words: `${count} ${count === 1 ? 'commit' : 'commits'}`,
    url: comparison(project.web_url, payload),
  };
  return framed(payload, { sentence: [' pushed ', compare, ` to the ${kind} `, link], details });
}

const comparison = (web: string, { before, after }: HookPayload) => `${web}/-/compare/${before}...${after}`;

const verbs: Readonly<Record<string, string>> = {
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
function item(payload: HookPayload, what: string, sign: string): Message | undefined {
  const { action = '', iid, title = '', url = '', description } = payload.object_attributes ?? {};
  const deed = verbs[action];
  if (deed === undefined) return undefined;
  return framed(payload, {
    sentence: [` ${deed} ${what} `, { words: `${sign}${iid} ${title}`, url }],
    details: action === 'open' && description ? [[oneLine(description)]] : [],
    mood: action === 'merge' ? 'good' : 'plain',
    thread: `${payload.project.path_with_namespace}${sign}${iid}`,
  });
}

function commented(payload: HookPayload): Message {
  const { note = '', url = '' } = payload.object_attributes ?? {};
  const about = payload.issue
    ? { words: `issue #${payload.issue.iid} ${payload.issue.title}`, thread: `#${payload.issue.iid}` }
    : payload.merge_request
      ? {
          words: `merge request !${payload.merge_request.iid} ${payload.merge_request.title}`,
          thread: `!${payload.merge_request.iid}`,
        }
      : payload.snippet
        ? { words: `snippet $${payload.snippet.id} ${payload.snippet.title}`, thread: `$${payload.snippet.id}` }
        : { words: `commit ${payload.commit?.id.slice(0, 8) ?? ''}`, thread: `@${payload.commit?.id ?? ''}` };
  return framed(payload, {
    sentence: [' commented on ', { words: about.words, url }],
    details: [[oneLine(note)]],
    thread: payload.project.path_with_namespace + about.thread,
  });
}

const ends: Readonly<Record<string, Message['mood']>> = { success: 'good', failed: 'bad' };

/** Message for a finished pipeline. */
function pipeline(payload: HookPayload): Message | undefined {
  const { id, ref = '', status = '', detailed_status = status, url, duration } = payload.object_attributes ?? {};
  const mood = ends[status];
  if (mood === undefined) return undefined;
  const address = url ?? `${payload.project.web_url}/-/pipelines/${id}`;
  const lasted = duration ? ` after ${duration} s` : '';
  const actor = payload.user?.name ?? 'Somebody';
  return {
    actor,
    place: payload.project.path_with_namespace,
    sentence: [
      'Pipeline ',
      { words: `#${id}`, url: address },
      ` of ${ref} by ${actor} ${detailed_status}${lasted} in `,
      projectLink(payload),
    ],
    details: payload.commit
      ? [[{ words: payload.commit.id.slice(0, 8), url: payload.commit.url }, `: ${oneLine(payload.commit.title)}`]]
      : [],
    mood,
    thread: `${payload.project.path_with_namespace} pipeline ${id}`,
  };
}

function wikiPage(payload: HookPayload): Message {
  const { action = '', title = '', url = '', message } = payload.object_attributes ?? {};
  const deed = action === 'create' ? 'wrote' : action === 'delete' ? 'deleted' : 'changed';
  return framed(payload, {
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

function deployment(payload: HookPayload): Message | undefined {
  const known = deploymentMoods[payload.status ?? ''];
  if (!known) return undefined;
  const [deed, mood] = known;
  const job = payload.deployable_url ? [' by ', { words: 'a job', url: payload.deployable_url }] : [];
  return framed(payload, {
    sentence: [` ${deed} to ${payload.environment}`, ...job],
    details: [
      [{ words: payload.short_sha ?? '', url: payload.commit_url ?? '' }, `: ${oneLine(payload.commit_title ?? '')}`],
    ],
    mood,
  });
}

/** Returns the message for an event; undefined for events that are not reported. */
export function messageOf(payload: HookPayload): Message | undefined {
  switch (payload.object_kind) {
    case 'push':
    case 'tag_push':
      return pushed(payload);
    case 'issue':
      return item(payload, 'issue', '#');
    case 'merge_request':
      return item(payload, 'merge request', '!');
    case 'note':
      return commented(payload);
    case 'pipeline':
      return pipeline(payload);
    case 'wiki_page':
      return wikiPage(payload);
    case 'deployment':
      return deployment(payload);
    default:
      return undefined;
  }
}
