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

/** Which pictures are taken: of which formats, and how large in KiB. */
export interface PictureRule {
  readonly formats: readonly string[];
  readonly kibibytes: number;
}

/** The avatar of a user, group, project or topic. */
export const avatarRule: PictureRule = { formats: Object.keys(types), kibibytes: 200 };

function extension(filename: string): string {
  return /\.([A-Za-z]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** What is wrong with a file as such a picture; to be reported under the name that it was sent by. */
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
