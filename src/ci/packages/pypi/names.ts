const name = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const before = '(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\\d*)?';
const after = '(?:-\\d+|[-_.]?(?:post|rev|r)[-_.]?\\d*)?';
const version = new RegExp(
  `^v?(?:\\d+!)?\\d+(?:\\.\\d+)*${before}${after}(?:[-_.]?dev[-_.]?\\d*)?(?:\\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$`,
  'i',
);
const fileName = /^[A-Za-z0-9][\w.+!-]*\.(?:whl|tar\.gz|tar\.bz2|tar\.xz|tgz|zip|egg)$/;

/** Whether a text can be the name of a Python package. */
export function isPypiName(text: string): boolean {
  return text.length <= 255 && name.test(text);
}

/** Whether a text is a version as Python has them. */
export function isPypiVersion(text: string): boolean {
  return text.length <= 255 && version.test(text);
}

/** The name that all spellings of a name stand for. */
export function normalizedName(text: string): string {
  return text.replace(/[-_.]+/g, '-').toLowerCase();
}

/** Whether a file can be one of a package: a wheel or a source distribution that begins with its name and a version. */
export function isFileOf(packageName: string, file: string): boolean {
  if (file.length > 255 || !fileName.test(file)) return false;
  const start = `${normalizedName(packageName)}-`;
  const normalized = normalizedName(file);
  return normalized.startsWith(start) && /^v?\d/.test(normalized.slice(start.length));
}
