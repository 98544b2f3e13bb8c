import { hash } from 'node:crypto';
import { trimTrailing } from '../../../platform/trim.ts';
import { outsideCode } from '../../content/public.ts';

/** Where the files that texts show are kept. */
export interface AttachmentHost {
  /** Where the pages of the other host are, without a slash at the end. */
  readonly web: string;
  /** `owner/name`. */
  readonly fullName: string;
}

/** Pictures had a host of their own, long ago. */
const pictures = 'https://user-images.githubusercontent.com';
/** More than anybody puts into one text. */
const maxInText = 200;
const address = /https?:\/\/[^\s"'<>()[\]`\\]+/g;

function isAttachment(url: string, { web, fullName }: AttachmentHost): boolean {
  const own = `${web}/${fullName}`.toLowerCase();
  const below = [
    `${web}/user-attachments/assets/`,
    `${web}/user-attachments/files/`,
    `${own}/assets/`,
    `${own}/files/`,
  ];
  const asked = url.toLowerCase();
  return asked.startsWith(`${pictures}/`) || below.some((start) => asked.startsWith(start.toLowerCase()));
}

// What ends a sentence is no part of the address in it.
const cut = (url: string) => trimTrailing(url, '.,;:!?*_~');

/** The addresses of the files that a text shows or links to, each once, in its order. */
export function attachmentsIn(text: string, places: AttachmentHost): string[] {
  const found = new Set<string>();
  outsideCode(text, (part) => {
    for (const [url] of part.matchAll(address)) if (isAttachment(url, places)) found.add(cut(url));
    return part;
  });
  return [...found].slice(0, maxInText);
}

/** What stands before an address that is a part of something already: `](`, `]: `, `[`, `src="`. */
const partOfSomething = /\]\(\s*$|\]:\s*$|[["'=]$/;
const inBrackets = new RegExp(`<?${address.source}>?`, 'g');
/** Films are shown there by their address alone. */
const film = /\.(?:mp4|mov|webm)$/;

/** The text with one of its files under another address, which is no link by itself where it stood alone. */
export function withAttachment(text: string, from: string, to: string): string {
  const name = to.slice(to.lastIndexOf('/') + 1);
  const link = `${film.test(name) ? '!' : ''}[${name}](${to})`;
  return outsideCode(text, (part) =>
    part.replace(inBrackets, (found: string, at: number) => {
      const url = found.replace(/^<|>$/g, '');
      if (cut(url) !== from) return found;
      const isPart = partOfSomething.test(part.slice(Math.max(0, at - 10), at));
      return isPart ? found.replace(from, () => to) : link + url.slice(from.length);
    }),
  );
}

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'text/plain': 'txt',
};

/** What a file is called here. Pictures have a name without an ending there: what they are says what it should be. */
export function attachmentName(url: string, contentType: string | undefined): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  const plain = last.replaceAll(/%[0-9a-f]{2}|[^A-Za-z0-9._-]/gi, '_').replace(/^\.+/, '_') || 'file';
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = Object.hasOwn(endings, type) ? endings[type] : undefined;
  const name = /\.[A-Za-z0-9]{1,10}$/.test(plain) || ending === undefined ? plain : `${plain}.${ending}`;
  return name.length <= 200 ? name : `${hash('sha1', name, 'hex')}${name.slice(-100)}`;
}
