import { oneLine } from '../chats/markup.ts';

/** Something that names an issue of Jira: a commit, or a merge request. */
export interface Source {
  /** Tells it from all others of the project: `commit <id>`, `merge_request <id>`. */
  readonly about: string;
  /** As in `a commit`. */
  readonly noun: string;
  readonly title: string;
  readonly url: string;
  readonly actor: string;
  readonly project: { readonly path: string; readonly url: string };
}

/** What somebody wrote stays what it is: it makes no link, calls nobody and is no macro. */
const plain = (text: string) => oneLine(text).replace(/[\\{}[\]|!*_^~+@#-]/g, '\\$&');
const link = (words: string, url: string) => `[${plain(words)}|${url.replace(/[|\]\s]/g, encodeURIComponent)}]`;

/** The comment on an issue that was named, or closed, in the markup of Jira. */
export function commentText(source: Source, deed: 'mention' | 'close'): string {
  const { actor, noun, url, title, project } = source;
  const place = `${link(noun, url)} of ${link(project.path, project.url)}`;
  const said = deed === 'close' ? 'closed this issue by' : 'mentioned this issue in';
  return `${plain(actor)} ${said} ${place}:\n{quote}${plain(title)}{quote}`;
}

/** The link beside an issue. One with the same id is replaced, so that it may be sent again. */
export function remoteLink({ url, noun, title }: Source, resolved: boolean): object {
  const name = noun.replace(/^an? /, '');
  return {
    globalId: url,
    application: { name: 'Hearth' },
    relationship: 'mentioned on',
    object: { url, title: `${name[0]?.toUpperCase()}${name.slice(1)} - ${oneLine(title)}`, status: { resolved } },
  };
}
