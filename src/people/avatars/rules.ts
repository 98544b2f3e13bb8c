const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  ico: 'image/vnd.microsoft.icon',
  webp: 'image/webp',
};

/** Allowed file formats of an image and its maximum size in KiB. */
export interface PictureRule {
  readonly formats: readonly string[];
  readonly kibibytes: number;
}

/** Rule for avatars of users, groups, projects and topics. */
export const avatarRule: PictureRule = { formats: Object.keys(types), kibibytes: 200 };

function extension(filename: string): string {
  return /\.([A-Za-z]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** Validates an image file; the caller reports the errors under the parameter's name. */
export function pictureProblems(
  file: { readonly filename: string; readonly size: number },
  { formats, kibibytes }: PictureRule,
): string[] {
  const problems: string[] = [];
  if (!formats.includes(extension(file.filename))) {
    problems.push(
      `file format is not supported. Please try one of the following supported formats: ${formats.join(', ')}`,
    );
  }
  if (file.size > kibibytes * 1024) problems.push(`is too big (should be at most ${kibibytes} KiB)`);
  return problems;
}

/** Returns the content type of an avatar from its file name. */
export function avatarType(filename: string): string {
  return types[extension(filename)] ?? 'application/octet-stream';
}

/**
 * Returns the file name under which an avatar is stored: the last path segment without characters that need escaping in
 * a URL or header.
 */
export function avatarFilename(filename: string): string {
  const last = filename.split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
  return plain.length > 100 ? plain.slice(-100) : plain;
}
