const word = /^[A-Za-z0-9._+-]+$/;

/** Whether a text can be the name of a generic package. */
export function isPackageName(name: string): boolean {
  return name.length <= 255 && word.test(name);
}

/** Whether a text can be its version: no two dots in a row, for it is a part of addresses. */
export function isPackageVersion(version: string): boolean {
  return version.length <= 255 && /^[\w+.-]+$/.test(version) && !version.includes('..');
}

/** Whether a text can be the name of a file, which may lie in folders. */
export function isFileName(path: string): boolean {
  if (path.length > 255) return false;
  return path.split('/').every((part) => /^[A-Za-z0-9._+-][A-Za-z0-9._+~@-]*$/.test(part) && !/^\.+$|[~@]$/.test(part));
}
