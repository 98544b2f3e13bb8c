import { Invalid } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import type { LinkType, ReleaseLinkRow } from '../tables.ts';

/** Parameters of a link. */
export interface LinkRequest {
  readonly name?: string;
  readonly url?: string;
  readonly direct_asset_path?: string;
  readonly filepath?: string;
  readonly link_type?: LinkType;
}

export type LinkColumns = Pick<ReleaseLinkRow, 'name' | 'url' | 'filepath' | 'link_type'>;

const schemes = new Set(['http:', 'https:', 'ftp:']);
const maxLength = { name: 255, url: 2048, filepath: 128 };

/** Validates the given attributes of a link. Throws with one error per invalid attribute. */
export function readLink(sent: LinkRequest): Partial<LinkColumns> {
  const path = sent.direct_asset_path ?? sent.filepath;
  const problems: Record<string, string[]> = {};
  const check = (attribute: string, problem: string | undefined) => {
    if (problem !== undefined) problems[attribute] = [problem];
  };
  if (sent.name !== undefined) check('name', nameProblem(sent.name));
  if (sent.url !== undefined) check('url', urlProblem(sent.url));
  if (path !== undefined && path !== '') check('filepath', filepathProblem(path));
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return {
    ...(sent.name === undefined ? {} : { name: sent.name }),
    ...(sent.url === undefined ? {} : { url: sent.url }),
    ...(path === undefined ? {} : { filepath: path === '' ? null : path }),
    ...(sent.link_type === undefined ? {} : { link_type: sent.link_type }),
  };
}

/** The attributes of a new link, with defaults. */
export function newLink(sent: LinkRequest & { readonly name: string; readonly url: string }): LinkColumns {
  return { name: sent.name, url: sent.url, filepath: null, link_type: 'other', ...readLink(sent) };
}

function nameProblem(name: string): string | undefined {
  return name.trim() === '' ? "can't be blank" : lengthProblem(name, maxLength.name);
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  // URL parsing ignores line breaks and tabs, but they would end up in the `Location` header.
  if (!url || /[\p{Cc}\s]/u.test(text)) return 'is blocked: URI is invalid';
  if (!schemes.has(url.protocol)) return 'is blocked: Only allowed schemes are http, https, ftp';
  return lengthProblem(text, maxLength.url);
}

/**
 * `/binaries/linux-amd64`: segments of letters, digits, dots, dashes and underscores, ending with a letter or digit.
 */
export function filepathProblem(path: string): string | undefined {
  const names = path.split('/');
  const valid =
    names.shift() === '' && names.every((name) => /^(?!\.{1,2}$)[-.\w]+$/.test(name)) && /[\da-zA-Z]$/.test(path);
  return lengthProblem(path, maxLength.filepath) ?? (valid ? undefined : 'is in an invalid format');
}
