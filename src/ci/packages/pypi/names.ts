const name = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const before = '(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\\d*)?';
const after = '(?:-\\d+|[-_.]?(?:post|rev|r)[-_.]?\\d*)?';
const version = new RegExp(
  `^v?(?:\\d+!)?\\d+(?:\\.\\d+)*${before}${after}(?:[-_.]?dev[-_.]?\\d*)?(?:\\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$`,
  'i',
);
const fileName = /^[A-Za-z0-9][\w.+!-]*\.(?:whl|tar\.gz|tar\.bz2|tar\.xz|tgz|zip|egg)$/;

/** Whether a string is a valid Python package name. */
export function isPypiName(text: string): boolean {
  return text.length <= 255 && name.test(text);
}

/** Whether a string is a valid Python version (PEP 440). */
export function isPypiVersion(text: string): boolean {
  return text.length <= 255 && version.test(text);
}

/** Normalized form shared by all spellings of a name. */
export function normalizedName(text: string): string {
  return text.replace(/[-_.]+/g, '-').toLowerCase();
}

/**
 * Whether a file name is valid for a package: a wheel or source distribution that starts with its name and a version.
 */
export function isFileOf(packageName: string, file: string): boolean {
  if (file.length > 255 || !fileName.test(file)) return false;
  const start = `${normalizedName(packageName)}-`;
  const normalized = normalizedName(file);
  return normalized.startsWith(start) && /^v?\d/.test(normalized.slice(start.length));
}
