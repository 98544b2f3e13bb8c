import { trimTrailing } from '../../platform/trim.ts';
/**
 * Allowed schemes of links. Schemes that execute code or content in the origin of the page (`javascript:`, `data:`) are
 * excluded.
 */
export const linkSchemes = [
  ...['http', 'https', 'ftp', 'ftps', 'sftp', 'mailto', 'tel', 'sms', 'irc', 'ircs', 'xmpp', 'matrix', 'sip', 'sips'],
  ...['ssh', 'git', 'svn', 'news', 'nntp', 'magnet', 'geo', 'webcal', 'rtsp', 'smb', 'slack', 'vscode'],
];
export const imageSchemes = ['http', 'https'];

const allowed = new Set(linkSchemes);

/**
 * The scheme of an address as browsers parse it, ignoring blanks and control characters; undefined for relative
 * addresses.
 */
export function schemeOf(address: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const bare = address.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '').toLowerCase();
  return /^([^/?#:]*):/.exec(bare)?.[1];
}

export function isSafeLink(address: string): boolean {
  const scheme = schemeOf(address);
  return scheme === undefined || allowed.has(scheme);
}

/** Whether nothing in an address needs encoding; parsing such an address takes a tenth of the time. */
export function isPlainAddress(address: string): boolean {
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?#][\w.~!$&()*+,;=:@/?#-]*)?$/i.test(address) && !/xn--/i.test(address);
}

const host = /[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,20}(?:[/?#][^\s<>"'`]{0,2000})?/iy;

/** Recognizes `www.example.org` as a link without a scheme; other bare host names are not links. */
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
