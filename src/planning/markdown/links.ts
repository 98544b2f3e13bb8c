import { trimTrailing } from '../../platform/trim.ts';
/** Where links may lead: what a browser runs or shows in the page's own name (`javascript:`, `data:`) is not among them. */
export const linkSchemes = [
  ...['http', 'https', 'ftp', 'ftps', 'sftp', 'mailto', 'tel', 'sms', 'irc', 'ircs', 'xmpp', 'matrix', 'sip', 'sips'],
  ...['ssh', 'git', 'svn', 'news', 'nntp', 'magnet', 'geo', 'webcal', 'rtsp', 'smb', 'slack', 'vscode'],
];
export const imageSchemes = ['http', 'https'];

const allowed = new Set(linkSchemes);

/** The scheme of an address as a browser would read it, which overlooks blanks and control characters; none where it is relative. */
export function schemeOf(address: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const bare = address.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '').toLowerCase();
  return /^([^/?#:]*):/.exec(bare)?.[1];
}

export function isSafeLink(address: string): boolean {
  const scheme = schemeOf(address);
  return scheme === undefined || allowed.has(scheme);
}

/** An address in which nothing has to be encoded: reading such a one is a tenth of the work. */
export function isPlainAddress(address: string): boolean {
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?#][\w.~!$&()*+,;=:@/?#-]*)?$/i.test(address) && !/xn--/i.test(address);
}

const host = /[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,20}(?:[/?#][^\s<>"'`]{0,2000})?/iy;

/** `www.example.org` is a link without being told so; other bare names of hosts are not. */
export const bareHost = {
  validate: (text: string, at: number): number => {
    host.lastIndex = at;
    const found = host.exec(text)?.[0] ?? '';
    return trimTrailing(found, '.,:;!?)*_~').length;
  },
  normalize: (match: { url: string }) => {
    match.url = `http://${match.url}`;
  },
};
