import type { PackageRow } from './tables.ts';

const word = /^[A-Za-z0-9._+-]+$/;
const identifiers = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][\\dA-Za-z-]*)';
const semver = new RegExp(
  `^(?:0|[1-9]\\d*)(?:\\.(?:0|[1-9]\\d*)){2}(?:-${identifiers}(?:\\.${identifiers})*)?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$`,
);

/** Whether a string is a valid name of a generic package. */
export function isPackageName(name: string): boolean {
  return name.length <= 255 && word.test(name);
}

/**
 * Whether a string is a valid version of a generic package. Consecutive dots are not allowed, because it is part of
 * URLs.
 */
export function isPackageVersion(version: string): boolean {
  return version.length <= 255 && /^[\w+.-]+$/.test(version) && !version.includes('..');
}

/** Whether a string is a semantic version, as several formats require. */
export function isSemver(text: string): boolean {
  return text.length <= 255 && semver.test(text);
}

/** Whether a string is a valid file name, optionally within folders. */
export function isFileName(path: string): boolean {
  if (path.length > 255) return false;
  return path.split('/').every((part) => /^[A-Za-z0-9._+-][A-Za-z0-9._+~@-]*$/.test(part) && !/^\.+$|[~@]$/.test(part));
}

/** Statuses of packages that can be installed; hidden ones are only left out of lists. */
export const installable = ['default', 'hidden', 'deprecated'] as const satisfies readonly PackageRow['status'][];
