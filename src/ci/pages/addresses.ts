import { hash } from 'node:crypto';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { trimCharacters } from '../../platform/trim.ts';

/** Base address of Pages sites. */
export interface PagesAddress {
  /** `pages.example.com`. */
  readonly domain: string;
  readonly scheme: 'http' | 'https';
  /** `:8080`; empty for the default port. */
  readonly port: string;
}

/**
 * Base address of Pages sites; undefined if Pages is disabled. Sites share the port of the main server, which also
 * serves them.
 */
export function pagesAddress({
  config,
  externalUrl,
}: Pick<Services, 'config' | 'externalUrl'>): PagesAddress | undefined {
  if (config.pagesDomain === undefined) return undefined;
  const { protocol, port } = new URL(externalUrl);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  return { domain: config.pagesDomain, scheme, port: port === '' ? '' : `:${port}` };
}

const check = (id: number) => hash('sha256', `pages of project ${id}`).slice(0, 6);
const maxNameLength = 36;

/** First label of the unique domain of a project: its name for readability, and its ID, which identifies it. */
export function uniqueLabel({ id, path }: Pick<Project, 'id' | 'path'>): string {
  const name = trimCharacters(
    path
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, maxNameLength),
    '-',
  );
  return `${name === '' ? 'project' : name}-${id}-${check(id)}`;
}

/** Extracts the project ID from a unique domain label; undefined for other labels. No group path has this form. */
export function numberIn(label: string): number | undefined {
  const [, number = '', sum] = /^[a-z0-9-]+-([1-9]\d{0,14})-([0-9a-f]{6})$/.exec(label) ?? [];
  return sum !== undefined && check(Number(number)) === sum ? Number(number) : undefined;
}

/** The site of a project and its path. */
export interface Site {
  readonly project: Pick<Project, 'id' | 'path'>;
  readonly fullPath: string;
  readonly unique: boolean;
}

export const hostUrl = ({ scheme, port }: PagesAddress, host: string) => `${scheme}://${host}${port}`;

/** Path of a site on the domain of its root group. A project named like the domain is served at its root. */
export function pathOnGroup(
  { domain }: PagesAddress,
  fullPath: string,
): { readonly host: string; readonly path: string } {
  const [root = '', ...rest] = fullPath.split('/');
  const host = `${root.toLowerCase()}.${domain}`;
  const isWhole = rest.length === 1 && rest[0]?.toLowerCase() === host;
  return { host, path: isWhole ? '' : `/${rest.join('/')}` };
}

/** URL of a site, without a trailing slash. */
export function siteUrl(place: PagesAddress, { project, fullPath, unique }: Site): string {
  if (unique) return hostUrl(place, `${uniqueLabel(project)}.${place.domain}`);
  const { host, path } = pathOnGroup(place, fullPath);
  return hostUrl(place, host) + path;
}

const maxPrefixLength = 63;

/** Normalizes a path prefix: lowercase letters, digits, dots and dashes. */
export function prefixOf(text: string): string {
  return trimCharacters(
    text
      .toLowerCase()
      .replace(/[^a-z0-9.]/g, '-')
      .slice(0, maxPrefixLength),
    '-.',
  );
}
