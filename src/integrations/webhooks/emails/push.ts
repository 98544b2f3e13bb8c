import { oneLine } from '../chats/markup.ts';
import { branchOrTagName, type HookPayload } from '../chats/message.ts';

/** The part of a push payload that the e-mail uses. */
export interface Pushed extends HookPayload {
  readonly commits?: readonly {
    readonly id: string;
    readonly title: string;
    readonly message: string;
    readonly url: string;
    readonly author: { readonly name: string };
  }[];
}

/** The content of an e-mail without recipients and reason. */
export interface Text {
  readonly subject: string;
  readonly says: readonly string[];
  readonly code?: string;
  readonly link: { readonly text: string; readonly url: string };
}

/** The changed files of a push, within the size limits. */
export interface PushedFiles {
  readonly names: readonly string[];
  /** Unset if the integration sends no diffs. */
  readonly patch?: string;
}

const nothing = /^0+$/;
const longestMessage = 2000;

export const isRemoval = ({ after = '' }: HookPayload): boolean => nothing.test(after);
export const isCreation = ({ before = '' }: HookPayload): boolean => nothing.test(before);

export function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}

/** Returns the e-mail for a push to a branch or tag. */
export function pushText(payload: Pushed, files: PushedFiles): Text {
  const { ref = '', project, commits = [], total_commits_count: count = 0 } = payload;
  const kind = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  const name = branchOrTagName(ref);
  const who = payload.user_name ?? 'Somebody';
  const place = project.path_with_namespace;
  const link = { text: place, url: project.web_url };
  if (isRemoval(payload)) {
    return {
      subject: `[Git][${place}] Deleted ${kind} ${name}`,
      says: [`${who} deleted the ${kind} ${name} in ${place}.`],
      link,
    };
  }
  const listed = commits.map(({ id, message, author }) => {
    const text = shortened(message.trim(), longestMessage).replace(/^/gm, '    ');
    return `${id.slice(0, 8)} by ${oneLine(author.name)}\n${text}`;
  });
  const left = count > commits.length ? [`… and ${count - commits.length} earlier commits.`] : [];
  if (isCreation(payload)) {
    const page = `${project.web_url}/-/${kind === 'tag' ? 'tags' : 'tree'}/${encodeURI(name)}`;
    return {
      subject: `[Git][${place}] Pushed new ${kind} ${name}`,
      says: [`${who} pushed the new ${kind} ${name} in ${place}.`, ...listed, ...left],
      link: { text: name, url: page },
    };
  }
  const newest = commits.at(-1)?.title ?? name;
  return {
    subject: `[Git][${place}][${name}] ${count > 1 ? `${count} commits: ` : ''}${oneLine(newest)}`,
    says: [
      `${who} pushed to the ${kind} ${name} in ${place}.`,
      ...listed,
      ...left,
      ...(files.names.length > 0 ? [`Changed files:\n${files.names.map((each) => `- ${each}`).join('\n')}`] : []),
    ],
    ...(files.patch ? { code: files.patch } : {}),
    link: { text: 'Compare', url: `${project.web_url}/-/compare/${payload.before}...${payload.after}` },
  };
}
