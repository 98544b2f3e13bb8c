import type { PackageRow } from './tables.ts';

const word = /^[A-Za-z0-9._+-]+$/;
const identifiers = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][\\dA-Za-z-]*)';
const semver = new RegExp(
  `^(?:0|[1-9]\\d*)(?:\\.(?:0|[1-9]\\d*)){2}(?:-${identifiers}(?:\\.${identifiers})*)?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$`,
);

/** Whether a text can be the name of a generic package. */
export function isPackageName(name: string): boolean {
  return name.length <= 255 && word.test(name);
}

/** Whether a text can be its version: no two dots in a row, for it is a part of addresses. */
export function isPackageVersion(version: string): boolean {
  return version.length <= 255 && /^[\w+.-]+$/.test(version) && !version.includes('..');
}

/** Whether a text is a semantic version, which several formats ask for. */
export function isSemver(text: string): boolean {
  return text.length <= 255 && semver.test(text);
}

/** Whether a text can be the name of a file, which may lie in folders. */
export function isFileName(path: string): boolean {
  if (path.length > 255) return false;
  return path.split('/').every((part) => /^[A-Za-z0-9._+-][A-Za-z0-9._+~@-]*$/.test(part) && !/^\.+$|[~@]$/.test(part));
}

/** The states in which a package is handed out to those who install it: one that is hidden is only not listed. */
export const installable = ['default', 'hidden', 'deprecated'] as const satisfies readonly PackageRow['status'][];
