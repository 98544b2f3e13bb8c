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

/** The largest avatar, in bytes. */
export const avatarLimit = 200 * 1024;

function extension(filename: string): string {
  return /\.([A-Za-z]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** What is wrong with a file as the avatar of a user, group, project or topic; to be reported under `avatar`. */
export function avatarProblems(file: { readonly filename: string; readonly size: number }): string[] {
  const problems: string[] = [];
  if (!Object.hasOwn(types, extension(file.filename))) {
    problems.push(
      'file format is not supported. Please try one of the following supported formats: ' +
        Object.keys(types).join(', '),
    );
  }
  if (file.size > avatarLimit) problems.push('is too big (should be at most 200 KiB)');
  return problems;
}

/** The content type of an avatar by its name. */
export function avatarType(filename: string): string {
  return types[extension(filename)] ?? 'application/octet-stream';
}

/** The name under which an avatar is kept: its last segment, with nothing that a URL or a header would trip over. */
export function avatarFilename(filename: string): string {
  const last = filename.split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
  return plain.length > 100 ? plain.slice(-100) : plain;
}
