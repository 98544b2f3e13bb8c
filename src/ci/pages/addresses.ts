import { hash } from 'node:crypto';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { trimCharacters } from '../../platform/trim.ts';

/** Where sites are served. */
export interface Place {
  /** `pages.example.com`. */
  readonly domain: string;
  readonly scheme: 'http' | 'https';
  /** `:8080`; empty where it is the usual one. */
  readonly port: string;
}

/** Where sites are served; undefined where none are. The way to the forge leads to them too, so it has their port. */
export function placeOf({ config, externalUrl }: Pick<Services, 'config' | 'externalUrl'>): Place | undefined {
  if (config.pagesDomain === undefined) return undefined;
  const { protocol, port } = new URL(externalUrl);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  return { domain: config.pagesDomain, scheme, port: port === '' ? '' : `:${port}` };
}

const check = (id: number) => hash('sha256', `pages of project ${id}`).slice(0, 6);
const longestName = 36;

/** The first part of a host that one project has for itself: its name, for people, and its number, which decides. */
export function uniqueLabel({ id, path }: Pick<Project, 'id' | 'path'>): string {
  const name = trimCharacters(
    path
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, longestName),
    '-',
  );
  return `${name === '' ? 'project' : name}-${id}-${check(id)}`;
}

/** The number of the project that such a host is of; undefined where it is none. No group gets a host of this form. */
export function numberIn(label: string): number | undefined {
  const [, number = '', sum] = /^[a-z0-9-]+-([1-9]\d{0,14})-([0-9a-f]{6})$/.exec(label) ?? [];
  return sum !== undefined && check(Number(number)) === sum ? Number(number) : undefined;
}

/** What is served, and where it lies. */
export interface Site {
  readonly project: Pick<Project, 'id' | 'path'>;
  readonly fullPath: string;
  readonly unique: boolean;
}

export const hostUrl = ({ scheme, port }: Place, host: string) => `${scheme}://${host}${port}`;

/** The path of a site on the host of its outermost group; the project that is named like the host has all of it. */
export function pathOnGroup({ domain }: Place, fullPath: string): { readonly host: string; readonly path: string } {
  const [root = '', ...rest] = fullPath.split('/');
  const host = `${root.toLowerCase()}.${domain}`;
  const isWhole = rest.length === 1 && rest[0]?.toLowerCase() === host;
  return { host, path: isWhole ? '' : `/${rest.join('/')}` };
}

/** The address of a site, without a slash at its end. */
export function siteUrl(place: Place, { project, fullPath, unique }: Site): string {
  if (unique) return hostUrl(place, `${uniqueLabel(project)}.${place.domain}`);
  const { host, path } = pathOnGroup(place, fullPath);
  return hostUrl(place, host) + path;
}

const longestPrefix = 63;

/** A path prefix as it stands in addresses: small letters, digits, dots and dashes. */
export function prefixOf(text: string): string {
  return trimCharacters(
    text
      .toLowerCase()
      .replace(/[^a-z0-9.]/g, '-')
      .slice(0, longestPrefix),
    '-.',
  );
}
