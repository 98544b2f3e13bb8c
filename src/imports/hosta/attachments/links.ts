import { hash } from 'node:crypto';
import { trimTrailing } from '../../../platform/trim.ts';
import { outsideCode } from '../../content/public.ts';

/** Location of attachments on the source host. */
export interface AttachmentHost {
  /** Base URL of the web pages, without a trailing slash. */
  readonly web: string;
  /** `owner/name`. */
  readonly fullName: string;
}

/** Former host of images. */
const legacyImageHost = 'https://user-images.githubusercontent.com';
/** Maximum number of attachments per text. */
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
  const lowerUrl = url.toLowerCase();
  return lowerUrl.startsWith(`${legacyImageHost}/`) || below.some((start) => lowerUrl.startsWith(start.toLowerCase()));
}

// Trailing punctuation is not part of a URL.
const cut = (url: string) => trimTrailing(url, '.,;:!?*_~');

/** Distinct attachment URLs in a text, in order. */
export function attachmentsIn(text: string, places: AttachmentHost): string[] {
  const found = new Set<string>();
  outsideCode(text, (part) => {
    for (const [url] of part.matchAll(address)) if (isAttachment(url, places)) found.add(cut(url));
    return part;
  });
  return [...found].slice(0, maxInText);
}

/** Text before a URL that is already part of a link or attribute: `](`, `]: `, `[`, `src="`. */
const insideMarkup = /\]\(\s*$|\]:\s*$|[["'=]$/;
const inBrackets = new RegExp(`<?${address.source}>?`, 'g');
/** Videos are embedded there by URL alone. */
const video = /\.(?:mp4|mov|webm)$/;

/** Replaces the URL of an attachment. A bare URL becomes a link, because the new one is not a link by itself. */
export function withAttachment(text: string, from: string, to: string): string {
  const name = to.slice(to.lastIndexOf('/') + 1);
  const link = `${video.test(name) ? '!' : ''}[${name}](${to})`;
  return outsideCode(text, (part) =>
    part.replace(inBrackets, (found: string, at: number) => {
      const url = found.replace(/^<|>$/g, '');
      if (cut(url) !== from) return found;
      const isPart = insideMarkup.test(part.slice(Math.max(0, at - 10), at));
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

/** Name of an uploaded file. Image URLs have no extension there, so it is derived from the content type. */
export function attachmentName(url: string, contentType: string | undefined): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  const plain = last.replaceAll(/%[0-9a-f]{2}|[^A-Za-z0-9._-]/gi, '_').replace(/^\.+/, '_') || 'file';
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = Object.hasOwn(endings, type) ? endings[type] : undefined;
  const name = /\.[A-Za-z0-9]{1,10}$/.test(plain) || ending === undefined ? plain : `${plain}.${ending}`;
  return name.length <= 200 ? name : `${hash('sha1', name, 'hex')}${name.slice(-100)}`;
}
