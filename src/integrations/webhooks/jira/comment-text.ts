import { oneLine } from '../chats/markup.ts';

/** A commit or merge request that mentions a Jira issue. */
export interface Source {
  /** Unique key within the project: `commit <id>` or `merge_request <id>`. */
  readonly about: string;
  /** With its article, such as `a commit`. */
  readonly noun: string;
  readonly title: string;
  readonly url: string;
  readonly actor: string;
  readonly project: { readonly path: string; readonly url: string };
}

/** Escapes user text so that it produces no links, mentions or macros. */
const plain = (text: string) => oneLine(text).replace(/[\\{}[\]|!*_^~+@#-]/g, '\\$&');
const link = (words: string, url: string) => `[${plain(words)}|${url.replace(/[|\]\s]/g, encodeURIComponent)}]`;

/** Returns the comment for a mentioned or closed issue in Jira markup. */
export function commentText(source: Source, deed: 'mention' | 'close'): string {
  const { actor, noun, url, title, project } = source;
  const place = `${link(noun, url)} of ${link(project.path, project.url)}`;
  const phrase = deed === 'close' ? 'closed this issue by' : 'mentioned this issue in';
  return `${plain(actor)} ${phrase} ${place}:\n{quote}${plain(title)}{quote}`;
}

/** Returns the remote link of an issue. Jira replaces a link with the same ID, so this is idempotent. */
export function remoteLink({ url, noun, title }: Source, resolved: boolean): object {
  const name = noun.replace(/^an? /, '');
  return {
    globalId: url,
    application: { name: 'Hearth' },
    relationship: 'mentioned on',
    object: { url, title: `${name[0]?.toUpperCase()}${name.slice(1)} - ${oneLine(title)}`, status: { resolved } },
  };
}
